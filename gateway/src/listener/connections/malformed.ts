import { randomUUID } from 'node:crypto';
import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { DEFAULTS } from '../../config/index.ts';
import { AppError, renderError } from '../../errors/index.ts';
import { identify } from '../answer/identify.ts';

interface Refusal {
  readonly status: number;
  readonly detail: string;
}

/** Answers by the error code of node's parser. Source: Node.js documentation, http 'clientError'. */
const REFUSALS: ReadonlyMap<string | undefined, Refusal> = new Map([
  [
    'HPE_HEADER_OVERFLOW',
    { status: 431, detail: `The headers are too many or larger than ${DEFAULTS.maxHeaderBytes / 1024} KiB together` },
  ],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', { status: 413, detail: 'The chunk extensions of the body are too large' }],
  ['ERR_HTTP_REQUEST_TIMEOUT', { status: 408, detail: 'The request did not arrive whole in time' }],
]);
const MALFORMED: Refusal = {
  status: 400,
  detail: 'The request line, a header or the framing of the body is malformed',
};

/** Answers bytes that are no HTTP request. There is no response object yet, so the answer is written to the socket. */
export function refuseMalformed(error: Error & { readonly code?: string }, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable && !isAnswering(socket)) {
    const { status, detail } = REFUSALS.get(error.code) ?? MALFORMED;
    const { headers, body } = renderError(new AppError('HEADER_INVALID', { detail }), 'openai');
    const lines = Object.entries({
      ...identify({ ...headers }, randomUUID()),
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

/** Whether an answer has begun on the connection: more bytes would be read as a part of it. */
function isAnswering(socket: Socket): boolean {
  // Node keeps the current response here, and its own handler of such errors reads it, too.
  const { _httpMessage: answer } = socket as { readonly _httpMessage?: Pick<ServerResponse, 'headersSent'> | null };
  return answer?.headersSent === true;
}
