/** Bytes that somebody else compressed, unpacked within what may be held: a few KB may stand for gigabytes. */
import { pipeline, type Transform } from 'node:stream';
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

const PIECE_BYTES = 64 * 1024;
/** A piece is asked for once the one before is unpacked. */
const PIECES = { chunkSize: PIECE_BYTES, writableHighWaterMark: 1 };
/** What a decoder has to support, and no more (RFC 8878, section 3.1.1.1.2): 8 MiB. */
const ZSTD_WINDOW = { params: { [constants.ZSTD_d_windowLogMax]: 23 } };

const MIB = 1024 * 1024;
/** What a decoder holds before its window is filled: its state and pieces under way. Enough for the 32 KiB of deflate. */
const OPENING_BYTES = 256 * 1024;
/** The window and two blocks of 128 KiB. */
const ZSTD_BYTES = 9 * MIB;
/** A window of 16 MiB and the tables of codes. Source: RFC 7932, sections 3 and 9.1. */
const BROTLI_BYTES = 20 * MIB;
/** Of it, tables of codes: one with a single symbol, of 256 entries of 4 bytes, is sent in 12 bits. Source: RFC 7932, section 3.4. */
const TABLE_BYTES = { perByte: 1024, most: 4 * MIB };

interface Decoder extends Transform {
  /** That it has made something of. */
  readonly bytesWritten: number;
}

interface Coding {
  /** What a decoder may hold, in bytes. */
  readonly heldBytes: number;
  open(): Decoder;
}

const GZIP: Coding = { heldBytes: OPENING_BYTES, open: () => createGunzip(PIECES) };
const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ['gzip', GZIP],
  ['x-gzip', GZIP],
  ['deflate', { heldBytes: OPENING_BYTES, open: () => createInflate(PIECES) }],
  ['br', { heldBytes: BROTLI_BYTES, open: () => createBrotliDecompress(PIECES) }],
  ['zstd', { heldBytes: ZSTD_BYTES, open: () => createZstdDecompress({ ...PIECES, ...ZSTD_WINDOW }) }],
]);

const codingOf = (encoding: string): Coding | undefined => CODINGS.get(encoding.trim().toLowerCase());

/** What `unpackPieces` takes of memory at most, in bytes; 0 for an encoding that is not known. */
export const decoderBytes = (encoding: string): number => codingOf(encoding)?.heldBytes ?? 0;

/** Content codings that `unpack` knows (RFC 9110, section 8.4.1), the registered names only. */
export const KNOWN_ENCODINGS: readonly string[] = ['gzip', 'deflate', 'br', 'zstd'];

/** Whether `unpack` knows the content coding. */
export const isKnownEncoding = (encoding: string): boolean => codingOf(encoding) !== undefined;

/** Whether the value of a `content-encoding` header says that a body is compressed. */
export const isPacked = (encoding: string | undefined): encoding is string =>
  encoding !== undefined && encoding !== '' && encoding.toLowerCase() !== 'identity';

/** The whole of what the bytes stand for. `encoding`: one content coding, in any case. */
export async function unpack(
  bytes: Buffer,
  encoding: string,
  { maxBytes, memory }: UnpackLimits,
): Promise<Result<Buffer, UnpackProblem>> {
  const decoder = codingOf(encoding)?.open();
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
  /** Holds what a decoder does, until the last piece or the end of the reading. */
  readonly memory: ByteAccount;
  /** Takes all that a decoder may hold before the first piece, where it is too late for a refusal afterwards. */
  readonly wholeAtOnce?: boolean;
}

/** What arrives stands for more than it may, cannot be unpacked, or there is no memory for a decoder. */
export class UnpackFailure extends Error {
  override readonly name = 'UnpackFailure';
  readonly kind: UnpackProblem['kind'];

  constructor(kind: UnpackFailure['kind']) {
    super(`The bytes are not unpacked: ${kind}`);
    this.kind = kind;
  }
}

/** What a decoder holds, as memory counts it. */
class Holding {
  readonly #memory: ByteAccount;
  #bytes = 0;
  #isEnded = false;

  constructor(memory: ByteAccount) {
    this.#memory = memory;
  }

  /** Throws UnpackFailure. */
  set(bytes: number): void {
    if (this.#isEnded) return; // a source may go on until its next piece
    if (bytes > this.#bytes && !this.#memory.take(bytes - this.#bytes)) throw new UnpackFailure('no-memory');
    if (bytes < this.#bytes) this.#memory.give(this.#bytes - bytes);
    this.#bytes = bytes;
  }

  end(): void {
    this.set(0);
    this.#isEnded = true;
  }
}

/**
 * What pieces stand for, piece by piece: some of 64 KiB are held, whatever the whole is, and the window of the decoder. Throws
 * UnpackFailure, for the unknown encoding and without memory for a decoder that waits at once, and what the source throws.
 */
export function unpackPieces(
  source: AsyncIterable<Buffer>,
  encoding: string,
  limits: PieceLimits,
): AsyncGenerator<Buffer> {
  const coding = codingOf(encoding);
  if (coding === undefined) throw new UnpackFailure('unknown-encoding');
  const holding = new Holding(limits.memory);
  holding.set(limits.wholeAtOnce === true ? coding.heldBytes : OPENING_BYTES);
  return unpackedBy(coding, source, { ...limits, holding });
}

interface Unpacking extends PieceLimits {
  readonly holding: Holding;
}

/** All that arrives is of the encoding: what follows its end would be lost. */
async function* unpackedBy(
  coding: Coding,
  source: AsyncIterable<Buffer>,
  { inflation, spareBytes, wholeAtOnce = false, holding }: Unpacking,
): AsyncGenerator<Buffer> {
  let left = spareBytes;
  let arrived = 0;
  let unpacked = 0;
  let hasEnded = false;
  let failed: { readonly error: unknown } | undefined;
  let isGiven = false; // what is thrown then is of the decoder
  const hold = (bytes: number): void => holding.set(wholeAtOnce ? coding.heldBytes : Math.min(coding.heldBytes, bytes));
  const counted = async function* () {
    try {
      for await (const piece of source) {
        left += piece.length * inflation;
        arrived += piece.length;
        hold(waitingBytes(arrived, unpacked));
        isGiven = true;
        yield piece;
        isGiven = false;
        hold(waitingBytes(arrived, unpacked));
      }
      hasEnded = true;
    } catch (error) {
      if (!isGiven) failed = { error };
      throw error;
    }
  };
  const decoder = coding.open();
  pipeline(counted(), decoder, () => undefined); // what ends it ends the loop below
  try {
    for await (const piece of decoder as AsyncIterable<Buffer>) {
      left -= piece.length;
      unpacked += piece.length;
      if (left < 0) throw new UnpackFailure('too-large');
      const isFirstOfMore = isGiven && piece.length >= PIECE_BYTES; // a few bytes may fill the window at once
      hold(isFirstOfMore ? coding.heldBytes : waitingBytes(arrived, unpacked));
      yield piece;
    }
    if (!hasEnded || decoder.bytesWritten !== arrived) throw new UnpackFailure('broken');
  } catch (error) {
    if (error instanceof UnpackFailure) throw error;
    throw failed === undefined ? new UnpackFailure('broken') : failed.error;
  } finally {
    decoder.destroy();
    holding.end();
  }
}

/** What a decoder holds that has made pieces of all that has arrived. */
const waitingBytes = (arrived: number, unpacked: number): number =>
  OPENING_BYTES + unpacked + Math.min(TABLE_BYTES.most, arrived * TABLE_BYTES.perByte);
