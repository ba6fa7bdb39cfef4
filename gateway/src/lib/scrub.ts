/** Removes secret values from texts of an upstream that received them. */
import { AUTOMATA, type Automata, type Automaton, type Kept } from './automata.ts';
import { MIN_NEEDLE } from './needles.ts';

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
/** Of the part of a value that is looked for before the value is: the engine skips less where it is longer. */
const MAX_CORE = 32;
/** Parts that are looked for one by one in a text of any length, and what further ones may cost: parts times characters. */
const FEW_CORES = 16;
const MAX_SEARCHED = 256 * 1024;

/**
 * Finds the values literally and as JSON, URLs, forms, HTML and base64 encode them, whichever characters are escaped, also
 * in the middle of a longer base64 text such as basic authentication. Linear in the text whatever the values are; it is replaced
 * as a whole where they stand 100,000 times or more.
 */
export function compileScrubber(values: Iterable<string>, kept: Kept = 'lasting'): Scrubber {
  const wanted = [...values].filter((value) => value.length >= MIN_LENGTH);
  const encoded = [...new Set(wanted.flatMap((value) => [toLatin1(value), ...base64Of(value)]))];
  return scrubberOf({ encoded, literal: [] }, AUTOMATA[kept]);
}

/** Finds the values of a call, of which there may be many, as they are. */
export function compileLiteralScrubber(values: Iterable<string>): Scrubber {
  const wanted = [...values].filter((value) => value.length >= MIN_LENGTH);
  return scrubberOf({ encoded: [], literal: [...new Set(wanted.map(toLatin1))] }, AUTOMATA.passing);
}

/**
 * Takes out what any of them would, in one pass: where their values overlap no part of one is left. Those that were not made
 * here come one after the other, behind the rest. What is made has an automaton of its own: it is made once for many texts.
 */
export function joinScrubbers(scrubbers: Iterable<Scrubber>): Scrubber {
  const all = [...new Set(scrubbers)];
  const [first] = all;
  if (first !== undefined && all.length === 1) return first;
  const wanted = all.flatMap((each) => wantedOf.get(each) ?? []);
  const encoded = [...new Set(wanted.flatMap((each) => each.encoded))];
  const literal = [...new Set(wanted.flatMap((each) => each.literal))];
  const own = scrubberOf({ encoded, literal }, AUTOMATA.passing);
  const others = all.filter((each) => !wantedOf.has(each));
  if (others.length === 0) return own;
  return {
    bytes: (bytes) => others.reduce((given, each) => each.bytes(given), own.bytes(bytes)),
    text: (text) => others.reduce((given, each) => each.text(given), own.text(text)),
    mayFind: (text) => own.mayFind(text) || others.some((each) => each.mayFind(text)),
  };
}

/** As `joinScrubbers`, by the first call. */
export function joinedOnce(scrubbers: readonly Scrubber[]): () => Scrubber {
  let made: Scrubber | undefined;
  return () => {
    made ??= joinScrubbers(scrubbers);
    return made;
  };
}

/** What is looked for, in bytes as characters of Latin-1. */
interface Wanted {
  /** In all encodings. */
  readonly encoded: readonly string[];
  readonly literal: readonly string[];
}

const wantedOf = new WeakMap<Scrubber, Wanted>();

function scrubberOf(wanted: Wanted, automata: Automata): Scrubber {
  const encoded = searchOf(wanted.encoded, automata);
  const literal = searchOf(wanted.literal, automata);
  const mayFind = (text: string): boolean =>
    literal?.areIn(text) === true ||
    (encoded !== undefined && (encoded.areIn(text) || decodings(text).some(encoded.areIn)));
  const isNotIn = (text: string): boolean =>
    [literal, encoded].every((each) => each === undefined || each.isQuick(text)) && !mayFind(text);
  const bytes = (given: Buffer): Buffer => {
    const text = given.toString('latin1'); // one character per byte: whatever is not taken out stays as it is
    if (isNotIn(text)) return given;
    const places = new Places();
    places.find(literal, given, asItIs);
    if (encoded !== undefined) findEncoded(encoded, given, text, places);
    if (places.isFull) return Buffer.from(REPLACEMENT);
    return places.spans.length === 0 ? given : Buffer.from(withoutSpans(text, places.spans), 'latin1');
  };
  const made: Scrubber = { bytes, text: (text) => bytes(Buffer.from(text)).toString(), mayFind };
  wantedOf.set(made, wanted);
  return made;
}

function findEncoded(search: Search, given: Buffer, text: string, places: Places): void {
  places.find(search, given, asItIs);
  for (const escapes of ESCAPES) {
    const plain = places.isFull ? undefined : unescaped(text, escapes);
    if (plain !== undefined) places.find(search, Buffer.from(plain.text, 'latin1'), plain.toSource);
  }
}

/** Some texts that are looked for. */
interface Search {
  readonly automaton: Automaton;
  /** Whether one of them may be in a text. */
  areIn(this: void, text: string): boolean;
  /** That is told at less cost than making the automaton, which is not there yet. */
  isQuick(this: void, text: string): boolean;
}

function searchOf(needles: readonly string[], automata: Automata): Search | undefined {
  if (needles.length === 0) return undefined;
  const automaton = automata.of(needles);
  let made: Cores | undefined;
  const cores = (): Cores => {
    made ??= coresOf(needles, automata);
    return made;
  };
  return {
    automaton,
    areIn: (text) => cores().areIn(text),
    isQuick: (text) => !automaton.isMade() && cores().areFew(text),
  };
}

