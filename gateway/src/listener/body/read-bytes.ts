/** Reads the bytes of a JSON request within the limits of size, memory and progress. */
import type { IncomingMessage } from 'node:http';
import { AppError, memoryExhausted } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import { type ProgressRule, watchProgress } from './body-progress.ts';

export interface ReadOptions {
  readonly maxBytes: number;
  readonly progress: ProgressRule;
  /** Accounts for what has arrived. */
  readonly memory: ByteAccount;
}

/** Throws BODY_TOO_LARGE when the client announces more than the limit. */
export function checkLength(request: IncomingMessage, maxBytes: number): void {
  if (announcedBytes(request) > maxBytes) throw tooLarge(maxBytes);
}

const announcedBytes = (request: IncomingMessage): number => Number(request.headers['content-length'] ?? 0);

/** Rejects with BODY_TOO_LARGE, MEMORY_EXHAUSTED, BODY_STALLED or CLIENT_CLOSED. */
export function readBytes(request: IncomingMessage, { maxBytes, progress, memory }: ReadOptions): Promise<Buffer> {
  const announced = announcedBytes(request);
  // Refused before it is read when there is no room for it now; counted as it arrives.
  if (!memory.take(announced)) return Promise.reject(memoryExhausted());
  memory.give(announced);
  return new Promise((resolve, reject) => {
    const body = collect(announced, memory);
    const fail = (error: AppError): void => {
      watch.stop();
      request.removeListener('data', onData);
      request.resume(); // discards the rest until the answer has been sent
      reject(error);
    };
    const watch = watchProgress(progress, fail);
    const onData = (piece: Buffer): void => {
      watch.arrived(piece.length);
      if (body.length + piece.length > maxBytes) fail(tooLarge(maxBytes));
      else if (!body.add(piece)) fail(memoryExhausted());
      else watch.wait();
    };
    request.on('data', onData);
    request.on('end', () => {
      watch.stop();
      resolve(body.bytes());
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
  bytes(): Buffer;
}

/** Bodies from this size on are joined while they arrive, and checked in slices. */
export const LARGE_BYTES = 64 * 1024;

/** `announced`: the content length, which the HTTP parser enforces; 0 when there is none. */
function collect(announced: number, memory: ByteAccount): Collector {
  if (announced >= LARGE_BYTES) return collectInto(announced, memory);
  const pieces: Buffer[] = [];
  let length = 0;
  return {
    get length() {
      return length;
    },
    add: (piece) => {
      if (!memory.take(piece.length)) return false;
      pieces.push(piece);
      length += piece.length;
      return true;
    },
    bytes: () => (pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces, length)),
  };
}

/** Grows by doubling up to what was announced: a client that announces much and sends little costs little. */
function collectInto(announced: number, memory: ByteAccount): Collector {
  let whole = Buffer.alloc(0);
  let length = 0;
  return {
    get length() {
      return length;
    },
    add: (piece) => {
      const needed = length + piece.length;
      if (needed > whole.length) {
        const capacity = Math.max(needed, Math.min(announced, Math.max(LARGE_BYTES, whole.length * 2)));
        if (!memory.take(capacity - whole.length)) return false;
        const larger = Buffer.allocUnsafeSlow(capacity);
        whole.copy(larger, 0, 0, length);
        free(whole);
        whole = larger;
      }
      piece.copy(whole, length);
      free(piece);
      length = needed;
      return true;
    },
    bytes: () => whole.subarray(0, length),
  };
}

/**
 * Frees the memory of bytes that nothing refers to any more. The garbage collector sees little of it in the heap, and would
 * collect all of the heap for it: once for every 15 bodies of 1 MiB.
 */
function free({ buffer, length }: Buffer): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength === length) buffer.transfer(0); // not a part of node's pool
}

const tooLarge = (maxBytes: number): AppError =>
  new AppError('BODY_TOO_LARGE', {
    detail: `The request body is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB (MAX_JSON_PAYLOAD_SIZE_IN_MB)`,
  });
