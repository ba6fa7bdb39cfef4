import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, renderError } from '../errors/index.ts';

/** Statuses of what node's parser refuses. Source: node docs, http 'clientError'. */
const STATUSES: ReadonlyMap<string | undefined, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
]);

/** Answers what is no HTTP request: there is no response object yet, so the bytes are written by hand. */
export function refuseMalformed(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const status = STATUSES.get(error.code) ?? 400;
    const { headers, body } = renderError(new AppError('HEADER_INVALID'), 'openai');
    const lines = Object.entries({
      ...headers,
      'x-gw-trace-id': randomUUID(),
      'content-length': body.length,
      connection: 'close',
    });
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`,
    );
    socket.write(body);
  }
  socket.destroySoon();
}
