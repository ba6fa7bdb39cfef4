import type { JsonObject, Usage } from '../contract.ts';
import { numberAt, objectAt } from '../json/json.ts';

/** Counts of vendors with content blocks, in tokens: `input` excludes cached input. */
export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Part of what was written to the cache that stays for an hour. */
  readonly cacheWriteHour?: number | undefined;
  /** Calls of tools that the vendor runs, by its names. */
  readonly tools?: JsonObject | undefined;
  /** The vendor's own total, if any. */
  readonly total?: number | undefined;
}

/** The unified usage: cached input counts as prompt; the cache members are present when either is not zero. */
export function toUsage({
  input,
  output,
  cacheRead,
  cacheWrite,
  cacheWriteHour = 0,
  tools,
  total,
}: TokenCounts): Usage {
  const prompt = input + cacheRead + cacheWrite;
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: total ?? prompt + output,
    prompt_tokens_details: { cached_tokens: cacheRead },
    ...(cacheRead > 0 || cacheWrite > 0
      ? { cache_read_input_tokens: cacheRead, cache_creation_input_tokens: cacheWrite }
      : {}),
    ...(cacheWriteHour > 0 ? { cache_creation: { ephemeral_1h_input_tokens: cacheWriteHour } } : {}),
    ...(tools === undefined ? {} : { server_tool_use: tools }),
  };
}

/** The unified usage of a messages answer; undefined without one. */
export function usageOfMessage(body: JsonObject | undefined): Usage | undefined {
  const usage = objectAt(body, 'usage');
  return usage === undefined ? undefined : toUsage(countsOf(usage));
}

/** Reads the counts of a messages usage; absent members keep their value in `before`. */
export function countsOf(usage: JsonObject | undefined, before: TokenCounts = NO_TOKENS): TokenCounts {
  return {
    input: numberAt(usage, 'input_tokens') ?? before.input,
    output: numberAt(usage, 'output_tokens') ?? before.output,
    cacheRead: numberAt(usage, 'cache_read_input_tokens') ?? before.cacheRead,
    cacheWrite: numberAt(usage, 'cache_creation_input_tokens') ?? before.cacheWrite,
    cacheWriteHour: numberAt(objectAt(usage, 'cache_creation'), 'ephemeral_1h_input_tokens') ?? before.cacheWriteHour,
    tools: objectAt(usage, 'server_tool_use') ?? before.tools,
  };
}

export const NO_TOKENS: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
