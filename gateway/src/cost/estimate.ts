type Params = Readonly<Record<string, unknown>>;

/** Output that is assumed of a call that sets no limit, in tokens. */
const DEFAULT_OUTPUT = 1_024;
/** Bytes of a request that are taken for one token. */
const BYTES_PER_TOKEN = 4;
/** Answers that one call may ask for. */
const MAX_CHOICES = 128;
/** A limit beyond it is none. */
const MAX_OUTPUT = 1_000_000_000;

/** Tokens of a call before it is made: its bytes, and the output that it allows for each of its answers. */
export function estimateTokens(
  params: Params,
  promptBytes: number,
): { readonly input: number; readonly output: number } {
  const limit = outputLimit(params) || DEFAULT_OUTPUT;
  return { input: Math.ceil(promptBytes / BYTES_PER_TOKEN), output: limit * choicesOf(params['n']) };
}

/** The largest: which of them the provider reads depends on the operation, and callers may send all. */
const outputLimit = (params: Params): number =>
  Math.max(
    countOf(params['max_tokens']),
    countOf(params['max_completion_tokens']),
    countOf(params['max_output_tokens']),
  );

const countOf = (value: unknown): number =>
  typeof value === 'number' && value >= 1 ? Math.min(Math.floor(value), MAX_OUTPUT) : 0;

const choicesOf = (n: unknown): number => (typeof n === 'number' && n >= 1 ? Math.min(Math.floor(n), MAX_CHOICES) : 1);
