/** Texts made comparable: one form for digits, dashes, spaces and full-width characters, nothing invisible. */

export interface Folded {
  readonly text: string;
  /** Position in the original of a position in `text`. */
  original(index: number): number;
}

/** Work between two looks at the clock, in characters. */
const CHUNK = 16_384;

const NON_ASCII = /[\u0080-\uffff]/;
const SPACE = 0x20;
const HYPHEN = 0x2d;
const DOT = 0x2e;
const ZERO = 0x30;
const REMOVED = -1;

/** First digits of the scripts whose digits people write numbers with. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50];
const FULL_WIDTH = { first: 0xff01, last: 0xff5e, distance: 0xfee0 };
/** Dashes, and the minus sign. */
const DASHES = new Set([0x2010, 0x2011, 0x2012, 0x2013, 0x2014, 0x2015, 0x2212, 0xfe58, 0xfe63]);
const SPACES = new Set([0x00a0, 0x202f, 0x205f, 0x3000]);
const ONE_DOT_LEADER = 0x2024;

/** Soft hyphens, zero-width and directional characters, variation selectors. */
const isInvisible = (code: number): boolean =>
  code === 0x00ad ||
  code === 0x180e ||
  (code >= 0x200b && code <= 0x200f) ||
  (code >= 0x202a && code <= 0x202e) ||
  (code >= 0x2060 && code <= 0x2069) ||
  (code >= 0xfe00 && code <= 0xfe0f) ||
  code === 0xfeff;

/** The character that stands for a UTF-16 unit, or -1 where nothing does. */
function foldUnit(code: number): number {
  if (code < 0x80) return code;
  if (isInvisible(code)) return REMOVED;
  if (code >= FULL_WIDTH.first && code <= FULL_WIDTH.last) return code - FULL_WIDTH.distance;
  if (DASHES.has(code)) return HYPHEN;
  if (SPACES.has(code) || (code >= 0x2000 && code <= 0x200a)) return SPACE;
  if (code === ONE_DOT_LEADER) return DOT;
  const zero = ZEROS.find((first) => code >= first && code < first + 10);
  return zero === undefined ? code : ZERO + code - zero;
}

/** Numbers that stand for themselves below `count`, with room for `size`. */
function identity(count: number, size: number): Uint32Array {
  const numbers = new Uint32Array(size);
  for (let i = 0; i < count; i++) numbers[i] = i;
  return numbers;
}

/** ASCII is returned as it is; `turn` is awaited between slices of long texts. */
export async function foldText(text: string, turn: () => Promise<void>): Promise<Folded> {
  if (!NON_ASCII.test(text)) return { text, original: (index) => index };
  const units = new Uint16Array(text.length);
  let origins: Uint32Array | undefined;
  let length = 0;
  for (let at = 0; at < text.length; at++) {
    if (at % CHUNK === CHUNK - 1) await turn();
    const unit = foldUnit(text.charCodeAt(at));
    if (unit === REMOVED) {
      origins ??= identity(at, text.length + 1);
      continue;
    }
    if (origins !== undefined) origins[length] = at;
    units[length++] = unit;
  }
  if (origins !== undefined) origins[length] = text.length;
  const folded = Buffer.from(units.buffer, 0, length * 2).toString('utf16le');
  const map = origins;
  return { text: folded, original: map === undefined ? (index) => index : (index) => map[index] ?? text.length };
}
