import type { AppError } from '../../errors/index.ts';
import type { Frame } from '../contract.ts';

/** Largest event a stream may hold back before it is complete, in bytes: bounds the memory of one stream. */
export const MAX_FRAME_BYTES = 8 * 1024 * 1024;

/** Cuts the bytes of a stream into frames, whatever the network split them at. One per stream. */
export interface FrameReader {
  /** Throws AppError `UPSTREAM_STREAM_BROKEN` when the bytes cannot be framed and no frame precedes what is broken. */
  push(bytes: Uint8Array): readonly Frame[];
  /** Why nothing can be read behind the frames that `push` gave. */
  readonly broken?: AppError | undefined;
  /** The stream ended: what was held back, if it makes a frame. */
  end(): readonly Frame[];
}
