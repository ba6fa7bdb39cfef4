/** JSON bodies that a client compressed; docs/behaviour/requests.md#bodies. */
import { AppError, memoryExhausted } from '../../errors/index.ts';
import { KNOWN_ENCODINGS, type UnpackLimits, type UnpackProblem, unpack } from '../../lib/unpack.ts';
import { tooLarge } from './read-bytes.ts';

const param = 'content-encoding';

/** What the bytes stand for, in their place in the memory account. Rejects with CONTENT_ENCODING_INVALID, BODY_TOO_LARGE or MEMORY_EXHAUSTED. */
export async function unpackBody(bytes: Buffer, encoding: string, limits: UnpackLimits): Promise<Buffer> {
  const unpacked = await unpack(bytes, encoding, limits);
  if (!unpacked.ok) throw unpackRefusal(unpacked.error, () => tooLarge(limits.maxBytes));
  limits.memory.give(bytes.length);
  return unpacked.value;
}

/** The error for a body that is not unpacked. */
export function unpackRefusal(problem: UnpackProblem, beyond: () => AppError): AppError {
  switch (problem.kind) {
    case 'unknown-encoding':
      return new AppError('CONTENT_ENCODING_INVALID', {
        param,
        detail: `The content-encoding of the request body is not supported; send one of ${KNOWN_ENCODINGS.join(', ')}, or none`,
      });
    case 'broken':
      return new AppError('CONTENT_ENCODING_INVALID', {
        param,
        detail:
          'The request body is not of the content-encoding that the header names, is cut off, or something follows it',
        cause: problem.cause,
      });
    case 'too-large':
      return beyond();
    case 'no-memory':
      return memoryExhausted();
  }
}
