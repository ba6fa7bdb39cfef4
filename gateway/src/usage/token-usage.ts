import { isObject } from '@gatehouse/crds';
import { toKnownNames } from './dialects.ts';

/** Tokens of one kind of content: each a part of the input, the output or the cached input. */
export interface ModalityTokens {
  readonly input: number;
  readonly output: number;
  readonly cached: number;
}

/** Tokens of one call as its provider counted them; 0: none, or not reported. */
export interface TokenUsage {
  /** All input: cached, written to the cache, text, audio and images. */
  readonly input: number;
  /** All output, reasoning included. */
  readonly output: number;
  /** As the provider adds up, else input and output. */
  readonly total: number;
  /** Part of the input that was read from the provider's own cache. */
  readonly cached: number;
  /** Part of the input that was written to the provider's own cache. */
  readonly cacheWrite: number;
  /** Part of what was written that stays for an hour, where providers tell. */
  readonly cacheWriteHour: number;
  /** Part of the output that the model thought and did not say. */
  readonly reasoning: number;
  readonly text: ModalityTokens;
  readonly audio: ModalityTokens;
  readonly image: ModalityTokens;
  /** What is counted and may be priced beside tokens, e.g. `web_search`; names that we do not know are the provider's. */
  readonly units: Readonly<Record<string, number>>;
}

type Counts = Readonly<Record<string, unknown>>;

const NO_COUNTS: Counts = {};
const NO_MODALITY_TOKENS: ModalityTokens = { input: 0, output: 0, cached: 0 };
const NO_UNITS: TokenUsage['units'] = {};
/** Names of units that are kept of one answer: providers count a handful. */
const MAX_UNITS = 16;
/** Of all calls of a sum: names come from providers. */
const MAX_SUMMED_UNITS = 24;
/** Of one kind in one answer. */
export const MAX_COUNT = 1_000_000_000;

export const NO_USAGE: TokenUsage = {
  ...{ input: 0, output: 0, total: 0, cached: 0, cacheWrite: 0, cacheWriteHour: 0, reasoning: 0 },
  ...{ text: NO_MODALITY_TOKENS, audio: NO_MODALITY_TOKENS, image: NO_MODALITY_TOKENS, units: NO_UNITS },
};

/** A usage object of the chat, messages, responses, images or audio format, or of a provider's own API. */
export function readUsage(given: Counts): TokenUsage {
  const usage = toKnownNames(given);
  const inputs = objectOf(
    usage['prompt_tokens_details'] ?? usage['input_tokens_details'] ?? usage['input_token_details'],
  );
  const outputs = objectOf(
    usage['completion_tokens_details'] ?? usage['output_tokens_details'] ?? usage['output_token_details'],
  );
  const cached = objectOf(inputs['cached_tokens_details']);
  const cacheRead = numberAt(usage, 'cache_read_input_tokens');
  const cacheWrite = numberAt(usage, 'cache_creation_input_tokens');
  // The input of messages leaves out what the cache had or got; that of every other format includes it.
  const input = numberAt(usage, 'prompt_tokens') || numberAt(usage, 'input_tokens') + cacheRead + cacheWrite;
  const output = numberAt(usage, 'completion_tokens') || numberAt(usage, 'output_tokens');
  return {
    input,
    output,
    total: numberAt(usage, 'total_tokens') || input + output,
    cached: numberAt(inputs, 'cached_tokens') || cacheRead,
    cacheWrite,
    cacheWriteHour: numberAt(objectOf(usage['cache_creation']), 'ephemeral_1h_input_tokens'),
    reasoning: numberAt(outputs, 'reasoning_tokens') || numberAt(usage, 'reasoning_tokens'),
    text: tokensOf(inputs['text_tokens'], outputs['text_tokens'], cached['text_tokens']),
    audio: tokensOf(inputs['audio_tokens'], outputs['audio_tokens'], cached['audio_tokens']),
    image: tokensOf(inputs['image_tokens'], outputs['image_tokens'], cached['image_tokens']),
    units: unitsOf(usage),
  };
}

