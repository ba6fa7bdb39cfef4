/**
 * How large the program of a pattern gets, told from its text: compiling a pattern, running it and keeping it cost as much
 * as its program is large, so the size must be known before anything is compiled.
 */

/** Steps that every program has. */
const FIXED = 3;
/** What a named class of Unicode costs beside its one step: hundreds of ranges. */
const UNICODE_CLASS = 20;
/** Larger numbers tell nothing more; products stay far below where numbers lose their last digit. */
const CAP = 1_000_000;

/** Quoted text, classes, escapes, quantifiers, single characters: whatever begins, one of them fits, so nothing is tried twice. */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?|\\.|\{\d{1,9}(?:,\d{0,9})?\}[?+]?|[*+?][?+]?|./gsu;
const REPEAT = /^\{(\d+)(?:(,)(\d*))?\}/;

/**
 * An upper bound of the program's size in steps; repeats multiply what they repeat. Linear in the length of the text, which
 * need not be a valid pattern.
 */
export function estimatePatternSize(pattern: string): number {
  const outer: number[] = []; // sizes of what stands before each open group
  let before = 0; // of the group that is read
  let last = 0; // of its last part, to which a quantifier belongs
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      outer.push(before + last);
      before = 3; // both ends, and one step where nothing stands between them
      last = 0;
    } else if (token === ')') {
      last += before;
      before = outer.pop() ?? 0;
    } else if (isQuantifier(token)) {
      last = Math.min(CAP, repeated(last, token));
    } else {
      before = Math.min(CAP, before + last);
      last = sizeOf(token);
    }
  }
  return Math.min(CAP, FIXED + outer.reduce((sum, size) => sum + size, before + last));
}

const isQuantifier = (token: string): boolean => /^(?:\{\d|[*+?])/.test(token);

function repeated(size: number, token: string): number {
  const [, min, open, max] = REPEAT.exec(token) ?? [];
  if (min === undefined) return size + 2; // the second where what is repeated may be empty
  const times = Math.max(1, Number(min), Number(max ?? 0));
  return size * times + (open === undefined ? 0 : times + 2); // each optional one is a step of its own
}

function sizeOf(token: string): number {
  if (token === '|') return 2; // one step, and one for a side that may be empty
  if (token.startsWith('\\Q')) return Math.max(1, token.length - 2);
  if (!token.startsWith('[') && !token.startsWith('\\')) return 1;
  return 1 + UNICODE_CLASS * (token.match(/\\[pP]/g)?.length ?? 0);
}
