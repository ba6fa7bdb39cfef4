/** Requests that are answered before their body has come: nothing waits for the rest of it. */
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
 * Ends the connection, over HTTP/2 the stream, with the answer that is about to be written when the body is not there by
 * then: what is left of it would be read to nowhere, for as long as the client likes.
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

const isHttp2 = (message: IncomingMessage): boolean => message.httpVersionMajor > 1;

/** Requests of node's compatibility layer only look like those of HTTP/1. */
const streamOf = (message: IncomingMessage) => (message as unknown as Http2ServerRequest).stream;
