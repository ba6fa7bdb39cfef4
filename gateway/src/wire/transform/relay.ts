/** Streams whose bytes are in the client's format: passed on; their start and end are kept for an error event. */
import type { AppError } from '../../errors/index.ts';
import { findModel, findUsage, readUsage } from '../../usage/index.ts';
import type { ErrorFields } from '../contract.ts';
import type { SseRelay } from '../openai/index.ts';
import { messagesError, responseFailed } from './encoder.ts';
import type { ByteTransform, StreamProtocol } from './transform.ts';

/** Bytes of the start and end of a stream that are kept: enough for an id, a sequence number and the usage. */
const HEAD_BYTES = 2 * 1024;
const TAIL_BYTES = 16 * 1024;
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
  const { relay = PASS_THROUGH, scrub } = options;
  const cleaned = (bytes: Buffer): Buffer => (scrub !== undefined && mayReportError(bytes) ? scrub(bytes) : bytes);
  let head: Buffer | undefined;
  const gate = createEventBuffer(protocol === 'events' ? endOfLines : endOfEvents);
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
      return boundary + errorEvent(protocol, errorFields(error), { head: head?.toString('latin1') ?? '', tail: text });
    },
    report: () => {
      const start = head?.toString('latin1') ?? '';
      const hidden = relay.usage?.();
      const usage = hidden === undefined ? findUsage(`${start}\n${tail.text()}`) : readUsage(hidden);
      return { usage, model: findModel(start) };
    },
  };
}

/** Holds unfinished events: an error event behind half an event would be read as its rest. */
function createEventBuffer(endOfWhole: (bytes: Buffer) => number): { push(bytes: Buffer): Buffer; end(): Buffer } {
  let held: Buffer = NO_BYTES;
  return {
    push: (bytes) => {
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const end = endOfWhole(all);
      const isTooLong = all.length - end > MAX_HELD_BYTES;
      held = isTooLong || end === all.length ? NO_BYTES : all.subarray(end); // an empty slice would keep the whole buffer
      return isTooLong || held === NO_BYTES ? all : all.subarray(0, end);
    },
    end: () => {
      const rest = held;
      held = NO_BYTES;
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

/** The index behind the last line end. Streams in an unknown format may separate their events by one only. */
const endOfLines = (bytes: Buffer): number => Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;

/** The last bytes of a stream, copied: keeping thousands of small pieces costs more than their bytes. */
function createTail(): { push(bytes: Buffer): void; text(): string } {
  let ring: Buffer = NO_BYTES;
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

function errorEvent(protocol: StreamProtocol, error: ErrorFields, seen: { head: string; tail: string }): string {
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

/** The error of a broken stream, as the client sees it. */
export function errorFields(error: AppError): ErrorFields {
  const { expose, summary, type } = error.row;
  return { message: expose ? error.message : summary, type, param: null, code: null };
}
