/**
 * Reads `multipart/form-data` while it arrives (RFC 7578, RFC 2046 section 5.1). Stricter than the RFC where readers differ: a
 * preamble, an epilogue, padding behind a boundary, and the boundary inside a part are refused, so that no server behind the
 * gateway finds other parts in the same bytes.
 */
import { AppError } from '../../errors/index.ts';
import { labelOf, malformed, type PartHead, parsePartHead } from './part-head.ts';

export interface FormLimits {
  readonly parts: number;
  /** Of the header lines of one part. */
  readonly headerBytes: number;
  /** Of the value of one field; files have no limit of their own. */
  readonly fieldBytes: number;
  readonly totalBytes: number;
}

/** What forms of clients may be; how large the whole may be is up to the provider. */
export const FORM_LIMITS: FormLimits = {
  parts: 256,
  headerBytes: 8 * 1024,
  fieldBytes: 1024 * 1024,
  totalBytes: Number.POSITIVE_INFINITY,
};

export type FormEvent =
  | { readonly kind: 'field'; readonly head: PartHead; readonly value: Buffer }
  | { readonly kind: 'file'; readonly head: PartHead }
  /** Bytes of the file that began last. */
  | { readonly kind: 'data'; readonly bytes: Buffer }
  | { readonly kind: 'file-end' };

/** One per body. Both throw AppError BODY_NOT_FORM or BODY_TOO_COMPLEX, which name the part, or BODY_TOO_LARGE. */
export interface FormReader {
  /** What the bytes complete; `data` events share memory with them. */
  push(bytes: Buffer): FormEvent[];
  /** The body ended. */
  end(): void;
}

const CRLF = Buffer.from('\r\n');
const EMPTY_LINE = Buffer.from('\r\n\r\n');
const DASHES = Buffer.from('--');
const NOTHING = Buffer.alloc(0);

export function createFormReader(boundary: string, limits: FormLimits): FormReader {
  const state = new Reading(boundary, limits);
  return {
    push: (bytes) => {
      const events: FormEvent[] = [];
      state.take(bytes, events);
      while (state.step(events));
      return events;
    },
    end: () => state.finish(),
  };
}

type ReaderState = 'start' | 'delimiter' | 'headers' | 'field' | 'file' | 'epilogue';

class Reading {
  readonly #delimiter: Buffer;
  readonly #limits: FormLimits;
  #place: ReaderState = 'start';
  #held: Buffer = NOTHING;
  #total = 0;
  #number = 0;
  #head: PartHead | undefined;
  #value: Buffer[] = [];
  #valueBytes = 0;

  constructor(boundary: string, limits: FormLimits) {
    this.#delimiter = Buffer.from(`--${boundary}`, 'latin1');
    this.#limits = limits;
  }

  take(bytes: Buffer, events: FormEvent[]): void {
    this.#total += bytes.length;
    const { totalBytes } = this.#limits;
    if (this.#total > totalBytes) {
      throw new AppError('BODY_TOO_LARGE', {
        param: this.#label,
        detail: `The form is larger than ${totalBytes} bytes; it was read up to ${this.#label}`,
      });
    }
    if (this.#held.length > 0 && this.#isContentUpTo(bytes)) {
      this.#emit(this.#held, events);
      this.#held = bytes;
      return;
    }
    this.#held = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
  }

