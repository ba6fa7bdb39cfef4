/** Counting the tokens of a messages request. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { numberAt } from '../json/json.ts';

/** The invoke body needs a limit; its value does not change the count. */
const DEFAULT_MAX_TOKENS = 10;

/** For models with a messages API: the invoke body, as base64. */
export function toInvokeCount(invokeBody: JsonObject): JsonObject {
  const body = { ...invokeBody, max_tokens: invokeBody['max_tokens'] ?? DEFAULT_MAX_TOKENS };
  return { input: { invokeModel: { body: Buffer.from(JSON.stringify(body)).toString('base64') } } };
}

/** For all others: the counted members of a Converse body. */
export function toConverseCount({ messages, system, toolConfig, ...rest }: JsonObject): JsonObject {
  const { additionalModelRequestFields } = rest;
  const counted = { messages, system, toolConfig, additionalModelRequestFields };
  return {
    input: { converse: Object.fromEntries(Object.entries(counted).filter(([, value]) => value !== undefined)) },
  };
}

/** Reads `{inputTokens}`; the error says why it cannot be read. */
export function fromCount(body: unknown): Result<JsonObject, string> {
  const tokens = isObject(body) ? numberAt(body, 'inputTokens') : undefined;
  return tokens === undefined ? err('the answer has no token count') : ok({ input_tokens: tokens });
}
