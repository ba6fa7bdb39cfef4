import { type TokenCounts, toUsage } from '../anthropic/index.ts';
import type { JsonObject, Usage } from '../contract.ts';
import { numberAt } from '../json/json.ts';

/** The counts of a Converse answer or `metadata` event, in tokens. */
export function converseCounts(usage: JsonObject | undefined): TokenCounts {
  return {
    input: numberAt(usage, 'inputTokens') ?? 0,
    output: numberAt(usage, 'outputTokens') ?? 0,
    cacheRead: numberAt(usage, 'cacheReadInputTokens') ?? 0,
    cacheWrite: numberAt(usage, 'cacheWriteInputTokens') ?? 0,
    total: numberAt(usage, 'totalTokens'),
  };
}

export const converseUsage = (usage: JsonObject | undefined): Usage | undefined =>
  usage === undefined ? undefined : toUsage(converseCounts(usage));

/** The usage of models that report input and output only; undefined without either. */
export function plainUsage(input: number | undefined, output: number | undefined): Usage | undefined {
  if (input === undefined && output === undefined) return undefined;
  const counts = { prompt_tokens: input ?? 0, completion_tokens: output ?? 0 };
  return { ...counts, total_tokens: counts.prompt_tokens + counts.completion_tokens };
}

export type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Token counts in the headers of an invoke answer. */
export function headerCounts(headers: Headers): { readonly input?: number; readonly output?: number } {
  const count = (name: string): number | undefined => {
    const value = Number.parseInt(String(headers[name] ?? ''), 10);
    return Number.isNaN(value) ? undefined : value;
  };
  const input = count('x-amzn-bedrock-input-token-count');
  const output = count('x-amzn-bedrock-output-token-count');
  return { ...(input === undefined ? {} : { input }), ...(output === undefined ? {} : { output }) };
}
