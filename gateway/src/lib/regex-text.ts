/** A text as the programs of RE2 see it: code points, and what is true between two of them. */

/** Flags of RE2 for the place between two characters. */
export const BEGIN_LINE = 1;
export const END_LINE = 2;
export const BEGIN_TEXT = 4;
export const END_TEXT = 8;
const WORD_BOUNDARY = 16;
const NO_WORD_BOUNDARY = 32;

const NEW_LINE = 10;

/** The code point at a position; -1 at the end. */
export const runeAt = (text: string, at: number): number => text.codePointAt(at) ?? -1;

/** Code units of a code point. */
export const widthOf = (rune: number): number => (rune > 0xffff ? 2 : 1);

/** The flags of the place before a position. */
export function contextAt(text: string, at: number): number {
  const before = at > 0 ? text.charCodeAt(at - 1) : -1;
  const after = at < text.length ? text.charCodeAt(at) : -1;
  let flags = isWord(before) === isWord(after) ? NO_WORD_BOUNDARY : WORD_BOUNDARY;
  if (before < 0) flags |= BEGIN_TEXT | BEGIN_LINE;
  else if (before === NEW_LINE) flags |= BEGIN_LINE;
  if (after < 0) flags |= END_TEXT | END_LINE;
  else if (after === NEW_LINE) flags |= END_LINE;
  return flags;
}

/** ASCII letters, digits and the underscore. */
const isWord = (code: number): boolean =>
  (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || (code >= 0x30 && code <= 0x39) || code === 0x5f;
