import { isObject } from '@gatehouse/crds';

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
  /** Part of the output that the model thought and did not say. */
  readonly reasoning: number;
  readonly text: ModalityTokens;
  readonly audio: ModalityTokens;
  readonly image: ModalityTokens;
  /** What is counted and priced beside tokens, by the provider's name for it, e.g. `web_search_requests`. */
  readonly units: Readonly<Record<string, number>>;
}

type Counts = Readonly<Record<string, unknown>>;

const NO_COUNTS: Counts = {};
const NO_MODALITY_TOKENS: ModalityTokens = { input: 0, output: 0, cached: 0 };
const NO_UNITS: TokenUsage['units'] = {};
/** Names of units that are kept of one answer: providers count a handful. */
const MAX_UNITS = 16;

/** A usage object of the chat, messages, responses, images or audio format, which differ in their names alone. */
export function readUsage(usage: Counts): TokenUsage {
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
    reasoning: numberAt(outputs, 'reasoning_tokens'),
    text: tokensOf(inputs['text_tokens'], outputs['text_tokens'], cached['text_tokens']),
    audio: tokensOf(inputs['audio_tokens'], outputs['audio_tokens'], cached['audio_tokens']),
    image: tokensOf(inputs['image_tokens'], outputs['image_tokens'], cached['image_tokens']),
    units: unitsOf(usage['server_tool_use']),
  };
}

function tokensOf(inputTokens: unknown, outputTokens: unknown, cachedTokens: unknown): ModalityTokens {
  const input = toCount(inputTokens);
  const output = toCount(outputTokens);
  const cached = toCount(cachedTokens);
  return input + output + cached === 0 ? NO_MODALITY_TOKENS : { input, output, cached };
}

function unitsOf(given: unknown): TokenUsage['units'] {
  if (!isObject(given)) return NO_UNITS;
  const names = Object.keys(given).slice(0, MAX_UNITS);
  return Object.fromEntries(names.map((name) => [name, numberAt(given, name)]).filter(([, count]) => count !== 0));
}

const objectOf = (value: unknown): Counts => (isObject(value) ? value : NO_COUNTS);

const numberAt = (object: Counts, name: string): number => toCount(object[name]);

const toCount = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
