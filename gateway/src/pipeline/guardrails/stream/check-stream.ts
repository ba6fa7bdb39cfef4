import { type ReplayOptions, replayAsStream } from '../../../cache/index.ts';
import { type AppError, memoryExhausted } from '../../../errors/index.ts';
import type { CompiledHook, Denial, HookPhaseResult, HookResult, Restorable } from '../../../guardrails/index.ts';
import {
  RestoringStream,
  resultsEvent,
  type StreamedResults,
  type TextProtocol,
} from '../../../guardrails/stream/index.ts';
import type { ByteAccount } from '../../../lib/byte-budget.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import type { MappedAnswer } from '../../attempt/map/index.ts';
import type { AnswerBody } from '../../exchange.ts';
import { bufferStream, releasedStream } from './buffered-stream.ts';
import { guardStream, type StreamEnd } from './guarded-stream.ts';
import { type RunHooks, windowsOf } from './window-check.ts';

export interface StreamHooks {
  readonly protocol: TextProtocol;
  /** The hooks that act on the answer. */
  readonly hooks: readonly CompiledHook[];
  readonly run: RunHooks;
  /** The error of a denied answer. `results`: of the hooks that have run on the whole; none where a window is denied. */
  refuse(denial: Denial, results: readonly HookResult[]): AppError;
  /** Told about a stream that is held, when it was read to its end. */
  held(bytes: number): void;
  /** Told once about the answer, where it was complete, and what the hooks came to. */
  settled(result: HookPhaseResult, answer: JsonObject): void;
  /** Told what the hooks of a window came to that is denied. */
  cut(result: HookPhaseResult): void;
  /** Told once about the answer, where it was complete and no hook acts on it; undefined: nobody asks. */
  readonly seen: ((answer: JsonObject) => void) | undefined;
  readonly inputResults: readonly HookResult[];
  /** A hook of the request failed and let it pass. */
  readonly inputFailed: boolean;
  readonly placeholders: Restorable | undefined;
  /** Resolves when long work may run for another slice of time. */
  nextSlice(): Promise<void>;
  /** The client gets no results. */
  readonly strict: boolean;
  /** The client asked for a usage chunk. */
  readonly includeUsage: ReplayOptions['includeUsage'];
  /** Of the request: holds what is held back. */
  readonly memory: ByteAccount;
  /** Longest stream that is held, in bytes. */
  readonly maxBytes: number;
}

const NOTHING_RAN: Pick<HookPhaseResult, 'results'> = { results: [] };

/** Status of an answer of which a check failed that does not deny. */
const FAILED_STATUS = 246;
type StreamBody = Extract<AnswerBody, { kind: 'stream' }>;

/**
 * A good stream as its client gets it, or the error instead. Where a hook wants it, the stream is held until the hooks have decided;
 * otherwise it is looked at while it is sent. Rejects with what breaks a stream that is held.
 */
export async function checkStream(answer: MappedAnswer, hooks: StreamHooks): Promise<MappedAnswer | AppError> {
  const { body } = answer;
  if (body.kind !== 'stream' || body.transform === undefined || hasNothingToDo(hooks)) return answer;
  if (hooks.hooks.some(({ buffer }) => buffer)) return held(answer, body, hooks);
  const status = hooks.inputFailed ? FAILED_STATUS : answer.status;
  return { ...answer, status, body: watched(body, hooks) };
}

const hasNothingToDo = ({ hooks, inputResults, placeholders, seen }: StreamHooks): boolean =>
  hooks.length === 0 && inputResults.length === 0 && placeholders === undefined && seen === undefined;