const TOTALS = ['prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens', 'total_tokens'] as const;

/** Whether a usage object says how much was used. */
export function hasCounts(given: Counts): boolean {
  const usage = toKnownNames(given);
  return TOTALS.some((name) => typeof usage[name] === 'number') || Object.keys(unitsOf(usage)).length > 0;
}

function tokensOf(inputTokens: unknown, outputTokens: unknown, cachedTokens: unknown): ModalityTokens {
  const input = toCount(inputTokens);
  const output = toCount(outputTokens);
  const cached = toCount(cachedTokens);
  return input + output + cached === 0 ? NO_MODALITY_TOKENS : { input, output, cached };
}

/** Our names of units, by what providers call them: in `server_tool_use` (messages), or in the usage itself. */
const TOOL_UNITS: Readonly<Record<string, string>> = {
  web_search_requests: 'web_search',
  web_fetch_requests: 'web_fetch',
  file_search_requests: 'file_search',
};
/** Sources: Perplexity chat completions, xAI live search, OpenAI transcriptions, Cohere rerank. */
const USAGE_UNITS: readonly (readonly [member: string, unit: string])[] = [
  ['num_search_queries', 'web_search'],
  ['citation_tokens', 'citation_token'],
  ['num_sources_used', 'search_source'],
  ['seconds', 'audio_second'],
  ['search_units', 'search_unit'],
];

function unitsOf(usage: Counts): TokenUsage['units'] {
  const tools = usage['server_tool_use'];
  let units: Record<string, number> | undefined;
  for (const [member, unit] of USAGE_UNITS) {
    const count = usage[member] === undefined ? 0 : numberAt(usage, member);
    if (count > 0) units = { ...units, [unit]: count };
  }
  if (!isObject(tools)) return units ?? NO_UNITS;
  const names = Object.keys(tools).slice(0, MAX_UNITS);
  const counted = names.map((name) => [nameOfTool(name), numberAt(tools, name)] as const);
  return { ...units, ...Object.fromEntries(counted.filter(([, count]) => count !== 0)) };
}

const nameOfTool = (name: string): string => (Object.hasOwn(TOOL_UNITS, name) ? TOOL_UNITS[name] : undefined) ?? name;

const objectOf = (value: unknown): Counts => (isObject(value) ? value : NO_COUNTS);

const numberAt = (object: Counts, name: string): number => toCount(object[name]);

/** Whole, and bounded: no call has as much, and sums stay exact. */
const toCount = (value: unknown): number =>
  typeof value === 'number' && value > 0 ? Math.min(Math.ceil(value), MAX_COUNT) : 0;

/** What two calls used together. */
export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  const sum = (name: Counted): number => one[name] + other[name];
  return {
    ...{ input: sum('input'), output: sum('output'), total: sum('total'), cached: sum('cached') },
    ...{ cacheWrite: sum('cacheWrite'), cacheWriteHour: sum('cacheWriteHour'), reasoning: sum('reasoning') },
    text: addTokens(one.text, other.text),
    audio: addTokens(one.audio, other.audio),
    image: addTokens(one.image, other.image),
    units: addUnits(one.units, other.units),
  };
}

type Counted = Exclude<keyof TokenUsage, 'text' | 'audio' | 'image' | 'units'>;

const addTokens = (one: ModalityTokens, other: ModalityTokens): ModalityTokens => ({
  input: one.input + other.input,
  output: one.output + other.output,
  cached: one.cached + other.cached,
});

function addUnits(one: TokenUsage['units'], other: TokenUsage['units']): TokenUsage['units'] {
  const sum: Record<string, number> = Object.assign(Object.create(null), one); // names are the provider's
  let names = Object.keys(sum).length;
  for (const [name, count] of Object.entries(other).slice(0, MAX_UNITS)) {
    if (sum[name] === undefined) names += 1;
    if (names <= MAX_SUMMED_UNITS || sum[name] !== undefined) sum[name] = (sum[name] ?? 0) + count;
  }
  return sum;
}
