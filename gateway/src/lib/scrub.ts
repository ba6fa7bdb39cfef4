/** Removes secret values from texts of an upstream that received them. */

export interface Scrubber {
  /** The same buffer when there is nothing to remove. */
  bytes(bytes: Buffer): Buffer;
  text(text: string): string;
  /** False: there is nothing to remove. Cheap where the text has many escapes. */
  mayFind(text: string): boolean;
}

const REPLACEMENT = '[redacted]';
/** Shorter values are not secrets and occur in any text. */
const MIN_LENGTH = 4;
/** Below this length, the part of base64 that does not depend on its neighbours is too short to be specific. */
const MIN_BASE64_LENGTH = 8;
/** In one text, with those in its encodings: a text with more is replaced as a whole. */
const MAX_FOUND = 100_000;

/**
 * Finds the values literally and as JSON, URLs, forms, HTML and base64 encode them, whichever characters are escaped, also
 * in the middle of a longer base64 text such as basic authentication. Linear in the text, which is replaced as a whole where
 * the values stand 100,000 times or more.
 */
export function compileScrubber(values: Iterable<string>): Scrubber {
  const wanted = [...values].filter((value) => value.length >= MIN_LENGTH);
  const needles = [...new Set(wanted.flatMap((value) => [value, ...base64Of(value)]).map(toLatin1))];
  const bytes = (given: Buffer): Buffer => {
    const text = given.toString('latin1'); // one character per byte: whatever is not taken out stays as it is
    const places = new Places(MAX_FOUND);
    for (const needle of needles) places.find(needle, text, asItIs);
    for (const escapes of ESCAPES) {
      const plain = unescaped(text, escapes);
      if (plain !== undefined) for (const needle of needles) places.find(needle, plain.text, plain.toSource);
    }
    if (places.isFull) return Buffer.from(REPLACEMENT);
    return places.spans.length === 0 ? given : Buffer.from(withoutSpans(text, places.spans), 'latin1');
  };
  const cores = [...new Set(needles.map(coreOf))];
  const isIn = (text: string): boolean => cores.some((core) => text.includes(core));
  const mayFind = (text: string): boolean => cores.length > 0 && (isIn(text) || decodings(text).some(isIn));
  return { bytes, text: (text) => bytes(Buffer.from(text)).toString(), mayFind };
}

/** The longest run of letters and digits, which encodings rarely touch. */
const coreOf = (needle: string): string =>
  (needle.match(/[A-Za-z0-9]+/g) ?? []).reduce((longest, run) => (run.length > longest.length ? run : longest), '');

/** The hex codes of letters and digits in ASCII. */
const ALNUM = '3[0-9]|[46][1-9a-f]|[57][0-9a]';
const LETTERS = {
  json: new RegExp(`\\\\u00(${ALNUM})`, 'gi'),
  url: new RegExp(`%(${ALNUM})`, 'gi'),
  decimal: /&#0{0,6}([0-9]{2,3});/g,
  hex: new RegExp(`&#x0{0,6}(${ALNUM});`, 'gi'),
};
const ANY_LETTER = new RegExp(`\\\\u00(?:${ALNUM})|%(?:${ALNUM})|&#`, 'gi');
const ANY_ESCAPE = /[\\%&+]/g;

/** Whether letters and digits are written as escapes more often than that: each is looked at by `mayFind`. */
export const hasMoreLetters = (text: string, max: number): boolean => countOf(ANY_LETTER, text, max) > max;

/** How many escapes there may be, which `bytes` and `text` look at each; above `max`: more. */
export const countEscapes = (text: string, max: number): number => countOf(ANY_ESCAPE, text, max);

function countOf(pattern: RegExp, text: string, max: number): number {
  let count = 0;
  for (const _ of text.matchAll(pattern)) {
    count += 1;
    if (count > max) break;
  }
  return count;
}

/** What the text is where letters and digits are written as escapes. */
function decodings(text: string): readonly string[] {
  const decode = (pattern: RegExp, base: number): string =>
    text.replace(pattern, (written, code: string) => {
      const value = Number.parseInt(code, base);
      return value < 0x80 ? String.fromCharCode(value) : written;
    });
  return [
    ...(text.includes('\\u00') ? [decode(LETTERS.json, 16)] : []),
    ...(text.includes('%') && /%[3-7]/.test(text) ? [decode(LETTERS.url, 16)] : []),
    ...(text.includes('&#') ? [decode(LETTERS.decimal, 10), decode(LETTERS.hex, 16)] : []),
  ];
}

