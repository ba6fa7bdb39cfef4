/** The strings that are values in a JSON text, which may come in pieces. */

/** A piece of the text, as it is written. */
export interface JsonPiece {
  raw: string;
  /** What a piece of a string says; undefined: the piece is none, or one of a name. */
  readonly said?: string;
  /** It is one of a name. */
  readonly isName?: boolean;
  /** Number of the string in the text. */
  readonly string: number;
}

export interface JsonPieces {
  readonly pieces: readonly JsonPiece[];
  /** Numbers of the strings that end in it. */
  readonly ended: readonly number[];
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const STRUCTURE = /["{}[\],:]/g;
const HIGH_SURROGATE = /^\\u[dD][89abAB]/;

/** Containers that are told apart. In deeper ones names are strings, too. */
const MAX_DEPTH = 256;

/** Reads one text. What is no JSON is read as far as it looks like it. */
export class JsonStrings {
  /** For each open container whether it is an object. */
  readonly #containers: boolean[] = [];
  /** Open containers below these. */
  #deeper = 0;
  /** The start of an escape that goes on. */
  #held = '';
  #isInString = false;
  #isName = false;
  #string = 0;

  push(text: string): JsonPieces {
    const all = this.#held + text;
    this.#held = '';
    const pieces: JsonPiece[] = [];
    const ended: number[] = [];
    for (let at = 0; at < all.length; )
      at = this.#isInString ? this.#say(all, at, { pieces, ended }) : this.#skip(all, at, pieces);
    return { pieces, ended };
  }

  /** All containers are closed. */
  get isComplete(): boolean {
    return !this.#isInString && this.#containers.length + this.#deeper === 0;
  }

  /** What is kept of a text that ends in an escape. */
  end(): string {
    return this.#held;
  }

  /** Up to the next string. */
  #skip(text: string, from: number, pieces: JsonPiece[]): number {
    STRUCTURE.lastIndex = from;
    let end = text.length;
    for (let match = STRUCTURE.exec(text); match !== null; match = STRUCTURE.exec(text)) {
      if (!this.#enter(match[0])) continue;
      end = match.index + 1;
      break;
    }
    pieces.push({ raw: text.slice(from, end), string: this.#string });
    return end;
  }

  /** True: a string begins. */
  #enter(mark: string): boolean {
    if (mark === '"') {
      this.#isInString = true;
      return true;
    }
    if (mark === '{' || mark === '[') this.#open(mark === '{');
    if (mark === '}' || mark === ']') this.#close();
    this.#isName = (mark === '{' || mark === ',') && this.#deeper === 0 && this.#containers.at(-1) === true;
    return false;
  }

  #open(isObject: boolean): void {
    if (this.#containers.length < MAX_DEPTH) this.#containers.push(isObject);
    else this.#deeper += 1;
  }

  #close(): void {
    if (this.#deeper > 0) this.#deeper -= 1;
    else this.#containers.pop();
  }

  /** Up to the end of the string, or of what has come of it. */
  #say(text: string, from: number, { pieces, ended }: { pieces: JsonPiece[]; ended: number[] }): number {
    const end = bodyEnd(text, from);
    if (end > from) {
      const raw = text.slice(from, end);
      pieces.push({ raw, string: this.#string, ...(this.#isName ? { isName: true } : { said: unescaped(raw) }) });
    }
    if (text.charCodeAt(end) !== QUOTE) {
      this.#held = text.slice(end);
      return text.length;
    }
    this.#isInString = false;
    if (!this.#isName) {
      ended.push(this.#string);
      this.#string += 1;
    }
    pieces.push({ raw: '"', string: this.#string });
    return end + 1;
  }
}

/** Where a string ends, or an escape begins that goes on behind the text. */
function bodyEnd(text: string, from: number): number {
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) return at;
    const length = unit === BACKSLASH ? escapeLength(text, at) : 1;
    if (length === 0) return at;
    at += length;
  }
  return at;
}

/** 0: it goes on behind the text. Two escapes of a surrogate pair are one. */
function escapeLength(text: string, at: number): number {
  const mark = text[at + 1];
  if (mark === undefined) return 0;
  if (mark !== 'u') return 2;
  if (at + 6 > text.length) return 0;
  if (!HIGH_SURROGATE.test(text.slice(at, at + 4))) return 6;
  const next = text.slice(at + 6, at + 12);
  if (next.length === 6) return next.startsWith('\\u') ? 12 : 6;
  return '\\u'.startsWith(next.slice(0, 2)) ? 0 : 6;
}

const ESCAPE = /\\(?:u([0-9a-fA-F]{4})|([^u]))/g;
const MEANINGS: Readonly<Record<string, string>> = {
  ...{ '"': '"', '\\': '\\', '/': '/' },
  ...{ b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' },
};

/** What a part of a string says. Escapes that JSON does not have stay as they are, and hide none of the others. */
export function unescaped(raw: string): string {
  if (!raw.includes('\\')) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    return raw.replaceAll(ESCAPE, (written: string, code?: string, mark = '') =>
      code === undefined ? (MEANINGS[mark] ?? written) : String.fromCharCode(Number.parseInt(code, 16)),
    );
  }
}

/** A text as it is written inside a JSON string. */
export const encoded = (text: string): string => JSON.stringify(text).slice(1, -1);
