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
const EVENT_BOUNDARY = /(?:\n\n|\r\n\r\n|\r\r)$/;
const SEQUENCE = /"sequence_number": ?(\d{1,9})/g;
const RESPONSE_ID = /"id": ?"(resp_[\w-]{1,128})"/;

/** The bytes as they are. */
const UNTOUCHED: SseRelay = { push: (bytes) => bytes, end: () => Buffer.alloc(0) };

export function createRelay(protocol: StreamProtocol, relay: SseRelay = UNTOUCHED): ByteTransform {
  let head: Buffer | undefined;
  const tail = createTail();
  return {
    push: (bytes) => {
      const out = relay.push(bytes);
      if (out.length === 0) return undefined;
      head ??= out.subarray(0, HEAD_BYTES);
      tail.push(out);
      return out;
    },
    end: () => relay.end().toString('utf8'),
    fail: (error) => {
      const text = tail.text();
      const boundary = text === '' || EVENT_BOUNDARY.test(text) ? '' : '\n\n';
      return boundary + lastWords(protocol, fieldsOf(error), { head: head?.toString('latin1') ?? '', tail: text });
    },
    tokens: () => findTokenCounts(`${head?.toString('latin1') ?? ''}\n${tail.text()}`),
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