type Span = readonly [start: number, end: number];

const asItIs = (place: Span): Span => place;

/** Where values stand. */
class Places {
  readonly spans: Span[] = [];
  #left: number;

  constructor(max: number) {
    this.#left = max;
  }

  /** There are more than `spans` has. */
  get isFull(): boolean {
    return this.#left <= 0;
  }

  /** What follows upon itself is one. */
  find(needle: string, text: string, toSource: (place: Span) => Span): void {
    let at = text.indexOf(needle);
    while (at >= 0 && !this.isFull) {
      let end = at;
      do {
        end += needle.length;
        this.#left -= 1;
      } while (!this.isFull && text.startsWith(needle, end));
      this.spans.push(toSource([at, end]));
      at = text.indexOf(needle, end);
    }
  }
}

/** Overlapping spans are merged. */
function withoutSpans(text: string, places: readonly Span[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of places.toSorted(([a], [b]) => a - b)) {
    if (start >= at) pieces.push(text.slice(at, start), REPLACEMENT);
    at = Math.max(at, end);
  }
  return pieces.join('') + text.slice(at);
}

const toLatin1 = (text: string): string => Buffer.from(text).toString('latin1');

interface Escapes {
  readonly pattern: RegExp;
  /** The text that one or more escapes in a row encode. */
  readonly read: (written: string) => string;
}

const JSON_SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const HTML_NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const percent = (text: string): string =>
  text.replace(/%(..)/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));

const ESCAPES: readonly Escapes[] = [
  {
    pattern: /(?:\\u[0-9a-fA-F]{4}){1,64}|\\["\\/bfnrt]/g,
    read: (written) => {
      const sign = written.charAt(1);
      if (sign !== 'u') return JSON_SHORT[sign] ?? sign;
      return toLatin1(
        String.fromCharCode(...(written.match(/[0-9a-fA-F]{4}/g)?.map((code) => Number.parseInt(code, 16)) ?? [])),
      );
    },
  },
  { pattern: /%[0-9a-fA-F]{2}/g, read: percent },
  { pattern: /%[0-9a-fA-F]{2}|\+/g, read: (written) => (written === '+' ? ' ' : percent(written)) },
  {
    pattern: /&(?:(amp|lt|gt|quot|apos)|#0{0,6}[0-9]{1,7}|#[xX]0{0,6}[0-9a-fA-F]{1,6});/g,
    read: (written) => {
      const name = written.slice(1, -1);
      if (!name.startsWith('#')) return HTML_NAMES[name] ?? written;
      const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
      return code > 0x10ffff ? written : toLatin1(String.fromCodePoint(code));
    },
  },
];

interface Unescaped {
  readonly text: string;
  /** The span in the escaped text; escapes are not split. */
  toSource(this: void, place: Span): Span;
}

/** Undefined: there are no escapes. */
function unescaped(source: string, { pattern, read }: Escapes): Unescaped | undefined {
  let text = '';
  let end = 0;
  const plainEnds: number[] = []; // per escape, where it ends in the text
  const spans: Span[] = []; // and its position in the source
  for (const { index, 0: written } of source.matchAll(pattern)) {
    text += source.slice(end, index) + read(written);
    end = index + written.length;
    plainEnds.push(text.length);
    spans.push([index, end]);
  }
  if (spans.length === 0) return undefined;
  /** In the source, where the escape or character that holds this one begins or ends. */
  const sourceOf = (at: number, side: 0 | 1): number => {
    const after = countUpTo(plainEnds, at);
    const offset = at - (plainEnds[after - 1] ?? 0); // behind the escape before it
    const plain = (spans[after - 1]?.[1] ?? 0) + offset + side;
    const span = spans[after];
    return span === undefined || plain - side < span[0] ? plain : span[side];
  };
  return { text: text + source.slice(end), toSource: ([from, to]) => [sourceOf(from, 0), sourceOf(to - 1, 1)] };
}

/** How many of the sorted numbers are not above `limit`. */
function countUpTo(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) <= limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The characters of base64 that the value alone decides, for each place at which it may begin in a group of three bytes. */
function base64Of(value: string): readonly string[] {
  if (value.length < MIN_BASE64_LENGTH) return [];
  const cores = [0, 1, 2].map((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)]);
    return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6));
  });
  return cores.flatMap((core) => [core, core.replaceAll('+', '-').replaceAll('/', '_')]);
}
