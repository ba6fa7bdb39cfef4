/** Token counts of an answer, found in its bytes without parsing the answer (DESIGN section 6). */
import { isObject, parseJson } from '@gatehouse/crds';

export interface TokenCounts {
  readonly input: number;
  readonly output: number;
  /** Part of the input that was read from the provider's own cache. */
  readonly cached: number;
}

/** Longest usage object that is looked at, in characters. */
const MAX_USAGE_CHARS = 4096;
const USAGE = /"usage"\s*:\s*\{/g;
const OPEN = 0x7b; // {
const CLOSE = 0x7d; // }

/**
 * The counts in the JSON or SSE text of an answer in any of our formats; later objects add what earlier ones lack, which
 * is how message streams spread them. Undefined when the text names none.
 */
export function findTokenCounts(text: string): TokenCounts | undefined {
  let merged: Record<string, unknown> | undefined;
  for (const { index, 0: match } of text.matchAll(USAGE)) {
    const usage = parseObjectAt(text, index + match.length - 1);
    if (usage !== undefined) merged = { ...merged, ...usage };
  }
  return merged === undefined ? undefined : countsOf(merged);
}

function parseObjectAt(text: string, start: number): Record<string, unknown> | undefined {
  const end = Math.min(text.length, start + MAX_USAGE_CHARS);
  let depth = 0;
  for (let at = start; at < end; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === OPEN) depth += 1;
    else if (unit === CLOSE) depth -= 1;
    else continue;
    if (depth > 0) continue;
    try {
      const value: unknown = parseJson(text.slice(start, at + 1));
      return isObject(value) ? value : undefined;
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** Counts of a usage object in the OpenAI, Anthropic or Responses spelling. */
export function countsOf(usage: Readonly<Record<string, unknown>>): TokenCounts {
  const cacheRead = numberAt(usage, 'cache_read_input_tokens');
  const anthropic = numberAt(usage, 'input_tokens') + cacheRead + numberAt(usage, 'cache_creation_input_tokens');
  const details = usage['prompt_tokens_details'] ?? usage['input_tokens_details'];
  return {
    input: numberAt(usage, 'prompt_tokens') || anthropic,
    output: numberAt(usage, 'completion_tokens') || numberAt(usage, 'output_tokens'),
    cached: (isObject(details) ? numberAt(details, 'cached_tokens') : 0) || cacheRead,
  };
}

function numberAt(object: Readonly<Record<string, unknown>>, key: string): number {
  const value = object[key];
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}
