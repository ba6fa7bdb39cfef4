/** A stream that guardrails look at while it is sent: docs/behaviour/streams.md. */
import { type Assembler, createAssembler } from '../../../cache/index.ts';
import { type AppError, memoryExhausted, toAppError } from '../../../errors/index.ts';
import type { Restorable } from '../../../guardrails/index.ts';
import {
  RestoringStream,
  type TextProtocol,
  type WindowedResult,
  WindowedStream,
  type WindowOptions,
} from '../../../guardrails/stream/index.ts';
import type { ByteAccount } from '../../../lib/byte-budget.ts';
import { andThen, type Deferred } from '../../../lib/deferred.ts';
import { BodyRelay, type BodySink, type UpstreamBody } from '../../../upstream/index.ts';
import type { ByteTransform } from '../../../wire/transform/index.ts';
import type { AnswerBody } from '../../exchange.ts';
import { clientTransform } from './client-stream.ts';

type StreamBody = Extract<AnswerBody, { kind: 'stream' }>;

/** Text of a stream that is assembled for checks of the whole, in characters. */
export const MAX_ASSEMBLED_CHARS = 4 * 1024 * 1024;

export interface StreamEnd {
  /** Sent behind the last event. */
  readonly event?: Buffer | undefined;
  /** Instead of what windows still hold back: the stream ends with this error. */
  readonly denial?: AppError | undefined;
}

export interface StreamGuard {
  readonly protocol: TextProtocol;
  /** Holds what is held back and what is assembled. */
  readonly memory: ByteAccount;
  /** Sent before the first event. */
  readonly before?: Buffer | undefined;
  /** Checks before texts leave. */
  readonly windows?: WindowOptions<AppError> | undefined;
  /** Replaced in what leaves. */
  readonly placeholders?: Restorable | undefined;
  /** Looks at the whole answer; undefined: it was not complete, or there was no room for it. */
  atEnd?(answer: object | undefined): Promise<StreamEnd>;
}

/** The stream as the client gets it. Nothing is read before it is piped. */
export function guardStream({ upstream, transform }: StreamBody, guard: StreamGuard): StreamBody {
  if (transform === undefined) throw new Error('a stream without a format has no texts to check');
  const { out } = new GuardedStream(upstream, transform, guard);
  return { kind: 'stream', upstream: out, transform: clientTransform(guard.protocol, transform) };
}

class GuardedStream implements BodySink {
  readonly out: BodyRelay;
  readonly #upstream: UpstreamBody;
  readonly #transform: ByteTransform;
  readonly #guard: StreamGuard;
  readonly #windows: WindowedStream<AppError> | undefined;
  readonly #restoring: RestoringStream | undefined;
  #assembler: Assembler | undefined;
  #assembledBytes = 0;
  /** Bytes of the provider that wait for a check. */
  #waiting: Buffer[] = [];
  #waitingBytes = 0;
  #accounted = 0;
  #isStarted = false;
  /** The client is behind. */
  #isPaused = false;
  /** The provider was told to wait. */
  #isHeld = false;
  #isBusy = false;
  #isEnded = false;
  #isOver = false;

  constructor(upstream: UpstreamBody, transform: ByteTransform, guard: StreamGuard) {
    const { protocol, windows, placeholders, atEnd } = guard;
    this.#upstream = upstream;
    this.#transform = transform;
    this.#guard = guard;
    this.#windows = windows && new WindowedStream(protocol, windows);
    this.#restoring = placeholders && new RestoringStream(protocol, placeholders);
    this.#assembler = atEnd && createAssembler(protocol, MAX_ASSEMBLED_CHARS);
    this.out = new BodyRelay({
      pause: () => {
        this.#isPaused = true;
      },
      resume: () => this.#resume(),
      abort: (reason) => this.#abort(toAppError(reason)),
    });
  }