  /** Whether what is held belongs to the content of a part: no boundary begins in it, nor right behind it. Saves a copy of the bytes. */
  #isContentUpTo(bytes: Buffer): boolean {
    const seamBytes = CRLF.length + this.#delimiter.length - 1;
    if ((this.#place !== 'file' && this.#place !== 'field') || bytes.length < seamBytes) return false;
    return !Buffer.concat([this.#held, bytes.subarray(0, seamBytes)]).includes(this.#delimiter);
  }

  /** Goes on as far as one event or one change of place; false: more bytes are needed. */
  step(events: FormEvent[]): boolean {
    switch (this.#place) {
      case 'start':
        return this.#start();
      case 'delimiter':
        return this.#afterDelimiter();
      case 'headers':
        return this.#headers(events);
      case 'field':
      case 'file':
        return this.#content(events);
      case 'epilogue':
        return this.#epilogue();
    }
  }

  finish(): void {
    if (this.#place !== 'epilogue' || this.#held.length === 1) throw malformed(this.#label, 'is not complete');
  }

  get #label(): string {
    return labelOf(this.#head?.name, Math.max(1, this.#number));
  }

  #start(): boolean {
    const wanted = this.#delimiter;
    // A line end before the first boundary belongs to it.
    const at = this.#held[0] === CRLF[0] ? CRLF.length : 0;
    const given = this.#held.subarray(0, at + wanted.length);
    const expected = at === 0 ? wanted : Buffer.concat([CRLF, wanted]);
    if (!given.equals(expected.subarray(0, given.length)))
      throw malformed('part 1', 'does not begin with the boundary');
    return given.length === expected.length && this.#moveTo('delimiter', expected.length);
  }

  #afterDelimiter(): boolean {
    const next = this.#held.subarray(0, CRLF.length);
    if (next.length < CRLF.length) return false;
    if (next.equals(DASHES)) return this.#moveTo('epilogue', DASHES.length);
    if (!next.equals(CRLF)) throw malformed(this.#label, 'ends with something that is almost the boundary');
    this.#number += 1;
    this.#head = undefined;
    if (this.#number > this.#limits.parts) {
      throw beyond(this.#label, `is more than the ${this.#limits.parts} parts a form may have`);
    }
    return this.#moveTo('headers', CRLF.length);
  }

  #headers(events: FormEvent[]): boolean {
    const { headerBytes } = this.#limits;
    const end = this.#held.indexOf(EMPTY_LINE);
    if (end > headerBytes || (end < 0 && this.#held.length > headerBytes + EMPTY_LINE.length)) {
      throw beyond(this.#label, `has more than ${headerBytes} bytes of headers`);
    }
    if (end < 0) return false;
    const head = parsePartHead(Buffer.from(this.#held.subarray(0, end + CRLF.length)), this.#number);
    this.#head = head;
    if (head.filename === undefined) return this.#moveTo('field', end + EMPTY_LINE.length);
    events.push({ kind: 'file', head });
    return this.#moveTo('file', end + EMPTY_LINE.length);
  }

  #content(events: FormEvent[]): boolean {
    const at = this.#held.indexOf(this.#delimiter);
    if (at >= 0) {
      const end = at - CRLF.length;
      if (end < 0 || !this.#held.subarray(end, at).equals(CRLF)) {
        throw malformed(this.#label, 'holds the boundary of the form');
      }
      this.#emit(this.#held.subarray(0, end), events);
      events.push(this.#place === 'field' ? this.#field() : { kind: 'file-end' });
      return this.#moveTo('delimiter', at + this.#delimiter.length);
    }
    // The last bytes may be the beginning of a line end with a boundary.
    const safe = this.#held.length - CRLF.length - this.#delimiter.length + 1;
    if (safe > 0) {
      this.#emit(this.#held.subarray(0, safe), events);
      this.#held = this.#held.subarray(safe);
    }
    return false;
  }

  #emit(bytes: Buffer, events: FormEvent[]): void {
    if (bytes.length === 0) return;
    if (this.#place === 'file') {
      events.push({ kind: 'data', bytes });
      return;
    }
    this.#valueBytes += bytes.length;
    const { fieldBytes } = this.#limits;
    if (this.#valueBytes > fieldBytes) {
      throw new AppError('BODY_TOO_LARGE', {
        param: this.#label,
        detail: `The form is too large: the field ${this.#label} has more than ${fieldBytes} bytes`,
      });
    }
    this.#value.push(bytes);
  }

  #field(): FormEvent {
    const value = Buffer.concat(this.#value, this.#valueBytes);
    this.#value = [];
    this.#valueBytes = 0;
    return { kind: 'field', head: this.#head ?? parsePartHead(NOTHING, this.#number), value };
  }

  /** One line end may follow the last boundary. */
  #epilogue(): boolean {
    const rest = this.#held;
    if (rest.length > CRLF.length || !rest.equals(CRLF.subarray(0, rest.length))) {
      throw malformed(this.#label, 'is followed by bytes behind the end of the form');
    }
    return false;
  }

  #moveTo(place: ReaderState, taken: number): true {
    this.#place = place;
    this.#held = this.#held.subarray(taken);
    return true;
  }
}

const beyond = (label: string, limit: string): AppError =>
  new AppError('BODY_TOO_COMPLEX', { param: label, detail: `The form is beyond a limit: ${label} ${limit}` });