/** The parts of texts that are looked for before they are. */
interface Cores {
  areIn(text: string): boolean;
  /** So that they are looked for one by one. */
  areFew(text: string): boolean;
}

function coresOf(needles: readonly string[], automata: Automata): Cores {
  const cores = [...new Set(needles.map(coreOf))];
  if (cores.some((core) => core.length < MIN_NEEDLE)) return { areIn: () => true, areFew: () => false };
  const automaton = automata.of(cores);
  const areFew = (text: string): boolean => cores.length * text.length <= MAX_SEARCHED;
  const areIn = (text: string): boolean =>
    cores.length <= FEW_CORES || areFew(text)
      ? cores.some((core) => text.includes(core))
      : automaton.get().areIn(Buffer.from(text));
  return { areIn, areFew };
}

/** The longest run of letters and digits, which encodings rarely touch; the first one of that length is long enough. */
function coreOf(needle: string): string {
  let longest = '';
  for (const [run] of needle.matchAll(RUN)) {
    if (run.length > longest.length) longest = run;
    if (longest.length >= MAX_CORE) break;
  }
  return longest;
}

const RUN = new RegExp(`[A-Za-z0-9]{1,${MAX_CORE}}`, 'g');

/** The hex codes of letters and digits in ASCII. */
const ALNUM = '3[0-9]|[46][1-9a-fA-F]|[57][0-9aA]';
/** That may stand before a number of HTML. */
const ZEROS = '0{0,16}';
const LETTERS = {
  json: new RegExp(`\\\\(?:\\\\|u00(${ALNUM}))`, 'g'), // a backslash that is one of a pair begins no escape
  url: new RegExp(`%(${ALNUM})`, 'g'),
  html: new RegExp(`&#(?:[xX]${ZEROS}(${ALNUM})|${ZEROS}([1-9][0-9]{1,2}));`, 'g'),
};
const ANY_LETTER = new RegExp(`\\\\u00(?:${ALNUM})|%(?:${ALNUM})|&#`, 'g');
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
  const decode = (pattern: RegExp): string =>
    text.replace(pattern, (written, hex: string | undefined, next: unknown) => {
      const decimal = typeof next === 'string' ? Number(next) : Number.NaN; // of patterns with one group it is the place
      const value = hex === undefined ? decimal : Number.parseInt(hex, 16);
      return value < 0x80 ? String.fromCharCode(value) : written;
    });
  return [
    ...(text.includes('\\u00') ? [decode(LETTERS.json)] : []),
    ...(text.includes('%') && /%[3-7]/.test(text) ? [decode(LETTERS.url)] : []),
    ...(text.includes('&#') ? [decode(LETTERS.html)] : []),
  ];
}

type Span = readonly [start: number, end: number];

const asItIs = (place: Span): Span => place;

/** Where values stand. */
class Places {
  readonly spans: Span[] = [];
  #left = MAX_FOUND;

  /** There are more than `spans` has. */
  get isFull(): boolean {
    return this.#left <= 0;
  }

  find(search: Search | undefined, text: Buffer, toSource: (place: Span) => Span): void {
    if (search === undefined || this.isFull) return;
    const { starts, ends, found } = search.automaton.get().find(text, this.#left);
    this.#left -= found;
    for (const [at, start] of starts.entries()) this.spans.push(toSource([start, ends[at] ?? start]));
  }
}

/** What overlaps or touches is one. */
function withoutSpans(text: string, places: readonly Span[]): string {
  const pieces: string[] = [];
  let at = 0;
  for (const [start, end] of places.toSorted(([a], [b]) => a - b)) {
    if (start > at || pieces.length === 0) pieces.push(text.slice(at, start), REPLACEMENT);
    at = Math.max(at, end);
  }
  return pieces.join('') + text.slice(at);
}

const toLatin1 = (text: string): string => Buffer.from(text).toString('latin1');

interface Escapes {
  readonly pattern: RegExp;
  /** Without it in a text there is nothing that others do not read. */
  readonly sign: string;
  /** The text that one or more escapes in a row encode. */
  readonly read: (written: string) => string;
}

const JSON_SHORT: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };
const HTML_NAMES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const percent = (written: string): string => String.fromCharCode(Number.parseInt(written.slice(1), 16));
const utf16 = (codes: readonly string[]): string =>
  toLatin1(String.fromCharCode(...codes.map((code) => Number.parseInt(code, 16))));

const ESCAPES: readonly Escapes[] = [
  {
    sign: '\\',
    pattern: /(?:\\u[0-9a-fA-F]{4}){1,64}|\\["\\/bfnrt]/g,
    read: (written) => {
      const sign = written.charAt(1);
      if (sign !== 'u') return JSON_SHORT[sign] ?? sign;
      return utf16(written.match(/[0-9a-fA-F]{4}/g) ?? []);
    },
  },
  { sign: '%', pattern: /%[0-9a-fA-F]{2}/g, read: percent },
  { sign: '+', pattern: /%[0-9a-fA-F]{2}|\+/g, read: (written) => (written === '+' ? ' ' : percent(written)) },
  {
    sign: '&',
    pattern: new RegExp(
      `&(?:(?:amp|lt|gt|quot|apos)|#${ZEROS}(?:0|[1-9][0-9]{0,6})|#[xX]${ZEROS}(?:0|[1-9a-fA-F][0-9a-fA-F]{0,5}));`,
      'g',
    ),
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
function unescaped(source: string, { sign, pattern, read }: Escapes): Unescaped | undefined {
  if (!source.includes(sign)) return undefined;
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
