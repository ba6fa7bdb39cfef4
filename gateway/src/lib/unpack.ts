/** Bytes that somebody else compressed, unpacked within what may be held: a few KB may stand for gigabytes. */
import { pipeline, Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { err, ok, type Result } from '@gatehouse/crds';
import type { ByteAccount } from './byte-budget.ts';

export interface UnpackLimits {
  readonly maxBytes: number;
  /** Holds the result. */
  readonly memory: ByteAccount;
}

export type UnpackProblem =
  | { readonly kind: 'unknown-encoding' }
  | { readonly kind: 'broken'; readonly cause: unknown }
  | { readonly kind: 'too-large' }
  | { readonly kind: 'no-memory' };

const PIECES = { chunkSize: 64 * 1024 };
/** What a decoder has to support, and no more (RFC 8878, section 3.1.1.1.2): 8 MiB. */
const ZSTD_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const DECODERS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip(PIECES)],
  ['x-gzip', () => createGunzip(PIECES)],
  ['deflate', () => createInflate(PIECES)],
  ['br', () => createBrotliDecompress(PIECES)],
  ['zstd', () => createZstdDecompress({ ...PIECES, ...ZSTD_WINDOW })],
]);

/** Content codings that `unpack` knows (RFC 9110, section 8.4.1), the registered names only. */
export const KNOWN_ENCODINGS: readonly string[] = ['gzip', 'deflate', 'br', 'zstd'];

/** Whether the value of a `content-encoding` header says that a body is compressed. */
export const isPacked = (encoding: string | undefined): encoding is string =>
  encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity';

/** The whole of what the bytes stand for. `encoding`: one content coding, in any case. */
export async function unpack(
  bytes: Buffer,
  encoding: string,
  { maxBytes, memory }: UnpackLimits,
): Promise<Result<Buffer, UnpackProblem>> {
  const decoder = DECODERS.get(encoding.trim().toLowerCase())?.();
  if (decoder === undefined) return err({ kind: 'unknown-encoding' });
  const pieces: Buffer[] = [];
  let length = 0;
  const fail = (problem: UnpackProblem): Result<Buffer, UnpackProblem> => {
    memory.give(length);
    return err(problem);
  };
  try {
    decoder.end(bytes);
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      if (length + piece.length > maxBytes) return fail({ kind: 'too-large' });
      if (!memory.take(piece.length)) return fail({ kind: 'no-memory' });
      pieces.push(piece);
      length += piece.length;
    }
    return ok(Buffer.concat(pieces, length));
  } catch (cause) {
    return fail({ kind: 'broken', cause });
  }
}

export interface PieceLimits {
  /** How many bytes a byte may stand for, beyond the first `spareBytes`. */
  readonly inflation: number;
  readonly spareBytes: number;
}

/** What arrives stands for more than it may, or cannot be unpacked. */
export class UnpackFailure extends Error {
  override readonly name = 'UnpackFailure';
  readonly kind: 'unknown-encoding' | 'broken' | 'too-large';

  constructor(kind: UnpackFailure['kind']) {
    super(`The bytes are not unpacked: ${kind}`);
    this.kind = kind;
  }
}

/**
 * What pieces stand for, piece by piece: some of 64 KiB are held, whatever the whole is. Throws UnpackFailure, the unknown encoding at
 * once, and what the source throws.
 */
export function unpackPieces(
  source: AsyncIterable<Buffer>,
  encoding: string,
  limits: PieceLimits,
): AsyncGenerator<Buffer> {
  const decoder = DECODERS.get(encoding.trim().toLowerCase())?.();
  if (decoder === undefined) throw new UnpackFailure('unknown-encoding');
  return unpackedBy(decoder, source, limits);
}

async function* unpackedBy(
  decoder: Transform,
  source: AsyncIterable<Buffer>,
  { inflation, spareBytes }: PieceLimits,
): AsyncGenerator<Buffer> {
  let left = spareBytes;
  let failed: { readonly error: unknown } | undefined;
  const counted = async function* () {
    try {
      for await (const piece of source) {
        left += piece.length * inflation;
        yield piece;
      }
    } catch (error) {
      failed = { error };
      throw error;
    }
  };
  pipeline(Readable.from(counted(), { objectMode: false }), decoder, () => undefined); // what ends it ends the loop below
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      left -= piece.length;
      if (left < 0) throw new UnpackFailure('too-large');
      yield piece;
    }
  } catch (error) {
    if (error instanceof UnpackFailure) throw error;
    throw failed === undefined ? new UnpackFailure('broken') : failed.error;
  }
}
