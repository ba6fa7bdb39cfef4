import { AvroProblem } from './problem.ts';

/** Where in the bytes is read next. */
export interface Cursor {
  readonly bytes: Buffer;
  at: number;
}

const PAYLOAD = 0x7f;
const BASE = 0x80;
/** Of 64 bits, in groups of 7. */
const MAX_GROUPS = 10;

/** An `int` or a `long`: zigzag, least significant group first. What JavaScript has no integer for is rounded. Throws AvroProblem. */
export function readLong(cursor: Cursor): number {
  const first = byteOf(cursor);
  const isNegative = first % 2 === 1;
  // The lowest bit is the sign: without it, safe integers stay exact.
  let value = Math.floor((first & PAYLOAD) / 2);
  let scale = BASE / 2;
  let byte = first;
  for (let groups = 1; byte >= BASE; groups += 1) {
    if (groups === MAX_GROUPS) throw new AvroProblem('a number is too long');
    byte = byteOf(cursor);
    value += (byte & PAYLOAD) * scale;
    scale *= BASE;
  }
  return isNegative ? -value - 1 : value;
}

function byteOf(cursor: Cursor): number {
  const byte = cursor.bytes[cursor.at];
  if (byte === undefined) throw new AvroProblem('a value ends too early');
  cursor.at += 1;
  return byte;
}
