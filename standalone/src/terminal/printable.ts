/** Text from elsewhere on its way to a terminal: nothing in it may act on the terminal or change what a reader sees. */

/**
 * Control characters (C0, DEL, C1), marks that reorder or hide text (zero width, bidirectional), line and paragraph separators, and
 * halves of surrogate pairs.
 */
const UNSAFE =
  /[\p{Cc}\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]|\p{Cs}/gu;

const NAMED: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

/** The text in one line, with every character that is not shown as it is replaced by its escape. */
export const toPrintable = (text: string): string => text.replace(UNSAFE, toEscape);

function toEscape(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const hex = code.toString(16);
  return NAMED.get(character) ?? (code > 0xffff ? `\\u{${hex}}` : `\\u${hex.padStart(4, '0')}`);
}

/** The same with at most so many characters; what is left out shows as three dots. */
export function toShort(text: string, maxChars: number): string {
  const printable = toPrintable(text.slice(0, maxChars + 1));
  return printable.length <= maxChars ? printable : `${printable.slice(0, maxChars - 3)}...`;
}
