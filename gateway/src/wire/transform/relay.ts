/** Streams whose bytes are in the client's format: passed on; their start and end are kept for an error event. */
import type { AppError } from '../../errors/index.ts';
import { type AnswerReport, findEnd, findModel, findUsage, readUsage } from '../../usage/index.ts';
import type { ErrorFields } from '../contract.ts';
import type { SseRelay } from '../openai/index.ts';
import { messagesError, responseFailed } from './encoder.ts';
import { Tail } from './tail.ts';
import type { ByteTransform, StreamProtocol } from './transform.ts';

/** Bytes of the start of a stream that are kept: enough for an id. */
const HEAD_BYTES = 2 * 1024;
/** Bytes of an unfinished event that are held until its end; a longer event is passed on as it comes. */
const MAX_HELD_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const NO_BYTES: Buffer = Buffer.alloc(0);
const EVENT_ENDS = ['\n\n', '\r\n\r\n', '\r\r'].map((end) => Buffer.from(end));
const EVENT_BOUNDARY = /(?:\n\n|\r\n\r\n|\r\r)$/;
const SEQUENCE = /"sequence_number": ?(\d{1,9})/g;
const RESPONSE_ID = /"id": ?"(resp_[\w-]{1,128})"/;

/** Part of every event that reports an error in a known format. */
const ERROR_WORD = Buffer.from('rror');
/** Every event of an answer in a known format has one of them. */
const ANSWER_WORDS = ['"choices"', '"type"', '"candidates"'].map((word) => Buffer.from(word));
const mayReportError = (bytes: Buffer): boolean =>
  bytes.includes(ERROR_WORD) || !ANSWER_WORDS.some((word) => bytes.includes(word));

/** The bytes as they are. */
const PASS_THROUGH: SseRelay = { push: (bytes) => bytes, end: () => Buffer.alloc(0) };

export interface RelayOptions {
  readonly relay?: SseRelay;
  /** Removes credentials from bytes in which the provider may report an error. */
  readonly scrub?: (bytes: Buffer) => Buffer;
}

export function createRelayTransform(protocol: StreamProtocol, options: RelayOptions = {}): ByteTransform {
  return new RelayTransform(protocol, options);
}

class RelayTransform implements ByteTransform {
  readonly #protocol: StreamProtocol;
  readonly #relay: SseRelay;
  readonly #scrub: RelayOptions['scrub'];
  readonly #events: EventBuffer;
  readonly #tail = new Tail();
  #head: Buffer | undefined;

  constructor(protocol: StreamProtocol, { relay = PASS_THROUGH, scrub }: RelayOptions) {
    this.#protocol = protocol;
    this.#relay = relay;
    this.#scrub = scrub;
    this.#events = new EventBuffer(protocol === 'events' ? endOfLines : endOfEvents);
  }

  push(bytes: Buffer): Buffer | undefined {
    const out = this.#cleaned(this.#events.push(this.#relay.push(bytes)));
    if (out.length === 0) return undefined;
    this.#head ??= out.subarray(0, HEAD_BYTES);
    this.#tail.push(out);
    return out;
  }

  end(): Buffer {
    const rest = this.#cleaned(Buffer.concat([this.#events.end(), this.#relay.end()]));
    this.#tail.push(rest);
    return rest;
  }

  fail(error: AppError): string {
    const tail = this.#tail.text();
    const boundary = tail === '' || EVENT_BOUNDARY.test(tail) ? '' : '\n\n';
    return boundary + errorEvent(this.#protocol, errorFields(error), { head: this.#start(), tail });
  }

  report(): AnswerReport {
    const start = this.#start();
    const hidden = this.#relay.usage?.();
    const usage = hidden === undefined ? findUsage(`${start}\n${this.#tail.text()}`) : readUsage(hidden);
    return { usage, model: findModel(start), end: () => findEnd({ head: start, tail: this.#tail.text() }) };
  }

  sample(): string {
    return this.#tail.text();
  }

  #cleaned(bytes: Buffer): Buffer {
    return this.#scrub !== undefined && mayReportError(bytes) ? this.#scrub(bytes) : bytes;
  }

  #start(): string {
    return this.#head?.toString('latin1') ?? '';
  }
}

/** Holds unfinished events: an error event behind half an event would be read as its rest. */
class EventBuffer {
  readonly #endOfWhole: (bytes: Buffer) => number;
  #held: Buffer = NO_BYTES;

  constructor(endOfWhole: (bytes: Buffer) => number) {
    this.#endOfWhole = endOfWhole;
  }

  push(bytes: Buffer): Buffer {
    const all = this.#held.length === 0 ? bytes : Buffer.concat([this.#held, bytes]);
    const end = this.#endOfWhole(all);
    const isTooLong = all.length - end > MAX_HELD_BYTES;
    this.#held = isTooLong || end === all.length ? NO_BYTES : all.subarray(end); // an empty slice would keep the whole buffer
    return isTooLong || this.#held === NO_BYTES ? all : all.subarray(0, end);
  }

  end(): Buffer {
    const rest = this.#held;
    this.#held = NO_BYTES;
    return rest;
  }
}

/** The index behind the last blank line; 0: there is none. */
function endOfEvents(bytes: Buffer): number {
  const { length } = bytes;
  if (bytes[length - 1] === LF && bytes[length - 2] === LF) return length;
  const ends = EVENT_ENDS.map((end) => {
    const at = bytes.lastIndexOf(end);
    return at < 0 ? 0 : at + end.length;
  });
  return Math.max(...ends);
}

/** The index behind the last line end. Streams in an unknown format may separate their events by one only. */
const endOfLines = (bytes: Buffer): number => Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;

function errorEvent(protocol: StreamProtocol, error: ErrorFields, seen: { head: string; tail: string }): string {
  switch (protocol) {
    case 'messages':
      return `event: error\ndata: ${JSON.stringify(messagesError(error))}\n\n`;
    case 'responses': {
      const sequence = Number([...seen.tail.matchAll(SEQUENCE)].at(-1)?.[1] ?? -1) + 1;
      const id = RESPONSE_ID.exec(seen.head)?.[1];
      const failed = responseFailed(error, { sequence, response: id === undefined ? undefined : { id } });
      return `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`;
    }
    case 'chat':
    case 'completion':
    case 'events':
      return `data: ${JSON.stringify({ error })}\n\n`;
  }
}

/** The error of a broken stream, as the client sees it. */
export function errorFields(error: AppError): ErrorFields {
  const { expose, summary, type } = error.row;
  return { message: expose ? error.message : summary, type, param: null, code: null };
}
