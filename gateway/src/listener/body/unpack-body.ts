/** JSON bodies that a client compressed; docs/behaviour/requests.md#bodies. */
import { AppError, memoryExhausted } from '../../errors/index.ts';
import { isPacked, KNOWN_ENCODINGS, type UnpackLimits, unpack } from '../../lib/unpack.ts';
import { tooLarge } from './read-bytes.ts';

const param = 'content-encoding';

/** What the bytes stand for, in their place in the memory account. Rejects with CONTENT_ENCODING_INVALID, BODY_TOO_LARGE or MEMORY_EXHAUSTED. */
export async function unpackBody(bytes: Buffer, encoding: string, limits: UnpackLimits): Promise<Buffer> {
  const unpacked = await unpack(bytes, encoding, limits);
  if (unpacked.ok) {
    limits.memory.give(bytes.length);
    return unpacked.value;
  }
  switch (unpacked.error.kind) {
    case 'unknown-encoding':
      throw new AppError('CONTENT_ENCODING_INVALID', {
        param,
        detail: `The content-encoding of the request body is not supported; send one of ${KNOWN_ENCODINGS.join(', ')}, or none`,
      });
    case 'broken':
      throw new AppError('CONTENT_ENCODING_INVALID', {
        param,
        detail: 'The request body is not of the content-encoding that the header names, or is cut off',
        cause: unpacked.error.cause,
      });
    case 'too-large':
      throw tooLarge(limits.maxBytes);
    case 'no-memory':
      throw memoryExhausted();
  }
}

/** Throws CONTENT_ENCODING_INVALID for a compressed form: its fields have to be read while it is sent on. */
export function refusePackedForm(encoding: string | undefined): void {
  if (!isPacked(encoding)) return;
  throw new AppError('CONTENT_ENCODING_INVALID', {
    param,
    detail: 'The form is compressed; send it without content-encoding',
  });
}