  write(bytes: Buffer): boolean {
    if (this.#isOver) return true;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (!this.#isBusy) void this.#work();
    this.#isHeld = this.#isBusy || this.#isPaused;
    return !this.#isHeld;
  }

  end(): void {
    this.#isEnded = true;
    if (!this.#isBusy) void this.#work();
  }

  fail(error: AppError): void {
    this.#close();
    this.out.break(error);
  }

  #resume(): void {
    this.#isPaused = false;
    if (this.#isStarted) {
      this.#readOn();
      return;
    }
    this.#isStarted = true;
    const { before } = this.#guard;
    if (before !== undefined) this.out.push(before);
    this.#upstream.pipe(this);
  }

  #readOn(): void {
    if (!this.#isHeld || this.#isBusy || this.#isPaused || this.#isOver) return;
    this.#isHeld = false;
    this.#upstream.resume();
  }

  #abort(reason: AppError): void {
    this.#close();
    if (this.#isStarted) this.#upstream.cancel(reason);
    else this.#upstream.discard();
  }

  /** One piece after the other: the checks of one window end before the next begins. */
  async #work(): Promise<void> {
    this.#isBusy = true;
    try {
      for (let bytes = this.#next(); bytes !== undefined; bytes = this.#next()) {
        const sending = this.#push(this.#transform.push(bytes));
        if (sending instanceof Promise) await sending;
        if (this.#transform.broken !== undefined) throw this.#transform.broken;
      }
      if (this.#isEnded && !this.#isOver) await this.#finish();
    } catch (error) {
      this.#cut(toAppError(error));
    } finally {
      this.#isBusy = false;
    }
    this.#readOn();
  }

  #next(): Buffer | undefined {
    const bytes = this.#isOver ? undefined : this.#waiting.shift();
    this.#waitingBytes -= bytes?.length ?? 0;
    return bytes;
  }

  /** Undefined: what could be sent has been sent. */
  #push(piece: Buffer | string | undefined): Deferred<void> {
    if (piece === undefined || piece.length === 0) return undefined;
    const bytes = typeof piece === 'string' ? Buffer.from(piece) : piece;
    this.#assemble(bytes);
    if (this.#windows !== undefined) return andThen(this.#windows.push(bytes), (result) => this.#passed(result));
    this.#send(bytes);
    this.#account();
    return undefined;
  }

  #passed({ pieces, denial }: WindowedResult<AppError>): void {
    for (const piece of pieces) this.#send(piece);
    this.#account();
    if (denial !== undefined) this.#cut(denial);
  }

  async #finish(): Promise<void> {
    await this.#push(this.#transform.end());
    if (this.#isOver) return;
    const rest = await this.#windows?.end();
    if (rest?.denial !== undefined) {
      this.#passed(rest);
      return;
    }
    const end = await this.#guard.atEnd?.(this.#assembler?.finish());
    if (this.#isOver) return;
    if (end?.denial !== undefined) {
      this.#cut(end.denial);
      return;
    }
    for (const piece of rest?.pieces ?? []) this.#send(piece);
    for (const piece of this.#restoring?.end() ?? []) this.out.push(piece);
    if (end?.event !== undefined) this.out.push(end.event);
    this.#close();
    this.out.finish();
  }

  #send(bytes: Buffer): void {
    if (this.#isOver) return;
    if (this.#restoring === undefined) this.out.push(bytes);
    else for (const piece of this.#restoring.push(bytes)) this.out.push(piece);
  }

  #assemble(bytes: Buffer): void {
    if (this.#assembler === undefined) return;
    this.#assembledBytes += bytes.length;
    if (this.#account()) this.#assembler.push(bytes);
  }

  /** False: nothing is assembled any longer. Throws MEMORY_EXHAUSTED when there is no room for what is held back. */
  #account(): boolean {
    const held = this.#waitingBytes + (this.#windows?.heldBytes ?? 0) + (this.#restoring?.heldBytes ?? 0);
    if (this.#takes(held + this.#assembledBytes)) return this.#assembler !== undefined;
    this.#assembler = undefined;
    this.#assembledBytes = 0;
    if (!this.#takes(held)) throw memoryExhausted();
    return false;
  }

  #takes(bytes: number): boolean {
    const { memory } = this.#guard;
    const more = bytes - this.#accounted;
    if (more > 0 && !memory.take(more)) return false;
    if (more < 0) memory.give(-more);
    this.#accounted = bytes;
    return true;
  }

  /** Ends the stream with an error, and the call to the provider. */
  #cut(error: AppError): void {
    if (this.#isOver) return;
    this.#close();
    this.#upstream.cancel(error);
    this.out.break(error);
  }

  #close(): void {
    this.#isOver = true;
    this.#waiting = [];
    this.#assembler = undefined;
    this.#guard.memory.give(this.#accounted);
    this.#accounted = 0;
  }
}
