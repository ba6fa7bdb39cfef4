/** Compressed forms and files, unpacked while they arrive; docs/behaviour/requests.md#bodies. */
import type { IncomingMessage } from 'node:http';
import { finished, Readable } from 'node:stream';
import { AppError } from '../../errors/index.ts';
import { type PieceLimits, UnpackFailure, unpackPieces } from '../../lib/unpack.ts';
import { createStreamedBody, type StreamedBodyOptions } from './streamed-body.ts';
import { unpackRefusal } from './unpack-body.ts';

/** A text that repeats itself has fewer than 100 bytes for one; the rest is room for what does so from its beginning. */
const RATIO = { inflation: 200, spareBytes: 16 * 1024 * 1024 } satisfies Partial<PieceLimits>;
/** What is unpacked before it is asked for. */
const AHEAD_BYTES = 64 * 1024;

export interface UnpackedOptions extends Pick<StreamedBodyOptions, 'progress' | 'memory' | 'onPull'> {
  /** Of what it stands for. */
  readonly maxBytes: number;
}

/**
 * What the bytes of the message stand for; the progress is that of the client's bytes. Throws CONTENT_ENCODING_INVALID and MEMORY_EXHAUSTED;
 * ends with the first of these, BODY_TOO_LARGE, BODY_STALLED or CLIENT_CLOSED.
 */
export function unpackedSource(message: IncomingMessage, encoding: string, options: UnpackedOptions): Readable {
  const { maxBytes, memory, progress, onPull } = options;
  const arriving = { replayBytes: 0, bytes: undefined, progress, memory, ...(onPull === undefined ? {} : { onPull }) };
  const packed: AsyncIterable<Buffer> = createStreamedBody(message, arriving).open();
  const pieces = opened(packed, encoding, options);
  const source = Readable.from(limited(pieces, maxBytes), { objectMode: false, highWaterMark: AHEAD_BYTES });
  // Also where nobody reads on.
  finished(message, { writable: false }, (cause) => {
    if (cause != null) source.destroy(new AppError('CLIENT_CLOSED', { cause }));
  });
  return source;
}

function opened(packed: AsyncIterable<Buffer>, encoding: string, { memory }: UnpackedOptions): AsyncIterable<Buffer> {
  try {
    return unpackPieces(packed, encoding, { ...RATIO, memory });
  } catch (error) {
    throw refusal(error);
  }
}

async function* limited(pieces: AsyncIterable<Buffer>, maxBytes: number): AsyncGenerator<Buffer> {
  let left = maxBytes;
  try {
    for await (const piece of pieces) {
      left -= piece.length;
      if (left < 0) throw tooLarge(`more than ${maxBytes} bytes (GATEHOUSE_MAX_FORM_BYTES)`);
      yield piece;
    }
  } catch (error) {
    throw refusal(error);
  }
}

const refusal = (error: unknown): unknown => {
  if (!(error instanceof UnpackFailure)) return error;
  const { inflation, spareBytes } = RATIO;
  const bound = `more than ${spareBytes} bytes and ${inflation} for each byte that has arrived`;
  const problem = error.kind === 'broken' ? { kind: error.kind, cause: error } : { kind: error.kind };
  return unpackRefusal(problem, () => tooLarge(bound));
};

const tooLarge = (bound: string): AppError =>
  new AppError('BODY_TOO_LARGE', { param: 'content-encoding', detail: `The request body is unpacked to ${bound}` });
