/** Numbers as a JSON text has them: where JavaScript reads them, integers beyond 2^53 and long decimals lose digits. */

/** Numbers by name or index, and those of what is inside. */
export type ToldNumbers = ReadonlyMap<string, ToldNumbers | string>;

/** Longer texts are not read a second time. */
export const MAX_TOLD_BYTES = 1024 * 1024;
/** Texts with more of them are lists of figures. */
export const MAX_TOLD_NUMBERS = 10_000;

const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;
const SCALAR = /[^\s,\]}]+/y;

type Numbers = Map<string, ToldNumbers | string>;

interface Level {
  readonly isList: boolean;
  /** Undefined: none here yet. */
  numbers: Numbers | undefined;
  /** Of the value that comes next. */
  key: string;
  isAtName: boolean;
}

/**
 * Numbers that `JSON.stringify` writes in another way. Undefined: there are none, or more than the limits allow. The text was checked
 * before: nothing is said of what is wrong with it.
 */
export function numbersIn(bytes: Buffer | undefined): ToldNumbers | undefined {
  if (bytes === undefined || bytes.length > MAX_TOLD_BYTES) return undefined;
  const reader = new NumberReader(bytes.toString('utf8'));
  while (reader.next());
  return reader.numbers;
}

class NumberReader {
  readonly #text: string;
  readonly #levels: Level[] = [];
  #at = 0;
  #count = 0;
  #root: Level | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  get numbers(): ToldNumbers | undefined {
    return this.#count > MAX_TOLD_NUMBERS ? undefined : this.#root?.numbers;
  }

  /** Reads a token; false at the end. */
  next(): boolean {
    const start = this.#at;
    if (start >= this.#text.length || this.#count > MAX_TOLD_NUMBERS) return false;
    this.#at += 1;
    const sign = this.#text.charAt(start);
    const level = this.#levels.at(-1);
    switch (sign) {
      case '"':
        this.#string(start, level);
        break;
      case '{':
      case '[':
        this.#open(sign === '[');
        break;
      case '}':
      case ']':
        this.#levels.pop();
        break;
      case ',':
        if (level !== undefined) nextIn(level);
        break;
      case ':':
        if (level !== undefined) level.isAtName = false;
        break;
      case ' ':
      case '\t':
      case '\n':
      case '\r':
        break;
      default:
        this.#scalar(start);
    }
    return true;
  }

  #string(start: number, level: Level | undefined): void {
    this.#at = stringEnd(this.#text, this.#at);
    if (level?.isAtName === true) level.key = textOf(this.#text.slice(start, this.#at));
  }

  #open(isList: boolean): void {
    const level: Level = { isList, numbers: undefined, key: isList ? '0' : '', isAtName: !isList };
    this.#levels.push(level);
    this.#root ??= level;
  }

  #scalar(start: number): void {
    const token = scalarAt(this.#text, start);
    this.#at = start + token.length;
    if (!isToTell(token)) return;
    this.#count += 1;
    tell(this.#levels, token);
  }
}

/** The text of a value, with these numbers where they are still the same. Undefined for what JSON leaves out. */
export function textWith(value: unknown, numbers: ToldNumbers | string | undefined): string | undefined {
  if (typeof numbers === 'string') {
    return typeof value === 'number' && Object.is(Number(numbers), value) ? numbers : JSON.stringify(value);
  }
  if (numbers === undefined || typeof value !== 'object' || value === null) {
    return JSON.stringify(value);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item, at) => textWith(item, numbers.get(String(at))) ?? 'null').join(',')}]`;
  }
  const members = Object.entries(value).flatMap(([name, member]) => {
    const text = textWith(member, numbers.get(name));
    return text === undefined ? [] : [`${JSON.stringify(name)}:${text}`];
  });
  return `{${members.join(',')}}`;
}

function nextIn(level: Level): void {
  if (level.isList) level.key = String(Number(level.key) + 1);
  else level.isAtName = true;
}

function tell(levels: readonly Level[], token: string): void {
  let outer: Level | undefined;
  for (const level of levels) {
    if (level.numbers === undefined) {
      level.numbers = new Map();
      outer?.numbers?.set(outer.key, level.numbers);
    }
    outer = level;
  }
  outer?.numbers?.set(outer.key, token);
}

const isToTell = (token: string): boolean => NUMBER.test(token) && String(Number(token)) !== token;

function scalarAt(text: string, at: number): string {
  SCALAR.lastIndex = at;
  return SCALAR.exec(text)?.[0] ?? text.charAt(at);
}

/** The position after the closing quote of the string whose content begins at `start`. */
function stringEnd(text: string, start: number): number {
  for (let at = start; at < text.length; at += 1) {
    const quote = text.indexOf('"', at);
    if (quote < 0) return text.length;
    let before = quote - 1;
    while (before >= at && text[before] === '\\') before -= 1;
    if ((quote - 1 - before) % 2 === 0) return quote + 1;
    at = quote;
  }
  return text.length;
}

/** The text itself where it is none. */
function textOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return quoted;
  }
}
