import { AppError, memoryExhausted } from '../errors/index.ts';
import type { ByteAccount } from '../lib/byte-budget.ts';
import { toUpstreamError } from './failures.ts';
import type { BodySink, UpstreamBody } from './port.ts';

/** The connection that the bytes come from. */
interface Flow {
  pause(): void;
  resume(): void;
  abort(reason: Error): void;
}

/** Bytes held until a sink is there: one socket read; beyond it the upstream is paused. */
const MAX_HELD_BYTES = 64 * 1024;

/** A body between an HTTP client, which calls `push`, `finish` and `break`, and the reader of the answer. */
export class BodyRelay implements UpstreamBody {
  readonly #flow: Flow;
  #held: Buffer[] = [];
  #heldBytes = 0;
  #sink: BodySink | undefined;
  #ended = false;
  #error: AppError | undefined;
  /** `end` or `fail` of the sink was called, and nothing is called after it. */
  #over = false;
  #waiter:
    | { readonly bytes: number; readonly resolve: () => void; readonly reject: (error: AppError) => void }
    | undefined;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  /** Called by the HTTP client for every piece of the body. */
  push(bytes: Buffer): void {
    if (this.#ended || this.#error !== undefined) return; // cancelled, but the rest of a packet still arrives
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
    this.#notify();
    this.#wake();
  }

  /** Called by the HTTP client when the connection broke or was aborted. */
  break(error: unknown): void {
    if (this.#ended || this.#error !== undefined) return;
    this.#error = toUpstreamError(error);
    this.#notify();
    this.#wake();
  }

  async peek(bytes: number): Promise<{ readonly held: readonly Buffer[]; readonly last: boolean }> {
    await new Promise<void>((resolve, reject) => {
      this.#waiter = { bytes, resolve, reject };
      this.#wake();
    });
    return { held: this.#held, last: this.#ended || this.#heldBytes >= MAX_HELD_BYTES };
  }

  pipe(sink: BodySink): void {
    this.#sink = sink;
    const held = this.#held;
    this.#held = [];
    let open = true;
    for (const bytes of held) {
      open = sink.write(bytes) && open;
      if (this.#over) return; // the sink itself has cancelled
    }
    if (this.#ended || this.#error !== undefined) this.#notify();
    else if (open) this.#flow.resume();
    else this.#flow.pause();
  }

  #notify(): void {
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

  resume(): void {
    this.#flow.resume();
  }

  cancel(reason: AppError): void {
    if (this.#over) return;
    const isFirst = this.#error === undefined;
    this.#error ??= reason;
    if (isFirst && !this.#ended) this.#flow.abort(reason);
    this.#notify();
    this.#wake();
  }

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

  discard(): void {
    this.cancel(new AppError('CLIENT_CLOSED'));
  }
}
