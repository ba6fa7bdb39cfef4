/** Lines of bytes while they arrive; only a line feed ends one. */

/** A line has more bytes than it may have. */
export class LineTooLong extends Error {
  override readonly name = 'LineTooLong';
  /** From 1. */
  readonly number: number;

  constructor(number: number) {
    super(`Line ${number} is too long`);
    this.number = number;
  }
}

const LF = 0x0a;
const CR = 0x0d;

/**
 * Without their ends; empty lines, too. What comes behind the last end is a line where it is not empty. Throws LineTooLong for a line of
 * more bytes, or leaves it out.
 */
export async function* linesOf(
  source: AsyncIterable<Buffer>,
  maxBytes: number,
  { leavesOutLong = false } = {},
): AsyncGenerator<Buffer> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let number = 1;
  const hold = (piece: Buffer): void => {
    heldBytes += piece.length;
    if (heldBytes <= maxBytes) held.push(piece);
    else if (leavesOutLong) held = [];
    else throw new LineTooLong(number);
  };
  const take = (): Buffer => {
    const [only] = held;
    const line = held.length === 1 && only !== undefined ? only : Buffer.concat(held);
    held = [];
    heldBytes = 0;
    number += 1;
    return line.at(-1) === CR ? line.subarray(0, -1) : line;
  };
  for await (const piece of source) {
    let from = 0;
    for (let end = piece.indexOf(LF); end >= 0; end = piece.indexOf(LF, from)) {
      hold(piece.subarray(from, end));
      from = end + 1;
      if (heldBytes <= maxBytes) yield take();
      else take();
    }
    hold(piece.subarray(from));
  }
  if (heldBytes > 0 && heldBytes <= maxBytes) yield take();
}
