/**
 * How large the program of a pattern gets, told from its text: compiling a pattern, running it and keeping it cost as much
 * as its program is large, so the size must be known before anything is compiled. A class is one step of a program whatever
 * it holds, but it costs time and memory by its ranges, and under `(?i)` by its characters: it counts as so many steps.
 */

/** Steps that every program has. */
const FIXED = 3;
/** What `(?i)` multiplies the costs below by. Where in a pattern it holds is not looked at. */
const FOLDED = 4;
/** What a named class of Unicode costs beside its one step: hundreds of ranges. */
const UNICODE_CLASS = 20;
/** What `\\w`, `[:alpha:]` and the like cost beside it: a few ranges. */
const NAMED_CLASS = 1;
/** Under `(?i)` each character of a range is looked up for its other cases: so many cost a step. */
const CHARACTERS_PER_STEP = 50;
/** Characters that stand in a class, or begin or end a range of it, which cost a step. */
const MEMBERS_PER_STEP = 8;
/** The last character that has another case: what is beyond is not looked up. */
const LAST_CASED = 125_251;
/** Larger numbers tell nothing more; products stay far below where numbers lose their last digit. */
const CAP = 1_000_000;

/** Quoted text, classes, escapes, quantifiers, single characters: whatever begins, one of them fits, so nothing is tried twice. */
const TOKEN =
  /\\Q.*?(?:\\E|$)|\\[pP](?:\{[^}]{0,50}\}|.)|\\x\{[0-9a-fA-F]*\}|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]?|\\.|\{\d{1,9}(?:,\d{0,9})?\}[?+]?|[*+?][?+]?|./gsu;
/** Flags that contain `i`, set or taken away; whether the text is that of flags is not looked at. */
const FOLDING = /\(\?[a-zA-Z-]*i/;
/** What a class is made of. */
const MEMBER =
  /\[:\^?\w+:\]|\\[pP](?:\{[^}]{0,50}\}|.)|\\x\{([0-9a-fA-F]+)\}|\\x([0-9a-fA-F]{2})|\\([0-7]{1,3})|\\.|(.)/gsu;
const REPEAT = /^\{(\d+)(?:(,)(\d*))?\}/;

/**
 * An upper bound of the program's size in steps; repeats multiply what they repeat. Linear in the length of the text, which
 * need not be a valid pattern.
 */
export function estimatePatternSize(pattern: string): number {
  const outer: number[] = []; // sizes of what stands before each open group
  let before = 0; // of the group that is read
  let last = 0; // of its last part, to which a quantifier belongs
  const folded = FOLDING.test(pattern);
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
      last = sizeOf(token, folded);
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

/** What stands between the brackets; a hyphen counts as a range wherever it stands. */
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

/** Of an escape for a sign or a control character, or of a named class: 0, below all that costs something. */
function codePoint([, braced, hex, octal, sign]: RegExpExecArray): number {
  if (braced !== undefined || hex !== undefined) return Number.parseInt(braced ?? hex ?? '', 16);
  return octal === undefined ? (sign?.codePointAt(0) ?? 0) : Number.parseInt(octal, 8);
}