async function held(answer: MappedAnswer, body: StreamBody, hooks: StreamHooks): Promise<MappedAnswer | AppError> {
  const { protocol, memory, maxBytes, inputFailed } = hooks;
  const buffered = await bufferStream(body, { protocol, memory, maxBytes });
  hooks.held(buffered.bytes.length);
  const result = await hooks.run(hooks.hooks, buffered.answer);
  hooks.settled(result, buffered.answer);
  const { denied, failed } = result;
  if (denied !== undefined) {
    memory.give(buffered.bytes.length);
    return hooks.refuse(denied, result.results);
  }
  const bytes = result.body === undefined ? buffered.bytes : replayed(result.body, hooks);
  const pieces = [firstEvent(hooks), ...(await restored(bytes, hooks)), lastEvent(hooks, result)];
  const sent = pieces.filter((piece) => piece !== undefined);
  const size = sent.reduce((sum, { length }) => sum + length, 0);
  memory.give(buffered.bytes.length);
  if (!memory.take(size)) throw memoryExhausted();
  return {
    ...answer,
    status: failed || inputFailed ? FAILED_STATUS : answer.status,
    body: { ...releasedStream(body, protocol, sent), held: size },
  };
}

const replayed = (answer: JsonObject, { protocol, includeUsage }: StreamHooks): Buffer =>
  Buffer.from(replayAsStream(protocol, answer, { includeUsage }).join(''));

/** Bytes of a stream that is held which are restored between two pauses. */
const CHUNK_BYTES = 64 * 1024;

async function restored(bytes: Buffer, hooks: StreamHooks): Promise<readonly Buffer[]> {
  const { protocol, placeholders } = hooks;
  if (placeholders === undefined) return [bytes];
  const restoring = new RestoringStream(protocol, placeholders);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    if (at > 0) await hooks.nextSlice();
    for (const piece of restoring.push(bytes.subarray(at, at + CHUNK_BYTES))) pieces.push(piece);
  }
  return [...pieces, ...restoring.end()];
}

function watched(body: StreamBody, hooks: StreamHooks): StreamBody {
  const { protocol, memory, run, placeholders } = hooks;
  const windows = windowsOf(hooks.hooks, {
    protocol,
    run,
    refuse: (denial, result) => cutStream(hooks, denial, result),
  });
  const atEnd = (whole: object | undefined): Promise<StreamEnd> => settle(hooks, whole);
  return guardStream(body, {
    protocol,
    memory,
    before: firstEvent(hooks),
    windows,
    placeholders,
    ...(hooks.hooks.length > 0 || hooks.seen !== undefined || comesLast(hooks) ? { atEnd } : {}),
  });
}

function cutStream(hooks: StreamHooks, denial: Denial, result: HookPhaseResult): AppError {
  hooks.cut(result);
  return hooks.refuse(denial, []);
}

/** The stream has been sent but for what windows hold back: only their hooks can deny it. */
async function settle(hooks: StreamHooks, whole: object | undefined): Promise<StreamEnd> {
  if (whole === undefined) return { event: lastEvent(hooks, NOTHING_RAN) };
  const answer: JsonObject = { ...whole };
  if (hooks.hooks.length === 0) {
    hooks.seen?.(answer);
    return { event: lastEvent(hooks, NOTHING_RAN) };
  }
  const result = await hooks.run(hooks.hooks.map(afterwards), answer);
  const { denied } = result;
  hooks.settled(result, answer);
  return denied === undefined ? { event: lastEvent(hooks, result) } : { denial: hooks.refuse(denied, result.results) };
}

/** What the client has got already cannot be denied. */
const afterwards = (hook: CompiledHook): CompiledHook =>
  hook.deny && hook.window === undefined ? { ...hook, deny: false } : hook;

/** Clients of responses need the event that begins the answer first. */
const comesLast = ({ protocol, strict, inputResults }: StreamHooks): boolean =>
  protocol === 'responses' && !strict && inputResults.length > 0;

const firstEvent = (hooks: StreamHooks): Buffer | undefined =>
  hooks.strict || hooks.inputResults.length === 0 || comesLast(hooks)
    ? undefined
    : resultsEvent(hooks.protocol, { before_request_hooks: hooks.inputResults });

function lastEvent(hooks: StreamHooks, output: Pick<HookPhaseResult, 'results'>): Buffer | undefined {
  if (hooks.strict) return undefined;
  const outputResults = output.results;
  const results: StreamedResults = {
    ...(comesLast(hooks) ? { before_request_hooks: hooks.inputResults } : {}),
    ...(outputResults.length > 0 ? { after_request_hooks: outputResults } : {}),
  };
  return Object.keys(results).length === 0 ? undefined : resultsEvent(hooks.protocol, results);
}
