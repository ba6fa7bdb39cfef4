/** Finds JSON objects and lists in a text in one pass, and reads them on the way: no part of a text is read twice. */

/** An object or a list, and where it is in the text. */
export interface FoundJson {
  readonly value: unknown;
  readonly start: number;
  readonly end: number;
}

/** JSON that is nested deeper is not found, and neither is what it contains. */
const MAX_DEPTH = 100;

/** Objects and lists that are read of one text: each takes 200 bytes or more, where the text had two. */
export const MAX_CONTAINERS = 100_000;

/** What may come next in an object or a list, as bits. */
const VALUE = 1;
const NAME = 2;
const COLON = 4;
const COMMA = 8;
const END = 16;

const BRACKET = /[{}[\]]/g;
const SCALAR = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const SPACE = /[ \t\n\r]+/y;

/** An object or a list whose end has not come yet. */
interface Open {
  readonly closer: '}' | ']';
  readonly start: number;
  /** Undefined: what has been read so far is no JSON. */
  container: unknown[] | Record<string, unknown> | undefined;
  /** Objects and lists directly in it, which stand for themselves when it turns out to be no JSON. */
  readonly parts: FoundJson[];
  wants: number;
  name: string;
}

export class JsonReader {
  /** In the order of the text; none contains another. */
  readonly found: FoundJson[] = [];
  /** Brackets were closed around what is no JSON. */
  hasBroken = false;
  readonly #text: string;
  readonly #open: Open[] = [];
  #openObjects = 0;
  #begun = 0;
  /** Levels below `MAX_DEPTH`, of whatever kind. */
  #tooDeep = 0;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The text has more than `MAX_CONTAINERS` objects and lists: reading ended there. */
  get isExhausted(): boolean {
    return this.#begun > MAX_CONTAINERS;
  }

  /** Reads on to `until` or a little further. True: the text is done, or has too many objects and lists. */
  read(until: number): boolean {
    while (this.#at < Math.min(until, this.#text.length)) {
      if (this.isExhausted) return true;
      const open = this.#open.at(-1);
      if (open?.container === undefined || this.#tooDeep > 0) this.#skip();
      else this.#token(open);
    }
    if (this.#at < this.#text.length) return false;
    this.#giveUp();
    return true;
  }

  /** Between values, and where nothing can become JSON: brackets alone count. */
  #skip(): void {
    BRACKET.lastIndex = this.#at;
    const bracket = BRACKET.exec(this.#text);
    this.#at = bracket?.index ?? this.#text.length;
    if (bracket !== null) this.#bracket(bracket[0]);
  }

  #bracket(sign: string): void {
    if (this.#tooDeep > 0) {
      this.#tooDeep += sign === '{' || sign === '[' ? 1 : -1;
      this.#at += 1;
    } else if (sign === '{' || sign === '[') this.#begin(sign);
    else this.#close(sign);
  }

  #token(open: Open): void {
    const sign = this.#text.charAt(this.#at);
    switch (sign) {
      case ' ':
      case '\t':
      case '\n':
      case '\r':
        this.#space();
        break;
      case '{':
      case '[':
        if ((open.wants & VALUE) === 0) this.#giveUp();
        this.#begin(sign);
        break;
      case '}':
      case ']':
        if (sign !== open.closer || (open.wants & END) === 0) this.#giveUp();
        this.#close(sign);
        break;
      case ',':
        this.#separator(open, COMMA, open.closer === '}' ? NAME : VALUE);
        break;
      case ':':
        this.#separator(open, COLON, VALUE);
        break;
      case '"':
        this.#string(open);
        break;
      default:
        this.#scalar(open);
    }
  }

  #space(): void {
    SPACE.lastIndex = this.#at;
    SPACE.test(this.#text);
    this.#at = SPACE.lastIndex;
  }

  #separator(open: Open, wanted: number, next: number): void {
    if ((open.wants & wanted) === 0) this.#giveUp();
    open.wants = next;
    this.#at += 1;
  }

  #begin(sign: '{' | '['): void {
    if (this.#open.length === MAX_DEPTH) {
      for (const open of this.#open) {
        open.container = undefined;
        open.parts.length = 0;
      }
      this.#tooDeep = 1;
    } else {
      const isObject = sign === '{';
      this.#begun += 1;
      this.#openObjects += isObject ? 1 : 0;
      this.#open.push({
        closer: isObject ? '}' : ']',
        start: this.#at,
        container: isObject ? {} : [],
        parts: [],
        wants: (isObject ? NAME : VALUE) | END,
        name: '',
      });
    }
    this.#at += 1;
  }

  #close(sign: string): void {
    this.#at += 1;
    const count = sign === '}' ? this.#openObjects : this.#open.length - this.#openObjects;
    if (count === 0) return;
    for (;;) {
      const open = this.#open.pop();
      if (open === undefined) return;
      if (open.closer === '}') this.#openObjects -= 1;
      if (open.container !== undefined) this.#complete({ value: open.container, start: open.start, end: this.#at });
      else this.hasBroken = true;
      if (open.closer === sign) return;
    }
  }

  #complete(json: FoundJson): void {
    const outer = this.#open.at(-1);
    if (outer?.container === undefined) {
      this.found.push(json);
      return;
    }
    outer.parts.push(json);
    put(outer, json.value);
  }

  #string(open: Open): void {
    const end = (open.wants & (VALUE | NAME)) === 0 ? undefined : stringEnd(this.#text, this.#at + 1);
    const text = end === undefined ? undefined : stringOf(this.#text.slice(this.#at, end));
    if (end === undefined || text === undefined) {
      this.#giveUp();
      this.#at += 1;
      return;
    }
    this.#at = end;
    if ((open.wants & NAME) !== 0) {
      open.name = text;
      open.wants = COLON;
    } else put(open, text);
  }

  #scalar(open: Open): void {
    SCALAR.lastIndex = this.#at;
    const written = (open.wants & VALUE) === 0 ? undefined : SCALAR.exec(this.#text)?.[0];
    if (written === undefined) {
      this.#giveUp();
      this.#at += 1;
      return;
    }
    this.#at += written.length;
    put(open, JSON.parse(written));
  }

  /** What is open is no JSON; what is complete in it stands for itself. */
  #giveUp(): void {
    const from = this.#open.findLastIndex(({ container }) => container === undefined) + 1;
    for (const open of this.#open.slice(from)) {
      open.container = undefined;
      for (const part of open.parts.splice(0)) this.found.push(part);
    }
  }
}

/** Every member is an own property, and the last one of a name counts, as `JSON.parse` has it. */
function put(open: Open, value: unknown): void {
  open.wants = COMMA | END;
  const { container, name } = open;
  if (Array.isArray(container)) container.push(value);
  else if (container !== undefined && name !== '__proto__') container[name] = value;
  else if (container !== undefined) {
    Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/** The position behind the closing quote of the string whose content begins at `start`; undefined: it is no string. */
function stringEnd(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at + 1;
    if (code < FIRST_PRINTABLE) return undefined;
    if (code === BACKSLASH) at += 1;
  }
  return undefined;
}

/** Undefined for escapes that JSON does not have. */
function stringOf(quoted: string): string | undefined {
  if (!quoted.includes('\\')) return quoted.slice(1, -1);
  try {
    return String(JSON.parse(quoted));
  } catch {
    return undefined;
  }
}
