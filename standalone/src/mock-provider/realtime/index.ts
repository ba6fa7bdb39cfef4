/** The realtime API of the mock: `GET /v1/realtime` as a WebSocket. Status, credential and text follow the controls. */
import type { IncomingMessage, Server } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import type { ReceivedRequest, Recorder } from '../recorder.ts';
import type { Prepared } from '../respond.ts';
import { createSeed } from '../seed.ts';
import { serveSession } from './session.ts';

/** Of one event; OpenAI takes as much. */
const MAX_EVENT_BYTES = 16 * 1024 * 1024;
const NO_BODY = Buffer.alloc(0);

export interface RealtimeOptions {
  readonly recorder: Pick<Recorder, 'record'>;
  /** Answers the handshake as if it were a call: from 400 on it is refused. */
  respond(request: ReceivedRequest): Prepared;
  toRequest(message: IncomingMessage, body: Buffer): ReceivedRequest;
}

export function serveRealtime(server: Server, { recorder, respond, toRequest }: RealtimeOptions): void {
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: MAX_EVENT_BYTES,
    perMessageDeflate: false,
    handleProtocols: (offered) => [...offered][0] ?? false,
  });
  server.on('upgrade', (message: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => {}); // 'close' follows
    const request = toRequest(message, NO_BODY);
    recorder.record(request, socket);
    const { outgoing, controls } = respond(request);
    if (outgoing.status >= 400) {
      refuse(socket, outgoing);
      return;
    }
    const model = new URLSearchParams(request.search).get('model') ?? '';
    const open = (): void =>
      sockets.handleUpgrade(message, socket, head, (opened) => {
        opened.on('error', () => {}); // 'close' follows
        serveSession(opened, { model, seed: createSeed(request.path + request.search, NO_BODY), controls });
      });
    const delay = setTimeout(open, controls.delayMs ?? 0);
    socket.on('close', () => clearTimeout(delay));
  });
}

function refuse(socket: Duplex, { status, headers, bursts }: Prepared['outgoing']): void {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n`);
  for (const burst of bursts) socket.write(burst);
  socket.end();
  socket.resume();
}
