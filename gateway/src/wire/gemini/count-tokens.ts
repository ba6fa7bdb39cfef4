/** Counts of tokens. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { numberAt } from '../json/json.ts';

/** Reads `{totalTokens}`; the error says why it cannot be read. */
export function fromGeminiCount(body: unknown): Result<JsonObject, string> {
  const tokens = isObject(body) ? numberAt(body, 'totalTokens') : undefined;
  return tokens === undefined ? err('the answer has no token count') : ok({ input_tokens: tokens });
}
