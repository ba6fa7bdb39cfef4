import { AppError, memoryExhausted, toAppError } from '../errors/index.ts';
import type { ByteAccount } from '../lib/byte-budget.ts';

/** Where the bytes of an upstream answer go. */
export interface BodySink {
  /** False: send nothing more until `resume()`. */
  write(bytes: Buffer): boolean;
  end(): void;
  fail(error: AppError): void;
}

interface Flow {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Bytes held before somebody takes the body: one socket read; beyond it the upstream is paused. */
const MAX_HELD_BYTES = 64 * 1024;

/**
 * The body of one upstream answer. Exactly one of `collect`, `pipe` and `discard` is called. Until then at most
 * 64 KiB are held and the upstream is paused.
 */
export class UpstreamBody {
  readonly #flow: Flow;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #sink: BodySink | undefined;
  #ended = false;
  #error: AppError | undefined;
  /** The sink has heard `end` or `fail`, and hears nothing more. */
  #over = false;
  #waiter:
    | { readonly bytes: number; readonly resolve: () => void; readonly reject: (error: AppError) => void }
    | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  /** Called by the HTTP client for every piece of the body. */
  push(bytes: Buffer): void {
    if (this.#ended || this.#error !== undefined) return; // given up, but the rest of a packet still comes
    if (this.#sink !== undefined) {
      if (!this.#sink.write(bytes)) this.#flow.pause();
      return;
    }
    this.#held.push(bytes);
    this.#heldBytes += bytes.length;
    if (this.#heldBytes >= MAX_HELD_BYTES) this.#flow.pause();
    this.#wake();
  }

  /** Called by the HTTP client when the body is complete. */
  finish(): void {
    if (this.#error !== undefined) return;
    this.#ended = true;
    this.#tell();
    this.#wake();
  }

  /** Called by the HTTP client when the connection broke or was aborted. */
  break(error: unknown): void {
    if (this.#ended || this.#error !== undefined) return;
    this.#error = toAppError(error);
    this.#tell();
    this.#wake();
  }

  /**
   * Waits until more than `bytes` are held, the body ended, or no more can be held; rejects when the connection broke.
   * Answers with what is held. For looking before `collect` or `pipe` is called.
   */
  async peek(bytes: number): Promise<{ readonly held: readonly Buffer[]; readonly last: boolean }> {
    await new Promise<void>((resolve, reject) => {
      this.#waiter = { bytes, resolve, reject };
      this.#wake();
    });
    return { held: this.#held, last: this.#ended || this.#heldBytes >= MAX_HELD_BYTES };
  }

  /** Sends everything to the sink, in order, with backpressure. */
  pipe(sink: BodySink): void {
    this.#sink = sink;
    const held = this.#held;
    this.#held = [];
    let open = true;
    for (const bytes of held) {
      open = sink.write(bytes) && open;
      if (this.#over) return; // the sink itself has cancelled
    }
    if (this.#ended || this.#error !== undefined) this.#tell();
    else if (open) this.#flow.resume();
    else this.#flow.pause();
  }

  #tell(): void {
    if (this.#sink === undefined || this.#over || !(this.#ended || this.#error !== undefined)) return;
    this.#over = true;
    if (this.#error === undefined) this.#sink.end();
    else this.#sink.fail(this.#error);
  }

  #wake(): void {
    const waiter = this.#waiter;
    if (waiter === undefined) return;
    const enough = this.#heldBytes > waiter.bytes || this.#ended || this.#heldBytes >= MAX_HELD_BYTES;
    if (!enough && this.#error === undefined) return;
    this.#waiter = undefined;
    if (this.#error === undefined || this.#heldBytes > waiter.bytes) waiter.resolve();
    else waiter.reject(this.#error);
  }

  /** Goes on after a sink answered false. */
  resume(): void {
    this.#flow.resume();
  }

  /** Stops the upstream; the sink hears `fail` with the reason, also when the rest is already here. */
  cancel(reason: AppError): void {
    if (this.#over) return;
    const isFirst = this.#error === undefined;
    this.#error ??= reason;
    if (isFirst && !this.#ended) this.#flow.abort(reason);
    this.#tell();
    this.#wake();
  }

  /**
   * The whole body, which the account holds from then on. Rejects with UPSTREAM_TOO_LARGE beyond `maxBytes`, with
   * MEMORY_EXHAUSTED, or with what broke the connection.
   */
  collect(maxBytes: number, memory: ByteAccount): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = [];
      let bytes = 0;
      let taken = 0;
      this.pipe({
        write: (piece) => {
          bytes += piece.length;
          if (bytes > maxBytes) {
            this.cancel(new AppError('UPSTREAM_TOO_LARGE', { detail: `The answer is larger than ${maxBytes} bytes` }));
          } else if (memory.take(piece.length)) {
            pieces.push(piece);
            taken += piece.length;
          } else {
            this.cancel(memoryExhausted());
          }
          return true;
        },
        end: () => resolve(pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces, bytes)),
        fail: (error) => {
          memory.give(taken);
          reject(error);
        },
      });
    });
  }

  /** Nobody wants the body. */
  discard(): void {
    this.cancel(new AppError('CLIENT_CLOSED'));
  }
}
