/** What a candidate has beside its content. */
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, objectsAt, textAt } from '../../../wire/json/json.ts';
import { toFinishReason as toChatReason } from '../../../wire/openai/index.ts';

const REASONS: ReadonlyMap<string, string> = new Map([
  ['length', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
]);
/** Source: Gemini API, FinishReason. */
const OWN_REASONS: ReadonlySet<string> = new Set([
  ...['STOP', 'MAX_TOKENS', 'SAFETY', 'RECITATION', 'LANGUAGE', 'OTHER', 'BLOCKLIST', 'PROHIBITED_CONTENT', 'SPII'],
  ...['MALFORMED_FUNCTION_CALL', 'MODEL_ARMOR', 'IMAGE_SAFETY', 'IMAGE_PROHIBITED_CONTENT', 'IMAGE_RECITATION'],
  ...['IMAGE_OTHER', 'NO_IMAGE', 'UNEXPECTED_TOOL_CALL', 'TOO_MANY_TOOL_CALLS', 'MISSING_THOUGHT_SIGNATURE'],
  'MALFORMED_RESPONSE',
]);

export const toFinishReason = (reason: string): string =>
  OWN_REASONS.has(reason) ? reason : (REASONS.get(toChatReason(reason)) ?? 'STOP');

/** Of Google alone: as it says them. */
const OWN_MEMBERS = ['groundingMetadata', 'citationMetadata', 'urlContextMetadata', 'safetyRatings'] as const;

/** Members that the choice of a chat, or a piece of it, has for its candidate. */
export function extrasOf(choice: JsonObject | undefined): JsonObject {
  const extras: Record<string, unknown> = {};
  for (const name of OWN_MEMBERS) {
    const value = choice?.[name];
    if (value !== undefined && value !== null) extras[name] = value;
  }
  const tokens = objectsAt(objectAt(choice, 'logprobs'), 'content');
  if (tokens.length > 0) extras['logprobsResult'] = toLogprobs(tokens);
  return extras;
}

const toLogprobs = (tokens: readonly JsonObject[]): JsonObject => ({
  chosenCandidates: tokens.map(toToken),
  topCandidates: tokens.map((token) => ({ candidates: objectsAt(token, 'top_logprobs').map(toToken) })),
});

const toToken = (token: JsonObject): JsonObject => ({
  token: textAt(token, 'token') ?? '',
  logProbability: numberAt(token, 'logprob') ?? 0,
});
