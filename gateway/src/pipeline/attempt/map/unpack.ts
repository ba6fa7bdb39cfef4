/** Bodies that a provider compressed, unpacked within what may be held: a few KB may stand for gigabytes. */
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { AppError, memoryExhausted } from '../../../errors/index.ts';
import type { ByteAccount } from '../../../lib/byte-budget.ts';
import type { UpstreamHeaders, UpstreamResponse } from '../../../upstream/index.ts';

export interface UnpackLimits {
  readonly maxBytes: number;
  /** Holds the result. */
  readonly memory: ByteAccount;
}

export interface UnaryAnswer {
  readonly status: number;
  readonly headers: UpstreamHeaders;
  readonly bytes: Buffer;
}

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

/** Rejects with UPSTREAM_INVALID_RESPONSE, UPSTREAM_TOO_LARGE or MEMORY_EXHAUSTED. */
export async function unpack(bytes: Buffer, encoding: string, { maxBytes, memory }: UnpackLimits): Promise<Buffer> {
  const decoder = DECODERS.get(encoding.trim().toLowerCase())?.();
  if (decoder === undefined) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The provider used an unknown encoding' });
  }
  const pieces: Buffer[] = [];
  let length = 0;
  try {
    decoder.end(bytes);
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      if (length + piece.length > maxBytes) throw tooLarge(maxBytes);
      if (!memory.take(piece.length)) throw memoryExhausted();
      pieces.push(piece);
      length += piece.length;
    }
    memory.give(bytes.length);
    return Buffer.concat(pieces, length);
  } catch (cause) {
    memory.give(length);
    if (cause instanceof AppError) throw cause;
    throw new AppError('UPSTREAM_INVALID_RESPONSE', {
      detail: 'The provider sent a body that cannot be decoded',
      cause,
    });
  }
}

const tooLarge = (maxBytes: number): AppError =>
  new AppError('UPSTREAM_TOO_LARGE', { detail: `The unpacked answer is larger than ${maxBytes} bytes` });

/** Encodings that a request may accept. */
export const READABLE_ENCODINGS: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'deflate', 'identity']);

/** Whether the body is compressed. */
export function isEncoded({ headers }: Pick<UpstreamResponse, 'headers'>): boolean {
  const encoding = headers['content-encoding'];
  return typeof encoding === 'string' && encoding !== 'identity';
}

/** The answer with a body that is not compressed, also where compression was not asked for. */
export async function decodeAnswer(answer: UnaryAnswer, limits: UnpackLimits): Promise<UnaryAnswer> {
  const encoding = answer.headers['content-encoding'];
  if (typeof encoding !== 'string' || !isEncoded(answer) || answer.bytes.length === 0) return answer;
  const { 'content-encoding': _, ...headers } = answer.headers;
  return { ...answer, headers, bytes: await unpack(answer.bytes, encoding, limits) };
}
