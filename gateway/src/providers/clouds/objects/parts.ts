/** Parts of an upload: one of them is in memory at a time. */

/** S3 takes 10,000 parts of 5 MiB at least; GCS multiples of 256 KiB. */
export const PART_BYTES = 10 * 1024 * 1024;

export interface Part {
  readonly bytes: Buffer;
  readonly isLast: boolean;
}

/** Pieces of the size of a part; the last one may be shorter. They share memory: one is used before the next is asked for. */
export async function* partsOf(source: AsyncIterable<Buffer>): AsyncGenerator<Part> {
  const part = Buffer.allocUnsafeSlow(PART_BYTES);
  let filled = 0;
  for await (const piece of source) {
    for (let from = 0; from < piece.length; ) {
      if (filled === PART_BYTES) {
        yield { bytes: part, isLast: false };
        filled = 0;
      }
      const copied = piece.copy(part, filled, from);
      filled += copied;
      from += copied;
    }
  }
  if (filled > 0) yield { bytes: part.subarray(0, filled), isLast: true };
}
