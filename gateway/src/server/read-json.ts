import type { IncomingMessage } from 'node:http';
import { isObject } from '@gatehouse/crds';
import { AppError } from '../errors/index.ts';
import { jsonDepth } from '../lib/json-depth.ts';
import type { JsonObject } from '../wire/contract.ts';

/** Levels of nesting a body may have: far above any schema, far below what breaks a recursive writer. */
const MAX_DEPTH = 256;

/** Throws BODY_TOO_LARGE when the client announces more than the limit. */
export function checkLength(request: IncomingMessage, maxBytes: number): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
}

/** The bytes of a request. Throws BODY_TOO_LARGE as soon as the limit is passed. */
export function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = collect(Number(request.headers['content-length'] ?? 0));
    request.on('data', (piece: Buffer) => {
      if (body.add(piece) <= maxBytes) return;
      request.removeAllListeners('data');
      request.resume();
      reject(tooLarge(maxBytes));
    });
    request.on('end', () => resolve(body.bytes()));
    request.on('error', () => reject(new AppError('CLIENT_CLOSED')));
    request.on('close', () => {
      if (!request.complete) reject(new AppError('CLIENT_CLOSED'));
    });
  });
}

interface Collector {
  /** Answers with the bytes so far. */
  add(piece: Buffer): number;
  bytes(): Buffer;
}

/** Bodies from this size on are put together while they arrive: their pieces need not be kept until the end. */
const LARGE_BYTES = 64 * 1024;

/** `announced`: the content length, which the HTTP parser enforces; 0 when there is none. */
function collect(announced: number): Collector {
  if (announced >= LARGE_BYTES) return collectInto(announced);
  const pieces: Buffer[] = [];
  let length = 0;
  return {
    add: (piece) => {
      pieces.push(piece);
      length += piece.length;
      return length;
    },
    bytes: () => (pieces.length === 1 ? (pieces[0] ?? Buffer.alloc(0)) : Buffer.concat(pieces, length)),
  };
}

function collectInto(announced: number): Collector {
  const whole = Buffer.allocUnsafe(announced);
  let length = 0;
  return {
    add: (piece) => {
      length += piece.copy(whole, length);
      return length;
    },
    bytes: () => whole.subarray(0, length),
  };
}

/** The JSON object in the bytes. Throws BODY_NOT_JSON or BODY_NOT_OBJECT; the text is never quoted. */
export function parseBody(bytes: Buffer): JsonObject {
  const value = parse(bytes);
  if (!isObject(value)) throw new AppError('BODY_NOT_OBJECT');
  if (bytes.length > MAX_DEPTH && jsonDepth(bytes, MAX_DEPTH) > MAX_DEPTH) {
    throw new AppError('BODY_NOT_OBJECT', { detail: `The request body is nested deeper than ${MAX_DEPTH} levels` });
  }
  return value;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new AppError('BODY_NOT_JSON');
  }
}

const tooLarge = (maxBytes: number): AppError =>
  new AppError('BODY_TOO_LARGE', {
    detail: `The request body is larger than ${Math.floor(maxBytes / 1024 / 1024)} MB`,
  });
