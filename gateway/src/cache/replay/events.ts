/** Characters of one piece. */
const SLICE_CHARACTERS = 500;

export const DONE = 'data: [DONE]\n\n';

/** One server-sent event. */
export function toEvent(data: object, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
}

/** Cuts text in pieces, never between the halves of a surrogate pair. Empty text has no pieces. */
export function slicesOf(text: string): readonly string[] {
  const slices: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = start + SLICE_CHARACTERS;
    const safe = end < text.length && isPair(text, end) ? end - 1 : end;
    slices.push(text.slice(start, safe));
    start = safe;
  }
  return slices;
}

const isPair = (text: string, at: number): boolean =>
  /^[\uD800-\uDBFF]$/.test(text.charAt(at - 1)) && /^[\uDC00-\uDFFF]$/.test(text.charAt(at));
