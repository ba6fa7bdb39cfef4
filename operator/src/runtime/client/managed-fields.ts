/**
 * Drops who set which field of an object, from its text: half of it, and nobody in this process reads it. Its names have escapes,
 * for which `parseJson` takes several times as long.
 */

/** How the API server begins an object, also in an event of a watch: what others have written comes later. */
const HEAD = /^(?:\{"type":"[A-Z]+","object":)?\{(?:"(?:kind|apiVersion)":"[^"\\]*",)*"metadata":\{/;
const MEMBER = '"managedFields":[';
const SIGN = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g;

/** The text of an object without `metadata.managedFields`, or as it is where that is not found. */
export function withoutManagedFields(text: string): string {
  const head = HEAD.exec(text);
  if (head === null || !text.includes(MEMBER)) return text;
  const from = memberStart(text, head[0].length);
  if (from === undefined) return text;
  const to = closing(text, from + MEMBER.length);
  // The comma behind the member goes with it; the last member, which has none, stays.
  return text[to] === ',' ? text.slice(0, from) + text.slice(to + 1) : text;
}

/** Where the member begins in the object whose first member begins at `at`. */
function memberStart(text: string, at: number): number | undefined {
  let depth = 0;
  SIGN.lastIndex = at;
  for (let sign = SIGN.exec(text); sign !== null && depth >= 0; sign = SIGN.exec(text)) {
    const [token] = sign;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 0 && text.startsWith(MEMBER, sign.index)) return sign.index;
  }
  return undefined;
}

/** The position after the bracket that closes the list whose first item begins at `at`. */
function closing(text: string, at: number): number {
  let depth = 1;
  SIGN.lastIndex = at;
  for (let sign = SIGN.exec(text); sign !== null; sign = SIGN.exec(text)) {
    const [token] = sign;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    if (depth === 0) return SIGN.lastIndex;
  }
  return text.length;
}
