/** Where a text is not JSON, for people who wrote it. */

/** Longer texts are not searched: they were not typed. */
const MAX_SEARCHED_BYTES = 1024 * 1024;
const LINE_END = 0x0a;

/** Whole tokens of JSON and white space (RFC 8259). */
const TOKENS = [
  /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*"/uy,
  /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y,
  /[{}[\],: \t\n\r]+/y,
] as const;

/** The offset of the first token that is none, in characters, of a text whose punctuation is right; undefined: not found. */
export function findMistake(text: string): number | undefined {
  if (text.length > MAX_SEARCHED_BYTES) return undefined;
  let at = 0;
  while (at < text.length) {
    const end = tokenEnd(text, at);
    if (end === undefined) return at;
    at = end;
  }
  return undefined;
}

function tokenEnd(text: string, at: number): number | undefined {
  for (const token of TOKENS) {
    token.lastIndex = at;
    if (token.test(text)) return token.lastIndex;
  }
  return undefined;
}

/** Where an offset is in a text, as an editor counts, both from 1: `line 3, column 14`. */
export function placeInText(bytes: Buffer, offset: number): string {
  if (offset > MAX_SEARCHED_BYTES) return `byte ${offset + 1}`;
  const before = bytes.subarray(0, offset);
  let line = 1;
  for (const byte of before) if (byte === LINE_END) line += 1;
  const column = before.subarray(before.lastIndexOf(LINE_END) + 1).toString('utf8').length + 1;
  return `line ${line}, column ${column}`;
}
