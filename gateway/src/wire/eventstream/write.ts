import { EventStreamCodec } from '@smithy/eventstream-codec';

const codec = new EventStreamCodec(
  (bytes) => (typeof bytes === 'string' ? bytes : new TextDecoder().decode(bytes)),
  (text) => new TextEncoder().encode(text),
);

/** One message of an AWS event stream: an event with its type, or an exception. */
export type EventStreamMessage =
  | { readonly event: string; readonly payload: unknown }
  | { readonly exception: string; readonly payload: unknown }
  /** An error without payload, in headers only. */
  | { readonly error: string; readonly message: string };

/** The bytes of one message, payload as JSON; for mocks and tests. */
export function encodeEventStreamMessage(message: EventStreamMessage): Buffer {
  const payload = 'payload' in message ? JSON.stringify(message.payload) : '';
  const headers = Object.entries(headersOf(message)).map(([name, value]) => [name, { type: 'string' as const, value }]);
  return Buffer.from(codec.encode({ headers: Object.fromEntries(headers), body: Buffer.from(payload) }));
}

/** The event with an invoked model's JSON: base64 in `{bytes}`. */
export function encodeEventStreamChunk(json: unknown): Buffer {
  const bytes = Buffer.from(JSON.stringify(json)).toString('base64');
  return encodeEventStreamMessage({ event: 'chunk', payload: { bytes } });
}

function headersOf(message: EventStreamMessage): Readonly<Record<string, string>> {
  if ('error' in message) {
    return { ':message-type': 'error', ':error-code': message.error, ':error-message': message.message };
  }
  const json = { ':content-type': 'application/json' };
  if ('exception' in message) {
    return { ':message-type': 'exception', ':exception-type': message.exception, ...json };
  }
  return { ':message-type': 'event', ':event-type': message.event, ...json };
}
