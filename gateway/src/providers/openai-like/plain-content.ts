/** Contents that are stored compressed: providers are not asked to compress what they send. */
import { isPacked, KNOWN_ENCODINGS, type PieceLimits, UnpackFailure, unpackPieces } from '../../lib/unpack.ts';
import type { Call, OpenedAnswer } from '../contract.ts';
import { invalidResponse } from '../engine/index.ts';

const LIMITS: PieceLimits = { inflation: 200, spareBytes: 16 * 1024 * 1024 };

/**
 * The content as it was before it was compressed. `what`: its name in errors. Throws UPSTREAM_INVALID_RESPONSE for an encoding that is not known, and
 * while it is read.
 */
export function plainContent({ headers, content }: OpenedAnswer, what: string, call: Call): AsyncIterable<Buffer> {
  const given = headers['content-encoding'];
  const encoding = Array.isArray(given) ? given.join(', ') : given;
  if (!isPacked(encoding)) return content;
  const refused = (error: unknown): unknown =>
    error instanceof UnpackFailure ? invalidResponse(call, `${what} ${problemOf(error, encoding)}`) : error;
  try {
    return refusing(unpackPieces(content, encoding, LIMITS), refused);
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

function problemOf({ kind }: UnpackFailure, encoding: string): string {
  switch (kind) {
    case 'unknown-encoding': {
      const name = NAMES.test(encoding) ? ` (${encoding})` : '';
      return `has a content-encoding that is not known${name}: it must be one of ${KNOWN_ENCODINGS.join(', ')}, or none`;
    }
    case 'broken':
      return 'is not of the content-encoding that its header names, or is cut off';
    case 'too-large':
      return `is unpacked to more than ${LIMITS.spareBytes} bytes and ${LIMITS.inflation} for each byte that has arrived`;
  }
}
