/** One pass over the bytes of a JSON text: structure, size, and names that are repeated. */
import { isUtf8 } from 'node:buffer';
import { type JsonLimits, type JsonProblem, MAX_NAME_BYTES, MAX_NUMBER_BYTES } from './limits.ts';
import { hashByte, MemberNames, NAME_HASH_START } from './names.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE_CHARACTER = 0x20;
const BEYOND_ASCII = 0x80;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/** What a token begins with; 0: nothing may. */
const SPACE = 1;
const STRING = 2;
const OBJECT = 3;
const LIST = 4;
const END = 5;
const COLON = 6;
const COMMA = 7;
const SCALAR = 8;
const TOKENS = tokens();

/** What may come next, as bits. */
const WANT_VALUE = 1;
const WANT_NAME = 2;
const WANT_COLON = 4;
const WANT_COMMA = 8;
const WANT_END = 16;

// Shared by texts that are scanned without an await.
const SHARED_LEVELS = new Int32Array(1024);

/** A member of the outermost object; the value's bytes may have white space around them. */
export interface MemberSpan {
  readonly name: string;
  readonly start: number;
  end: number;
}

export interface ScanOptions {
  /** Other texts may be scanned between calls of `run`. */
  readonly paused?: boolean;
  /** Allows a name twice in an object, as some upstreams send it. */
  readonly repeated?: boolean;
  /** Records the members of the outermost object, up to this number; none when there are more. */
  readonly members?: number;
}

/**
 * Strings are skipped: escapes and control characters in them are left to the parser. Everything
 * between them is checked, so that no two parsers can see different members in the text.
 */
export class JsonScan {
  readonly #bytes: Buffer;
  readonly #limits: JsonLimits;
  readonly #names: MemberNames | undefined;
  /** Per level the number of its object, or 0 for a list. */
  readonly #levels: Int32Array;
  readonly #maxMembers: number;
  #members: MemberSpan[] | undefined;
  #name = '';
  #at = 0;
  #depth = 0;
  #nodes = 0;
  #objects = 0;
  #wants = WANT_VALUE;
  #problem: JsonProblem | undefined;
  #hasEscapedNames = false;

  constructor(bytes: Buffer, limits: JsonLimits, { paused = false, repeated = false, members = 0 }: ScanOptions = {}) {
    this.#bytes = bytes;
    this.#limits = limits;
    this.#names = repeated ? undefined : new MemberNames(bytes, { paused });
    this.#levels = paused || limits.depth >= SHARED_LEVELS.length ? new Int32Array(limits.depth + 1) : SHARED_LEVELS;
    this.#levels[0] = 0;
    this.#maxMembers = members;
    this.#members = members === 0 ? undefined : [];
  }

  /** Why the text must not be parsed; known once `run` is done. */
  get problem(): JsonProblem | undefined {
    return this.#problem;
  }

  /** The offset where `run` stopped: of a problem, or the length of the text. */
  get at(): number {
    return this.#at;
  }

  /** The members of the outermost object, if they were requested and are not too many. */
  get members(): readonly MemberSpan[] | undefined {
    return this.#members;
  }

  /** The kind of member names, for `parseJson`; known once `run` is done. */
  get nameKind(): 'plain' | 'unknown' {
    return this.#hasEscapedNames ? 'unknown' : 'plain';
  }

