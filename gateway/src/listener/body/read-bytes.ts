/** Reads the bytes of a JSON request within the limits of size, memory and progress. */
import type { IncomingMessage } from 'node:http';
import { AppError, memoryExhausted } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { askForBody } from './asked-body.ts';
import { type ProgressRule, watchProgress } from './body-progress.ts';

export interface ReadOptions {
  readonly maxBytes: number;
  readonly progress: ProgressRule;
  /** Accounts for what has arrived. */
  readonly memory: ByteAccount;
}

/** Throws BODY_TOO_LARGE when the client announces more than the limit of JSON. */
export function checkLength(request: IncomingMessage, maxBytes: number): void {
  if (announcedBytes(request) > maxBytes) throw tooLarge(maxBytes);
}

/** The same for a form. */
export function checkFormLength(request: IncomingMessage, maxBytes: number): void {
  if (announcedBytes(request) <= maxBytes) return;
  throw new AppError('BODY_TOO_LARGE', {
    detail: `The form is larger than ${maxBytes} bytes (GATEHOUSE_MAX_FORM_BYTES)`,
  });
}

const announcedBytes = (request: IncomingMessage): number => Number(request.headers['content-length'] ?? 0);

/** Rejects with BODY_TOO_LARGE, MEMORY_EXHAUSTED, BODY_STALLED or CLIENT_CLOSED. */
export function readBytes(request: IncomingMessage, { maxBytes, progress, memory }: ReadOptions): Promise<Buffer> {
  const announced = announcedBytes(request);
  // Refused before it is read when there is no room for it now; counted as it arrives.
  if (!memory.take(announced)) return Promise.reject(memoryExhausted());
  memory.give(announced);
  return new Promise((resolve, reject) => {
    const body = announced < LARGE_BYTES ? new SmallBody(memory) : new LargeBody(announced, memory);
    const fail = (error: AppError): void => {
      watch.stop();
      request.removeListener('data', onData);
      request.resume(); // discards the rest until the answer has been sent
      reject(error);
    };
    askForBody(request);
    const watch = watchProgress(progress, fail);
    // Over HTTP/1 the end comes with the last piece that was announced; over HTTP/2 the client may never send it.
    const endsWithBytes = request.httpVersionMajor === 1;
    const onData = (piece: Buffer): void => {
      watch.arrived(piece.length);
      if (body.length + piece.length > maxBytes) fail(tooLarge(maxBytes));
      else if (!body.add(piece)) fail(memoryExhausted());
      else if (!endsWithBytes || body.length !== announced) watch.wait();
    };
    request.on('data', onData);
    request.on('end', () => {
      watch.stop();
      resolve(body.handOver());
    });
    request.on('error', () => fail(new AppError('CLIENT_CLOSED')));
    request.on('close', () => {
      if (!request.complete) fail(new AppError('CLIENT_CLOSED'));
    });
    watch.wait();
  });
}

interface Collector {
  readonly length: number;
  /** False: there is no room for the piece. */
  add(piece: Buffer): boolean;
  /** The whole body, which is not held any longer: the listeners of a request live as long as its answer. */
  handOver(): Buffer;
}

/** Bodies from this size on are joined while they arrive, and checked in slices. */
export const LARGE_BYTES = 64 * 1024;

class SmallBody implements Collector {
  readonly #memory: ByteAccount;
  #pieces: Buffer[] = [];
  length = 0;

  constructor(memory: ByteAccount) {
    this.#memory = memory;
  }

  add(piece: Buffer): boolean {
    if (!this.#memory.take(piece.length)) return false;
    this.#pieces.push(piece);
    this.length += piece.length;
    return true;
  }

  handOver(): Buffer {
    const pieces = this.#pieces;
    this.#pieces = [];
    const [first] = pieces;
    return first !== undefined && pieces.length === 1 ? first : Buffer.concat(pieces, this.length);
  }
}

const NOTHING = Buffer.alloc(0);

/** Grows by doubling up to what was announced: a client that announces much and sends little costs little. */
class LargeBody implements Collector {
  readonly #announced: number;
  readonly #memory: ByteAccount;
  #whole = NOTHING;
  length = 0;

  /** `announced`: the content length, which the HTTP parser enforces. */
  constructor(announced: number, memory: ByteAccount) {
    this.#announced = announced;
    this.#memory = memory;
  }

  add(piece: Buffer): boolean {
    const needed = this.length + piece.length;
    if (needed > this.#whole.length && !this.#grow(needed)) return false;
    piece.copy(this.#whole, this.length);
    free(piece);
    this.length = needed;
    return true;
  }

  handOver(): Buffer {
    const bytes = this.#whole.subarray(0, this.length);
    this.#whole = NOTHING;
    return bytes;
  }

  #grow(needed: number): boolean {
    const whole = this.#whole;
    const capacity = Math.max(needed, Math.min(this.#announced, Math.max(LARGE_BYTES, whole.length * 2)));
    if (!this.#memory.take(capacity - whole.length)) return false;
    this.#whole = Buffer.allocUnsafeSlow(capacity);
    if (whole === NOTHING) return true;
    whole.copy(this.#whole, 0, 0, this.length);
    free(whole);
    return true;
  }
}

/**
 * Frees the memory of bytes that nothing refers to any more. The garbage collector sees little of it in the heap, and would
 * collect all of the heap for it: once for every 15 bodies of 1 MiB.
 */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0); // not a part of node's pool
}

export const tooLarge = (maxBytes: number): AppError =>
  new AppError('BODY_TOO_LARGE', {
    detail: `The request body is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB (MAX_JSON_PAYLOAD_SIZE_IN_MB)`,
  });
