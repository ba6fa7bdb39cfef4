/** The usage of a chat in the words of the Messages API. */
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt } from '../../../wire/json/json.ts';

/** Before anything was counted. */
export const NOTHING_USED = { input_tokens: 0, output_tokens: 0 } as const;

/** Input leaves out what the provider's cache had or got; members of the cache are there when they are known. */
export function toMessagesUsage(usage: JsonObject | undefined): JsonObject {
  if (usage === undefined) return NOTHING_USED;
  const read = cachedTokens(usage);
  const written = numberAt(usage, 'cache_creation_input_tokens');
  return {
    input_tokens: Math.max(0, (numberAt(usage, 'prompt_tokens') ?? 0) - (read ?? 0) - (written ?? 0)),
    ...(written === undefined ? {} : { cache_creation_input_tokens: written }),
    ...(read === undefined ? {} : { cache_read_input_tokens: read }),
    output_tokens: numberAt(usage, 'completion_tokens') ?? 0,
  };
}

const cachedTokens = (usage: JsonObject): number | undefined =>
  numberAt(usage, 'cache_read_input_tokens') ?? numberAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens');
