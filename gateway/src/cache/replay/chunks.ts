/** Chat and text completions as chunks. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../wire/contract.ts';
import { DONE, slicesOf, toEvent } from './events.ts';
import { messageDeltas } from './message-deltas.ts';

export interface ReplayOptions {
  /** Whether the client requested usage: then it is in its own chunk, and null in the others. Else it is on the last. */
  readonly includeUsage: boolean;
}

/** Members of an answer that every chunk repeats; others are in the first chunk. */
const REPEATED: ReadonlySet<string> = new Set([
  'id',
  'created',
  'model',
  'provider',
  'service_tier',
  'system_fingerprint',
]);

/** Converts one choice into its pieces and the chunk that ends it. */
type ToPieces = (choice: JsonObject, index: number) => readonly JsonObject[];

export const replayChat = (answer: JsonObject, options: ReplayOptions): string[] =>
  replayChunks(answer, options, { object: 'chat.completion.chunk', toPieces: chatPieces });

export const replayCompletion = (answer: JsonObject, options: ReplayOptions): string[] =>
  replayChunks(answer, options, { object: 'text_completion', toPieces: textPieces });

function replayChunks(
  answer: JsonObject,
  { includeUsage }: ReplayOptions,
  format: { readonly object: string; readonly toPieces: ToPieces },
): string[] {
  const { choices, usage, object: _object, hook_results: _hooks, ...rest } = answer;
  const base = Object.fromEntries(Object.entries(rest).filter(([key]) => REPEATED.has(key)));
  const noUsage = includeUsage ? { usage: null } : {};
  const atEnd = !includeUsage && isObject(usage) ? { usage } : noUsage;
  const pieces = (Array.isArray(choices) ? choices.filter(isObject) : []).flatMap((choice, place) =>
    format.toPieces(choice, typeof choice['index'] === 'number' ? choice['index'] : place),
  );
  const events = pieces.map((piece, i) => {
    const own = i === pieces.length - 1 ? atEnd : noUsage;
    return toEvent({ ...(i === 0 ? rest : base), object: format.object, choices: [piece], ...own });
  });
  if (includeUsage && isObject(usage)) events.push(toEvent({ ...base, object: format.object, choices: [], usage }));
  return [...events, DONE];
}

function chatPieces(choice: JsonObject, index: number): readonly JsonObject[] {
  const { index: _index, message, finish_reason, logprobs, ...rest } = choice;
  const deltas = messageDeltas(isObject(message) ? message : {});
  return [
    ...deltas.map((delta, i) => ({ index, delta, ...logprobsOf(choice, i === 0), finish_reason: null })),
    { ...rest, index, delta: {}, ...logprobsOf(choice, false), finish_reason },
  ];
}

function textPieces(choice: JsonObject, index: number): readonly JsonObject[] {
  const { index: _index, text, finish_reason, logprobs, ...rest } = choice;
  const slices = typeof text === 'string' ? slicesOf(text) : [];
  return [
    ...slices.map((slice, i) => ({ index, text: slice, ...logprobsOf(choice, i === 0), finish_reason: null })),
    { ...rest, index, text: '', ...logprobsOf(choice, slices.length === 0), finish_reason },
  ];
}

/** All log probabilities are in the first piece. */
function logprobsOf(choice: JsonObject, first: boolean): JsonObject {
  return 'logprobs' in choice ? { logprobs: first ? choice['logprobs'] : null } : {};
}
