/** Streams whose bytes are already right: passed on, and watched only for what must be said if they break. */
import type { AppError } from '../../errors/index.ts';
import type { ErrorFields } from '../contract.ts';
import type { SseRelay } from '../openai/index.ts';
import { findTokenCounts } from '../usage/index.ts';
import { messagesError, responseFailed } from './encoder.ts';
import type { ByteTransform, StreamProtocol } from './transform.ts';

/** Bytes of the start and end of a stream that are remembered: enough for an id, a sequence number and the usage. */
const HEAD_BYTES = 2 * 1024;
const TAIL_BYTES = 16 * 1024;
/** Bytes of an unfinished line that wait for their line end; a longer line goes on as it comes. */
const MAX_HELD_BYTES = 64 * 1024;
const LF = 0x0a;
const CR = 0x0d;
const NOTHING = Buffer.alloc(0);
const EVENT_BOUNDARY = /(?:\n\n|\r\n\r\n|\r\r)$/;
const SEQUENCE = /"sequence_number": ?(\d{1,9})/g;
const RESPONSE_ID = /"id": ?"(resp_[\w-]{1,128})"/;

/** The bytes as they are. */
const UNTOUCHED: SseRelay = { push: (bytes) => bytes, end: () => Buffer.alloc(0) };

export function createRelay(protocol: StreamProtocol, relay: SseRelay = UNTOUCHED): ByteTransform {
  let head: Buffer | undefined;
  const lines = createLineGate();
  const tail = createTail();
  return {
    push: (bytes) => {
      const out = lines.push(relay.push(bytes));
      if (out.length === 0) return undefined;
      head ??= out.subarray(0, HEAD_BYTES);
      tail.push(out);
      return out;
    },
    end: () => {
      const rest = Buffer.concat([lines.end(), relay.end()]);
      tail.push(rest);
      return rest;
    },
    fail: (error) => {
      const text = tail.text();
      const boundary = text === '' || EVENT_BOUNDARY.test(text) ? '' : '\n\n';
      return boundary + lastWords(protocol, fieldsOf(error), { head: head?.toString('latin1') ?? '', tail: text });
    },
    tokens: () => findTokenCounts(`${head?.toString('latin1') ?? ''}\n${tail.text()}`),
  };
}

/** Holds an unfinished line back: behind half an event the last words of a broken stream would be read as its other half. */
function createLineGate(): { push(bytes: Buffer): Buffer; end(): Buffer } {
  let held: Buffer[] = [];
  let heldBytes = 0;
  const release = (bytes: Buffer): Buffer => {
    if (heldBytes === 0) return bytes;
    const all = Buffer.concat([...held, bytes]);
    held = [];
    heldBytes = 0;
    return all;
  };
  return {
    push: (bytes) => {
      const end = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1;
      if (end === bytes.length || heldBytes + bytes.length - end > MAX_HELD_BYTES) return release(bytes);
      const out = end === 0 ? NOTHING : release(bytes.subarray(0, end));
      held.push(bytes.subarray(end));
      heldBytes += bytes.length - end;
      return out;
    },
    end: () => release(NOTHING),
  };
}

/** The last bytes of a stream: pieces are kept as they come and dropped from the front, so that nothing is copied. */
function createTail(): { push(bytes: Buffer): void; text(): string } {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    push: (piece) => {
      pieces.push(piece);
      bytes += piece.length;
      if (bytes < 2 * TAIL_BYTES) return;
      const kept = Buffer.concat(pieces).subarray(-TAIL_BYTES);
      pieces = [Buffer.from(kept)];
      bytes = kept.length;
    },
    text: () => Buffer.concat(pieces).toString('latin1'),
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
  return { message: error.message, type: error.row.type, param: null, code: null };
}
