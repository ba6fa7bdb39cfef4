/** Contents that are stored compressed: providers are not asked to compress what they send. */
import { memoryExhausted } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import {
  decoderBytes,
  isPacked,
  KNOWN_ENCODINGS,
  type PieceLimits,
  UnpackFailure,
  unpackPieces,
} from '../../lib/unpack.ts';
import type { Call, OpenedAnswer } from '../contract.ts';
import { invalidResponse } from '../engine/index.ts';

/** An answer that has begun cannot be refused. */
const LIMITS = { inflation: 200, spareBytes: 16 * 1024 * 1024, wholeAtOnce: true } satisfies Partial<PieceLimits>;

export interface ContentUse {
  readonly call: Call;
  /** Its name in errors. */
  readonly what: string;
  /** Holds the window of a decoder. */
  readonly memory: ByteAccount;
}

export interface PlainContent {
  readonly content: AsyncIterable<Buffer>;
  /** What `memory` holds of it, in bytes, until it was read. */
  readonly held?: number;
}

/**
 * The content as it was before it was compressed. Throws UPSTREAM_INVALID_RESPONSE for an encoding that is not known and while it is read,
 * and MEMORY_EXHAUSTED.
 */
export function plainContent({ headers, content }: OpenedAnswer, { call, what, memory }: ContentUse): PlainContent {
  const given = headers['content-encoding'];
  const encoding = Array.isArray(given) ? given.join(', ') : given;
  if (!isPacked(encoding)) return { content };
  const refused = (error: unknown): unknown => {
    if (!(error instanceof UnpackFailure)) return error;
    const problem = problemOf(error, encoding);
    return problem === undefined ? memoryExhausted() : invalidResponse(call, `${what} ${problem}`);
  };
  try {
    const unpacked = unpackPieces(content, encoding, { ...LIMITS, memory });
    return { content: refusing(unpacked, refused), held: decoderBytes(encoding) };
  } catch (error) {
    throw refused(error);
  }
}

async function* refusing(content: AsyncIterable<Buffer>, refused: (error: unknown) => unknown): AsyncGenerator<Buffer> {
  try {
    yield* content;
  } catch (error) {
    throw refused(error);
  }
}

/** Names of content codings, RFC 9110 section 5.6.2. */
const NAMES = /^[\w!#$%&'*+.^`|~-]{1,32}(?:, ?[\w!#$%&'*+.^`|~-]{1,32}){0,3}$/;

/** Undefined: it is not the content that is wrong. */
function problemOf({ kind }: UnpackFailure, encoding: string): string | undefined {
  switch (kind) {
    case 'unknown-encoding': {
      const name = NAMES.test(encoding) ? ` (${encoding})` : '';
      return `has a content-encoding that is not known${name}: it must be one of ${KNOWN_ENCODINGS.join(', ')}, or none`;
    }
    case 'broken':
      return 'is not of the content-encoding that its header names, is cut off, or something follows it';
    case 'too-large':
      return `is unpacked to more than ${LIMITS.spareBytes} bytes and ${LIMITS.inflation} for each byte that has arrived`;
    case 'no-memory':
      return undefined;
  }
}
