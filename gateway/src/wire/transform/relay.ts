/** Streams whose bytes are already right: passed on, and watched only for what must be said if they break. */
import type { AppError } from '../../errors/index.ts';
import { findModel, findUsage, readUsage } from '../../usage/index.ts';
import type { ErrorFields } from '../contract.ts';
import type { SseRelay } from '../openai/index.ts';
import { messagesError, responseFailed } from './encoder.ts';
import type { ByteTransform, StreamProtocol } from './transform.ts';

/** Bytes of the start and end of a stream that are remembered: enough for an id, a sequence number and the usage. */
const HEAD_BYTES = 2 * 1024;
const TAIL_BYTES = 16 * 1024;
/** Bytes of an unfinished event that wait for its end; a longer event goes on as it comes. */
const MAX_HELD_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING: Buffer = Buffer.alloc(0);
const EVENT_ENDS = ['\n\n', '\r\n\r\n', '\r\r'].map((end) => Buffer.from(end));
const EVENT_BOUNDARY = /(?:\n\n|\r\n\r\n|\r\r)$/;
const SEQUENCE = /"sequence_number": ?(\d{1,9})/g;
const RESPONSE_ID = /"id": ?"(resp_[\w-]{1,128})"/;

/** Stands in every event that reports an error in a format that is known. */
const ERROR_WORD = Buffer.from('rror');
/** One of them stands in every event of an answer in a format that is known. */
const ANSWER_WORDS = ['"choices"', '"type"', '"candidates"'].map((word) => Buffer.from(word));
const mayReportError = (bytes: Buffer): boolean =>
  bytes.includes(ERROR_WORD) || !ANSWER_WORDS.some((word) => bytes.includes(word));

/** The bytes as they are. */
const UNTOUCHED: SseRelay = { push: (bytes) => bytes, end: () => Buffer.alloc(0) };

export interface RelayOptions {
  readonly relay?: SseRelay;
  /** Cleans bytes in which the provider may report an error. */
  readonly scrub?: (bytes: Buffer) => Buffer;
}

export function createRelay(protocol: StreamProtocol, options: RelayOptions = {}): ByteTransform {
  const { relay = UNTOUCHED, scrub } = options;
  const cleaned = (bytes: Buffer): Buffer => (scrub !== undefined && mayReportError(bytes) ? scrub(bytes) : bytes);
  let head: Buffer | undefined;
  const gate = createGate(protocol === 'events' ? endOfLines : endOfEvents);
  const tail = createTail();
  return {
    push: (bytes) => {
      const out = cleaned(gate.push(relay.push(bytes)));
      if (out.length === 0) return undefined;
      head ??= out.subarray(0, HEAD_BYTES);
      tail.push(out);
      return out;
    },
    end: () => {
      const rest = cleaned(Buffer.concat([gate.end(), relay.end()]));
      tail.push(rest);
      return rest;
    },
    fail: (error) => {
      const text = tail.text();
      const boundary = text === '' || EVENT_BOUNDARY.test(text) ? '' : '\n\n';
      return boundary + lastWords(protocol, fieldsOf(error), { head: head?.toString('latin1') ?? '', tail: text });
    },
    report: () => {
      const start = head?.toString('latin1') ?? '';
      const hidden = relay.usage?.();
      const usage = hidden === undefined ? findUsage(`${start}\n${tail.text()}`) : readUsage(hidden);
      return { usage, model: findModel(start) };
    },
  };
}

/** Holds back what is unfinished: behind half an event the last words of a broken stream would be read as its rest. */
function createGate(endOfWhole: (bytes: Buffer) => number): { push(bytes: Buffer): Buffer; end(): Buffer } {
  let held: Buffer = NOTHING;
  return {
    push: (bytes) => {
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const end = endOfWhole(all);
      const isTooLong = all.length - end > MAX_HELD_BYTES;
      held = isTooLong || end === all.length ? NOTHING : all.subarray(end); // an empty slice would keep the whole buffer
      return isTooLong || held === NOTHING ? all : all.subarray(0, end);
    },
    end: () => {
      const rest = held;
      held = NOTHING;
      return rest;
    },
  };
}

/** The index behind the last blank line; 0: there is none. */
function endOfEvents(bytes: Buffer): number {
  if (bytes.at(-1) === LF && bytes.at(-2) === LF) return bytes.length;
  const ends = EVENT_ENDS.map((end) => {
    const at = bytes.lastIndexOf(end);
    return at < 0 ? 0 : at + end.length;
  });
  return Math.max(...ends);
}

/** The index behind the last line end. Streams we know nothing about may separate their events by one only. */
const endOfLines = (bytes: Buffer): number => Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;

/** The last bytes of a stream, copied: thousands of small pieces kept alive cost more than what they hold. */
function createTail(): { push(bytes: Buffer): void; text(): string } {
  let ring: Buffer = NOTHING;
  let end = 0;
  let wrapped = false;
  const grow = (needed: number): void => {
    const next = Buffer.allocUnsafe(Math.min(TAIL_BYTES, 2 * needed));
    ring.copy(next, 0, 0, end);
    ring = next;
  };
  return {
    push: (piece) => {
      const last = piece.length > TAIL_BYTES ? piece.subarray(-TAIL_BYTES) : piece;
      if (end + last.length > ring.length && ring.length < TAIL_BYTES) grow(end + last.length);
      const fitting = last.copy(ring, end);
      end += fitting;
      if (fitting === last.length) return;
      wrapped = true;
      end = last.copy(ring, 0, fitting);
    },
    text: () => (wrapped ? ring.toString('latin1', end) : '') + ring.toString('latin1', 0, end),
  };
}

function lastWords(protocol: StreamProtocol, error: ErrorFields, seen: { head: string; tail: string }): string {
  switch (protocol) {
    case 'messages':
      return `event: error\ndata: ${JSON.stringify(messagesError(error))}\n\n`;
    case 'responses': {
      const sequence = Number([...seen.tail.matchAll(SEQUENCE)].at(-1)?.[1] ?? -1) + 1;
      const failed = responseFailed(error, { sequence, id: RESPONSE_ID.exec(seen.head)?.[1] });
      return `event: response.failed\ndata: ${JSON.stringify(failed)}\n\n`;
    }
    case 'chat':
    case 'completion':
    case 'events':
      return `data: ${JSON.stringify({ error })}\n\n`;
  }
}

/** What a client is told about a broken stream. */
export function fieldsOf(error: AppError): ErrorFields {
  const { expose, summary, type } = error.row;
  return { message: expose ? error.message : summary, type, param: null, code: null };
}
