/** A provider of the realtime API that a test scripts, and a client of the gateway. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { WebSocket, WebSocketServer } from 'ws';
import { KEY } from './snapshot.ts';
import { waitFor } from './wait-for.ts';

export interface ProviderSession {
  readonly socket: WebSocket;
  readonly request: IncomingMessage;
  readonly messages: readonly Message[];
  /** Undefined: it is open. */
  readonly closed: Closed | undefined;
  /** Sends an event. */
  emit(event: object): void;
}

export interface Message {
  readonly data: Buffer;
  readonly isBinary: boolean;
}

interface Closed {
  readonly code: number;
  readonly reason: string;
}

export interface RealtimeProvider extends AsyncDisposable {
  /** `http://host:port` */
  readonly url: string;
  readonly sessions: readonly ProviderSession[];
  /** Connections that are open now. */
  readonly connections: ReadonlySet<Socket>;
  /** The newest session. */
  session(): Promise<ProviderSession>;
}

export interface ProviderOptions {
  /** Answers a handshake in its own way; true: it has. */
  readonly onUpgrade?: (request: IncomingMessage, socket: Socket) => boolean;
  readonly onSession?: (session: ProviderSession) => void;
}

export async function startRealtimeProvider({
  onUpgrade = () => false,
  onSession = () => {},
}: ProviderOptions = {}): Promise<RealtimeProvider> {
  const sessions: ProviderSession[] = [];
  const connections = new Set<Socket>();
  const server = createServer((_request, response) => response.writeHead(404).end());
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false });
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.on('error', () => {}); // resets are part of the tests
    socket.on('close', () => connections.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    if (onUpgrade(request, socket)) {
      socket.on('end', () => socket.end()).resume();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (opened) => {
      const session = new OpenSession(opened, request);
      sessions.push(session);
      onSession(session);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listening on TCP
    sessions,
    connections,
    session: async () => {
      await waitFor(() => sessions.length > 0, { what: 'a session at the provider' });
      return sessions.at(-1) as ProviderSession; // there is one
    },
    [Symbol.asyncDispose]: async () => {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export interface RealtimeClient extends Disposable {
  readonly socket: WebSocket;
  readonly messages: readonly Message[];
  readonly closed: Closed | undefined;
  /** Of the answer that opened the session. */
  readonly headers: IncomingMessage['headers'];
  /** The events that came, parsed. */
  events(): readonly Readonly<Record<string, unknown>>[];
}

export interface ClientOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly path?: string;
  readonly query?: string;
  readonly protocols?: readonly string[];
  readonly ca?: string;
}

/** Connects with the key of `key()`. Rejects with the status of an answer that opens no session. */
export async function connectRealtime(
  url: string,
  { headers = {}, path = '/v1/realtime', query = 'model=@openai/gpt-realtime', protocols = [], ca }: ClientOptions = {},
): Promise<RealtimeClient> {
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}?${query}`, protocols, {
    headers: { 'x-gw-api-key': KEY, ...headers },
    perMessageDeflate: false,
    ...(ca === undefined ? {} : { ca }),
  });
  const client = new OpenClient(socket);
  await Promise.race([
    once(socket, 'open'),
    once(socket, 'unexpected-response').then(async ([, answer]) => {
      const response: IncomingMessage = answer;
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk);
      throw new RefusedError(response, Buffer.concat(chunks).toString());
    }),
  ]);
  return client;
}

/** An answer of HTTP in place of a session. */
export class RefusedError extends Error {
  readonly status: number | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;

  constructor({ statusCode, headers }: IncomingMessage, text: string) {
    super(`${statusCode}: ${text}`);
    this.status = statusCode;
    this.headers = headers;
    this.text = text;
  }
}

class Watched {
  readonly socket: WebSocket;
  readonly messages: Message[] = [];
  closed: Closed | undefined;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data, isBinary) => void this.messages.push({ data, isBinary }));
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    socket.on('error', () => {}); // 'close' follows
  }
}

class OpenSession extends Watched implements ProviderSession {
  readonly request: IncomingMessage;

  constructor(socket: WebSocket, request: IncomingMessage) {
    super(socket);
    this.request = request;
  }

  emit(event: object): void {
    this.socket.send(JSON.stringify(event));
  }
}

class OpenClient extends Watched implements RealtimeClient {
  headers: IncomingMessage['headers'] = {};

  constructor(socket: WebSocket) {
    super(socket);
    socket.once('upgrade', ({ headers }) => {
      this.headers = headers;
    });
  }

  events(): readonly Readonly<Record<string, unknown>>[] {
    return this.messages.map(({ data }) => JSON.parse(data.toString()));
  }

  [Symbol.dispose](): void {
    this.socket.terminate();
  }
}