  /** Continues until `until` is passed. True: the text is done, or has a problem. */
  run(until: number): boolean {
    const bytes = this.#bytes;
    const end = Math.min(until, bytes.length);
    while (this.#at < end) {
      if (TOKENS[bytes[this.#at] ?? 0] === SPACE) this.#at += 1;
      else {
        this.#token(TOKENS[bytes[this.#at] ?? 0] ?? 0);
        if (this.#problem !== undefined) return true;
      }
    }
    if (this.#at < bytes.length) return false;
    if (this.#depth > 0 || this.#nodes === 0) this.#fail('malformed');
    return true;
  }

  #token(token: number): void {
    switch (token) {
      case STRING:
        if ((this.#wants & WANT_NAME) !== 0) this.#memberName();
        else this.#string();
        break;
      case OBJECT:
      case LIST:
        this.#open(token === OBJECT);
        break;
      case END:
        this.#close();
        break;
      case COLON:
        this.#separator(WANT_COLON, WANT_VALUE);
        break;
      case COMMA:
        if (this.#depth === 1) this.#endMember();
        this.#separator(WANT_COMMA, this.#isInObject() ? WANT_NAME : WANT_VALUE);
        break;
      case SCALAR:
        this.#scalar();
        break;
      default:
        this.#fail('malformed');
    }
  }

  #open(isObject: boolean): void {
    this.#value(this.#at + 1);
    if (this.#depth >= this.#limits.depth) this.#fail('depth');
    if (this.#problem !== undefined) return;
    if (isObject) this.#objects += 1;
    this.#depth += 1;
    this.#levels[this.#depth] = isObject ? this.#objects : 0;
    this.#wants = (isObject ? WANT_NAME : WANT_VALUE) | WANT_END;
  }

  #close(): void {
    const byte = this.#bytes[this.#at];
    const fits = byte === (this.#isInObject() ? CLOSE_OBJECT : CLOSE_LIST);
    if (!fits || (this.#wants & WANT_END) === 0) {
      this.#fail('malformed');
      return;
    }
    if (this.#depth === 1) this.#endMember();
    this.#depth -= 1;
    this.#at += 1;
    this.#wants = this.#depth === 0 ? 0 : WANT_COMMA | WANT_END;
  }

  #separator(wanted: number, next: number): void {
    if ((this.#wants & wanted) === 0) {
      this.#fail('malformed');
      return;
    }
    this.#at += 1;
    this.#wants = next;
    if (wanted === WANT_COLON && this.#depth === 1) {
      this.#members?.push({ name: this.#name, start: this.#at, end: this.#at });
    }
  }

  #string(): void {
    const close = stringEnd(this.#bytes, this.#at + 1);
    if (close - this.#at - 1 > this.#limits.stringBytes) {
      this.#fail('string');
      return;
    }
    this.#value(close + 1);
  }

  #scalar(): void {
    const start = this.#at;
    let at = start + 1;
    while (TOKENS[this.#bytes[at] ?? QUOTE] === SCALAR && at - start <= MAX_NUMBER_BYTES) at += 1;
    this.#value(at);
    if (at - start > MAX_NUMBER_BYTES) this.#fail('string');
  }

  /** A value that ends, or opens, before `next`. */
  #value(next: number): void {
    if ((this.#wants & WANT_VALUE) === 0 || next > this.#bytes.length) {
      this.#fail('malformed');
      return;
    }
    this.#nodes += 1;
    if (this.#nodes > this.#limits.nodes) {
      this.#fail('nodes');
      return;
    }
    this.#at = next;
    this.#wants = this.#depth === 0 ? 0 : WANT_COMMA | WANT_END;
  }

  #memberName(): void {
    const bytes = this.#bytes;
    const start = this.#at + 1;
    const limit = Math.min(bytes.length, start + MAX_NAME_BYTES + 1);
    let at = start;
    let hash = NAME_HASH_START;
    let seen = 0;
    let byte = bytes[at] ?? QUOTE;
    while (byte !== QUOTE && byte !== BACKSLASH && byte >= SPACE_CHARACTER && at < limit) {
      hash = hashByte(hash, byte);
      seen |= byte;
      at += 1;
      byte = bytes[at] ?? QUOTE;
    }
    const escaped = byte === BACKSLASH && at < limit;
    if (escaped) this.#hasEscapedNames = true;
    const close = escaped ? stringEnd(bytes, at) : at;
    const mayBeBroken = escaped || seen >= BEYOND_ASCII;
    if (close >= bytes.length || byte < SPACE_CHARACTER) {
      this.#fail('malformed');
      return;
    }
    if (close - start > Math.min(MAX_NAME_BYTES, this.#limits.stringBytes)) {
      this.#fail('string');
      return;
    }
    if (mayBeBroken && !isUtf8(bytes.subarray(start, close))) {
      this.#fail('malformed'); // different bytes would be read as the same character
      return;
    }
    this.#addName(hash, start, close, escaped);
  }

  #addName(hash: number, start: number, close: number, escaped: boolean): void {
    const object = this.#levels[this.#depth] ?? 0;
    const plain = escaped ? textOf(this.#bytes.subarray(start - 1, close + 1)) : undefined;
    if (escaped && plain === undefined) {
      this.#fail('malformed');
      return;
    }
    const found =
      plain === undefined
        ? this.#names?.add(object, hash, start, close)
        : this.#names?.addUnescaped(object, bytesOf(plain));
    if (found !== undefined && found !== 'new') {
      const name = plain ?? this.#bytes.toString('utf8', start, close);
      this.#problem = found === 'twice' ? { kind: 'duplicate', name } : { kind: 'names' };
      return;
    }
    this.#nodes += 1;
    if (this.#nodes > this.#limits.nodes) {
      this.#fail('nodes');
      return;
    }
    if (this.#members !== undefined && this.#depth === 1) this.#startMember(start, close, plain);
    this.#at = close + 1;
    this.#wants = WANT_COLON;
  }

  #startMember(start: number, close: number, plain: string | undefined): void {
    this.#name = plain ?? this.#bytes.toString('utf8', start, close);
    if ((this.#members?.length ?? 0) >= this.#maxMembers) this.#members = undefined;
  }

  #endMember(): void {
    const last = this.#members?.at(-1);
    if (last !== undefined) last.end = this.#at;
  }

  #isInObject(): boolean {
    return this.#levels[this.#depth] !== 0;
  }

  #fail(kind: 'malformed' | 'depth' | 'nodes' | 'string'): void {
    this.#problem ??= { kind };
  }
}

/** Strings up to here, and the text behind an escape, are read byte by byte: a search costs more than that. */
const SHORT_BYTES = 64;

/** The index of the quote that ends the string whose content begins at `start`; the length when none does. */
function stringEnd(bytes: Buffer, start: number): number {
  let at = start;
  let near = start + SHORT_BYTES;
  while (at < bytes.length) {
    if (at < near) {
      const byte = bytes[at];
      if (byte === QUOTE) return at;
      at += byte === BACKSLASH ? 2 : 1;
      continue;
    }
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0) break;
    if (!isEscaped(bytes, quote, at)) return quote;
    at = quote + 1;
    near = at + SHORT_BYTES;
  }
  return bytes.length;
}

/** Whether the quote has an odd number of backslashes before it, none of them before `from`. */
function isEscaped(bytes: Buffer, quote: number, from: number): boolean {
  let at = quote - 1;
  while (at >= from && bytes[at] === BACKSLASH) at -= 1;
  return (quote - 1 - at) % 2 === 1;
}

/** UTF-8, extended by halves of surrogate pairs, which stay distinct. */
function bytesOf(name: string): Buffer {
  if (name.isWellFormed()) return Buffer.from(name);
  return Buffer.concat(
    Array.from(name, (sign) => {
      const code = sign.charCodeAt(0);
      return sign.isWellFormed()
        ? Buffer.from(sign)
        : Buffer.from([0xed, 0x80 | ((code >> 6) & 0x3f), 0x80 | (code & 0x3f)]);
    }),
  );
}

/** The text of a quoted string; undefined when it is none. */
function textOf(quoted: Buffer): string | undefined {
  try {
    return String(JSON.parse(quoted.toString('utf8')));
  } catch {
    return undefined;
  }
}

function tokens(): Uint8Array {
  const table = new Uint8Array(256);
  const put = (characters: string, token: number): void => {
    for (const byte of Buffer.from(characters)) table[byte] = token;
  };
  put(' \t\n\r', SPACE);
  put('"', STRING);
  put('{', OBJECT);
  put('[', LIST);
  put('}]', END);
  put(':', COLON);
  put(',', COMMA);
  put('+-.0123456789', SCALAR);
  put('abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ', SCALAR);
  return table;
}
