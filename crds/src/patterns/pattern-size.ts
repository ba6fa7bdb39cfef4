/**
 * Estimates the size of a pattern's program from its text. The costs of compiling, running and keeping a pattern grow with its
 * program, so the size must be known before anything is compiled. A class is one step of the program, but it costs time
 * and memory for each of its ranges, and under `(?i)` for each of its characters: it counts as that many steps.
 */

/** Steps that every program has. */
const FIXED = 3;
/** Factor of `(?i)` for the costs below. It is applied to the whole pattern, wherever the flag is. */
const FOLDED = 4;
/** Cost of a named Unicode class beside its one step: it has hundreds of ranges. */
const UNICODE_CLASS = 20;
/** Cost of `\\w`, `[:alpha:]` and similar classes beside their one step: a few ranges. */
const NAMED_CLASS = 1;
/** Under `(?i)` each character of a range is looked up for its other cases: this many cost one step. */
const CHARACTERS_PER_STEP = 50;
/** Single characters and range ends of a class that cost one step. */
const MEMBERS_PER_STEP = 8;
/** The last character that has another case; later ones are not looked up. */
const LAST_CASED = 125_251;
/** Larger sizes are all refused; the cap keeps products exact. */
const CAP = 1_000_000;

/** Quoted text, classes, escapes, quantifiers, single characters: one alternative always matches, so there is no backtracking. */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pP](?:\{[^}]{0,50}\}|.)|\\x\{[0-9a-fA-F]*\}|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?|\\.|\{\d{1,9}(?:,\d{0,9})?\}[?+]?|[*+?][?+]?|./gsu;
/** Flags that contain `i`, set or cleared; also matches text that only looks like flags. */
const FOLDING = /\(\?[a-zA-Z-]*i/;
/** The members of a class. */
const MEMBER =
  /\[:\^?\w+:\]|\\[pP](?:\{[^}]{0,50}\}|.)|\\x\{([0-9a-fA-F]+)\}|\\x([0-9a-fA-F]{2})|\\([0-7]{1,3})|\\.|(.)/gsu;
const REPEAT = /^\{(\d+)(?:(,)(\d*))?\}/;

/**
 * An upper bound of the program's size in steps; repetitions multiply what they repeat. Linear in the length of the text, which may
 * be an invalid pattern.
 */
export function estimatePatternSize(pattern: string): number {
  const outer: number[] = []; // sizes of what comes before each open group
  let before = 0; // size so far of the current group
  let last = 0; // size of its last part, to which a quantifier applies
  const folded = FOLDING.test(pattern);
  for (const [token] of pattern.matchAll(TOKEN)) {
    if (token === '(') {
      outer.push(before + last);
      before = 3; // both ends, and one step for an empty group
      last = 0;
    } else if (token === ')') {
      last += before;
      before = outer.pop() ?? 0;
    } else if (isQuantifier(token)) {
      last = Math.min(CAP, repeated(last, token));
    } else {
      before = Math.min(CAP, before + last);
      last = sizeOf(token, folded);
    }
  }
  return Math.min(CAP, FIXED + outer.reduce((sum, size) => sum + size, before + last));
}

const isQuantifier = (token: string): boolean => /^(?:\{\d|[*+?])/.test(token);

function repeated(size: number, token: string): number {
  const [, min, open, max] = REPEAT.exec(token) ?? [];
  if (min === undefined) return size + 2; // the second for a repeated part that may be empty
  const times = Math.max(1, Number(min), Number(max ?? 0));
  return size * times + (open === undefined ? 0 : times + 2); // each optional one is a step of its own
}

function sizeOf(token: string, folded: boolean): number {
  if (token === '|') return 2; // one step, and one for a side that may be empty
  if (token.startsWith('\\Q')) return Math.max(1, token.length - 2);
  if (token.startsWith('[')) return 1 + classSize(token, folded);
  return token.startsWith('\\') ? 1 + namedSize(token, folded) : 1;
}

function namedSize(token: string, folded: boolean): number {
  const size = /^\\[pP]/.test(token) ? UNICODE_CLASS : /^(?:\\[dDsSwW]|\[:)/.test(token) ? NAMED_CLASS : 0;
  return folded ? size * FOLDED : size;
}

/** The content of the brackets; every hyphen counts as a range. */
function classSize(token: string, folded: boolean): number {
  const members = [...token.slice(1).matchAll(MEMBER)];
  const points = members.map(codePoint);
  const named = members.reduce((sum, [text]) => sum + namedSize(text, folded), 0);
  const listed = Math.floor((folded ? members.length * FOLDED : members.length) / MEMBERS_PER_STEP);
  return named + listed + (folded ? Math.ceil(foldedCharacters(members, points) / CHARACTERS_PER_STEP) : 0);
}

function foldedCharacters(members: readonly RegExpExecArray[], points: readonly number[]): number {
  return members.reduce((sum, [text], at) => {
    if (text !== '-') return sum;
    const from = points[at - 1] ?? 0;
    const to = Math.min(points[at + 1] ?? 0, LAST_CASED);
    return sum + Math.max(0, to - from);
  }, 0);
}

/** The code point; 0 for other escapes and named classes, whose cost is counted elsewhere. */
function codePoint([, braced, hex, octal, sign]: RegExpExecArray): number {
  if (braced !== undefined || hex !== undefined) return Number.parseInt(braced ?? hex ?? '', 16);
  return octal === undefined ? (sign?.codePointAt(0) ?? 0) : Number.parseInt(octal, 8);
}
