/** Names in one list: bounds the work per header. */
const MAX_NAMES = 64;

/** Reads `a, b`, `["a","b"]` and `['a','b']`: lower-case names. */
export function parseHeaderList(text: string): readonly string[] {
  return text
    .replace(/^\s*\[|\]\s*$/g, '')
    .split(',')
    .slice(0, MAX_NAMES)
    .map((name) =>
      name
        .trim()
        .replace(/^["']|["']$/g, '')
        .toLowerCase(),
    )
    .filter((name) => name !== '');
}
