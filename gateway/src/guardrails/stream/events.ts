import { AppError } from '../../errors/index.ts';

/** One event of a stream of server-sent events. */
export interface StreamEvent {
  /** As it came, with the blank line that ends it. */
  readonly raw: Buffer;
  readonly name: string | undefined;
  /** Empty: a comment, or an event without data. */
  readonly data: string;
}

/** Largest event, in bytes. */
export const MAX_EVENT_BYTES = 8 * 1024 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const NO_BYTES: Buffer = Buffer.alloc(0);
const LINE_END = /\r\n|\n|\r/;

/** Cuts the bytes of a stream into events, wherever they are split. One per stream. Source: HTML standard, server-sent events. */
export class EventSplitter {
  #held: Buffer = NO_BYTES;
  /** Where the search for the next line end goes on. */
  #at = 0;
  /** Where the line begins. */
  #line = 0;

  /** Throws UPSTREAM_STREAM_BROKEN when an event is larger than MAX_EVENT_BYTES. */
  push(bytes: Buffer): StreamEvent[] {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const events: StreamEvent[] = [];
    const ends = new LineEnds(all, this.#at);
    let start = 0;
    for (let found = ends.next(); found !== undefined; found = ends.next()) {
      if (found.at === this.#line) {
        events.push(toEvent(all.subarray(start, found.end)));
        start = found.end;
      }
      this.#line = found.end;
    }
    this.#held = start === all.length ? NO_BYTES : all.subarray(start);
    this.#line -= start;
    this.#at = Math.max(this.#line, this.#held.length - 1); // the last byte may be the first of a line end
    if (this.#held.length > MAX_EVENT_BYTES) throw tooLarge();
    return events;
  }

  /** The bytes behind the last blank line, as an event. */
  end(): StreamEvent[] {
    const rest = this.#held;
    this.#held = NO_BYTES;
    this.#at = 0;
    this.#line = 0;
    return rest.length === 0 ? [] : [toEvent(rest)];
  }
}

/** The line ends of some bytes: LF, CRLF or CR. */
class LineEnds {
  readonly #bytes: Buffer;
  #lf: number;
  #cr: number;

  constructor(bytes: Buffer, from: number) {
    this.#bytes = bytes;
    this.#lf = bytes.indexOf(LF, from);
    this.#cr = bytes.indexOf(CR, from);
  }

  /** Undefined: there is none, or its second half may follow. */
  next(): { readonly at: number; readonly end: number } | undefined {
    const isCr = this.#cr >= 0 && (this.#lf < 0 || this.#cr < this.#lf);
    const at = isCr ? this.#cr : this.#lf;
    if (at < 0 || (isCr && at + 1 === this.#bytes.length)) return undefined;
    const end = isCr && this.#bytes[at + 1] === LF ? at + 2 : at + 1;
    if (this.#lf >= 0 && this.#lf < end) this.#lf = this.#bytes.indexOf(LF, end);
    if (isCr) this.#cr = this.#bytes.indexOf(CR, end);
    return { at, end };
  }
}

function toEvent(raw: Buffer): StreamEvent {
  let name: string | undefined;
  const data: string[] = [];
  for (const line of raw.toString('utf8').split(LINE_END)) {
    if (line.startsWith('data:')) data.push(fieldOf(line, 5));
    else if (line.startsWith('event:')) name = fieldOf(line, 6);
  }
  return { raw, name, data: data.join('\n') };
}

const fieldOf = (line: string, at: number): string => line.slice(line[at] === ' ' ? at + 1 : at);

const tooLarge = (): AppError =>
  new AppError('UPSTREAM_STREAM_BROKEN', { detail: `An event of the stream is larger than ${MAX_EVENT_BYTES} bytes` });

/** An event with other data. */
export function writeEvent({ name }: StreamEvent, data: object): Buffer {
  return Buffer.from(`${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`);
}
