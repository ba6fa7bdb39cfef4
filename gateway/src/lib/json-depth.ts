const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSE: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/** Levels of nesting in valid JSON text; counting stops beyond `limit`. Strings are skipped, not read. */
export function jsonDepth(text: Buffer, limit: number): number {
  let depth = 0;
  let deepest = 0;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at] ?? 0;
    if (byte === QUOTE) at = stringEnd(text, at);
    else if (OPEN.has(byte)) {
      depth += 1;
      if (depth > deepest) deepest = depth;
      if (deepest > limit) return deepest;
    } else if (CLOSE.has(byte)) depth -= 1;
  }
  return deepest;
}

/** The index of the quote that ends the string begun at `start`. */
function stringEnd(text: Buffer, start: number): number {
  let at = start;
  for (;;) {
    at = text.indexOf(QUOTE, at + 1);
    if (at < 0) return text.length;
    let slashes = 0;
    while (text[at - 1 - slashes] === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
}
