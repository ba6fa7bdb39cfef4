/** Requests that are answered before their body has arrived. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { constants, type Http2ServerRequest } from 'node:http2';

/** Whether the headers say that a body follows. */
export function hasBody(message: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': framing } = message.headers;
  if (length !== undefined) return length !== '0';
  if (!isHttp2(message)) return framing !== undefined;
  return !streamOf(message).endAfterHeaders;
}

/**
 * Closes the connection, over HTTP/2 the stream, after the answer that is about to be written when the body has not arrived by
 * then. Otherwise the rest would be read and discarded for as long as the client sends.
 */
export function endUnread(message: IncomingMessage, response: ServerResponse): void {
  if (message.complete || !hasBody(message)) return;
  if (!isHttp2(message)) {
    response.setHeader('connection', 'close');
    return;
  }
  const stream = streamOf(message);
  stream.once('finish', () => stream.close(constants.NGHTTP2_NO_ERROR)); // RFC 9113 section 8.1
}

/** Not by the version alone: a request line in plain text may say HTTP/2.0, too. */
const isHttp2 = (message: IncomingMessage): boolean => message.httpVersionMajor > 1 && 'stream' in message;

/** HTTP/2 requests have the type of node's compatibility layer, which hides the stream. */
const streamOf = (message: IncomingMessage) => (message as unknown as Http2ServerRequest).stream;
