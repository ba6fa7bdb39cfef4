/** Where a text may be cut. */

/** Characters in which a border is moved back to the end of a word. */
const WORD_CHARS = 64;
const SPACE = /\s/;
/** What keys and tokens consist of. */
const RUN = /[\w./+=~-]/;

/** The end of the last word before `end`, or `end` where there is none nearby. */
export function wordEnd(text: string, end: number): number {
  for (let at = end; at > 0 && at > end - WORD_CHARS; at -= 1) {
    if (SPACE.test(text[at - 1] ?? '')) return at;
  }
  return Math.max(0, splitsPair(text, end) ? end - 1 : end);
}

/** Whether the halves of a surrogate pair are on both sides. */
export const splitsPair = (text: string, at: number): boolean => /^[\ud800-\udbff]$/.test(text[at - 1] ?? '');

/** Whether the characters on both sides may belong to one key or token. */
export const splitsRun = (text: string, at: number): boolean => isRun(text, at - 1) && isRun(text, at);

/**
 * Where the key or token that has `at` inside, and goes on to the end of the text, may begin; `at` where there is none, or where
 * it begins before `from` or has more than `most` characters.
 */
export function openRunStart(text: string, at: number, { from, most }: { from: number; most: number }): number {
  for (let next = at; next < text.length; next += 1) if (!isRun(text, next)) return at;
  const first = Math.max(from, text.length - most);
  let start = at;
  while (start > first && isRun(text, start - 1)) start -= 1;
  return start > 0 && isRun(text, start - 1) ? at : start;
}

/** How many characters two texts end with alike. */
export function sameEnd(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[a.length - 1 - same] === b[b.length - 1 - same]) same += 1;
  return same;
}

/** How many characters two texts begin with alike. */
export function sameStart(a: string, b: string): number {
  const most = Math.min(a.length, b.length);
  let same = 0;
  while (same < most && a[same] === b[same]) same += 1;
  return same;
}

const isRun = (text: string, at: number): boolean => RUN.test(text[at] ?? '');
