export type ValueRule =
  | { readonly type: 'integer'; readonly min: number; readonly max: number }
  | { readonly type: 'choice'; readonly values: readonly string[] }
  | { readonly type: 'flag' }
  | { readonly type: 'text'; readonly maxLength: number }
  /** Sent in a header of the answer. */
  | { readonly type: 'headerText'; readonly maxLength: number };

export interface MockControl {
  readonly header: `x-mock-${string}`;
  readonly field: string;
  readonly value: ValueRule;
  /** The effect of the control, for the reference. */
  readonly effect: string;
  /** Words of a model name that set the control; a word without `value` takes one, as in `mock-delay-250`. */
  readonly modelWords?: readonly { readonly word: string; readonly value?: string }[];
  /** The control makes a request fail, so it is lifted once `x-mock-fail-times` is used up. */
  readonly isFailure?: true;
}

const MAX_DELAY_MS = 600_000;
const MAX_OFFSET_BYTES = 1_073_741_824;
const MAX_TEXT_BYTES = 16_777_216;

/** Every fault control, as data: the parser, the types and the reference page are made from this table. */
export const MOCK_CONTROLS = [
  {
    header: 'x-mock-status',
    field: 'status',
    value: { type: 'integer', min: 200, max: 599 },
    effect: 'Answers with this status. From 400 on the body is an error in the shape of the provider.',
    modelWords: [{ word: 'fail' }],
    isFailure: true,
  },
  {
    header: 'x-mock-retry-after',
    field: 'retryAfter',
    value: { type: 'headerText', maxLength: 64 },
    effect: 'Adds Retry-After with this value (seconds or an HTTP date) to an error.',
  },
  {
    header: 'x-mock-error-body',
    field: 'errorBody',
    value: { type: 'choice', values: ['json', 'text', 'html', 'empty'] },
    effect:
      'What the body of an error is: the JSON of the provider (default), plain text, a proxy-like page or nothing.',
  },
  {
    header: 'x-mock-delay-ms',
    field: 'delayMs',
    value: { type: 'integer', min: 0, max: MAX_DELAY_MS },
    effect: 'Waits before the response headers.',
    modelWords: [{ word: 'delay' }],
  },
  {
    header: 'x-mock-body-delay-ms',
    field: 'bodyDelayMs',
    value: { type: 'integer', min: 0, max: MAX_DELAY_MS },
    effect: 'Sends the response headers, then waits before the first byte of the body.',
  },
  {
    header: 'x-mock-token-delay-ms',
    field: 'tokenDelayMs',
    value: { type: 'integer', min: 0, max: MAX_DELAY_MS },
    effect: 'Waits before each event of a stream that carries a piece of the answer.',
    modelWords: [{ word: 'slow' }],
  },
  {
    header: 'x-mock-cut-after-bytes',
    field: 'cutAfterBytes',
    value: { type: 'integer', min: 0, max: MAX_OFFSET_BYTES },
    effect: 'Closes the connection after this many bytes of the body.',
    modelWords: [{ word: 'cut' }],
    isFailure: true,
  },
  {
    header: 'x-mock-stall-after-bytes',
    field: 'stallAfterBytes',
    value: { type: 'integer', min: 0, max: MAX_OFFSET_BYTES },
    effect: 'Sends this many bytes of the body, then nothing until the client leaves.',
    modelWords: [{ word: 'stall' }],
    isFailure: true,
  },
  {
    header: 'x-mock-malformed',
    field: 'malformed',
    value: { type: 'choice', values: ['sse', 'json', 'utf8'] },
    effect:
      'Breaks the syntax. json: half a JSON text, in a stream in the middle event. sse: the middle event also lacks its blank line, or in an AWS event stream half of its bytes (streams only). utf8: one byte that is not UTF-8.',
    modelWords: [{ word: 'malformed' }],
    isFailure: true,
  },
  {
    header: 'x-mock-error-event',
    field: 'errorEvent',
    value: { type: 'choice', values: ['1', 'overloaded'] },
    effect:
      'Ends a stream of status 200 with an error event, by default as its first event. A call that does not stream gets the same error as a status.',
    modelWords: [
      { word: 'error-event', value: '1' },
      { word: 'overloaded', value: 'overloaded' },
    ],
    isFailure: true,
  },
  {
    header: 'x-mock-error-event-after',
    field: 'errorEventAfter',
    value: { type: 'integer', min: 0, max: 1_000_000 },
    effect: 'How many events come before the error event (default 0).',
  },
  {
    header: 'x-mock-no-done',
    field: 'noDone',
    value: { type: 'flag' },
    effect:
      'Leaves out the end mark of a stream: [DONE], message_stop, response.completed, message-end, or messageStop and metadata.',
    isFailure: true,
  },
  {
    header: 'x-mock-chunk-bytes',
    field: 'chunkBytes',
    value: { type: 'integer', min: 1, max: 1_048_576 },
    effect: 'Sends the body in writes of this many bytes, so that splits fall anywhere.',
  },
  {
    header: 'x-mock-text',
    field: 'text',
    value: { type: 'text', maxLength: 131_072 },
    effect: "The exact answer text. UTF-8''Line%201%0ALine%202 (RFC 8187) carries any character.",
  },
  {
    header: 'x-mock-response-bytes',
    field: 'responseBytes',
    value: { type: 'integer', min: 1, max: MAX_TEXT_BYTES },
    effect: 'Pads the answer text to this many bytes; limits of the request, such as max_tokens, still cut it.',
  },
  {
    header: 'x-mock-fail-times',
    field: 'failTimes',
    value: { type: 'integer', min: 1, max: 1_000_000 },
    effect:
      'Only the first so many requests with the same x-mock-fail-key fail (x-mock-status, 503 if no failure is named); later ones succeed. In a model name: mock-fail-503-times-2, keyed by the name.',
    modelWords: [{ word: 'times' }],
  },
  {
    header: 'x-mock-fail-key',
    field: 'failKey',
    value: { type: 'text', maxLength: 256 },
    effect: 'The name under which x-mock-fail-times counts.',
  },
  {
    header: 'x-mock-require-auth',
    field: 'requireAuth',
    value: { type: 'text', maxLength: 4_096 },
    effect:
      'Answers 401 unless the credential of the request is this one: a key, a token, or the access key id of a signature. Without it any credential is accepted, and none.',
  },
  {
    header: 'x-mock-close-connection',
    field: 'closeConnection',
    value: { type: 'flag' },
    effect: 'Answers with Connection: close.',
  },
  {
    header: 'x-mock-echo-headers',
    field: 'echoHeaders',
    value: { type: 'flag' },
    effect: 'Adds the response header x-mock-request-headers with the received headers as JSON.',
  },
] as const satisfies readonly MockControl[];

type Row = (typeof MOCK_CONTROLS)[number];
export type ControlField = Row['field'];
type ValueOf<Rule extends ValueRule> = Rule extends { type: 'integer' }
  ? number
  : Rule extends { type: 'choice'; values: readonly (infer Word)[] }
    ? Word
    : Rule extends { type: 'flag' }
      ? true
      : string;

/** The controls of one request; an absent field is a control that is off. */
export type Controls = { readonly [R in Row as R['field']]?: ValueOf<R['value']> };
