import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** One request as its bytes came in. */
export interface RawRequest {
  readonly method: string;
  readonly target: string;
  /** Lower-case names; the last of a repeated header. */
  readonly headers: ReadonlyMap<string, string>;
  /** Header names and values as they were sent, in order. */
  readonly lines: readonly string[];
  /** The body without its framing, once it is complete. */
  readonly body: Promise<Buffer>;
}

export interface RawReply {
  readonly request: RawRequest;
  readonly socket: Socket;
  /** Writes bytes as they are; resolves when they are handed to the kernel. */
  write(bytes: string | Buffer): Promise<void>;
  /** Status line and headers; the body is the caller's business. */
  head(status: number, headers?: Readonly<Record<string, string>>): Promise<void>;
  /** A complete answer with content-length. */
  answer(status: number, body: string | Buffer, headers?: Readonly<Record<string, string>>): Promise<void>;
  /** One chunk of a chunked body; an empty one ends it. */
  chunk(bytes: string | Buffer): Promise<void>;
  /** Cuts the connection without a FIN. */
  reset(): void;
}

export interface RawUpstream extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly requests: readonly RawRequest[];
  /** Connections that are open now. */
  readonly connections: ReadonlySet<Socket>;
}

/** An HTTP/1.1 server whose answers are written byte by byte by the handler; one request at a time per connection. */
export async function startRawUpstream(handler: (reply: RawReply) => void | Promise<void>): Promise<RawUpstream> {
  const connections = new Set<Socket>();
  const requests: RawRequest[] = [];
  const server = createServer((socket) => {
    connections.add(socket);
    socket.on('close', () => connections.delete(socket));
    socket.on('error', () => {}); // resets are part of the tests
    readRequests(socket, (request) => {
      requests.push(request);
      Promise.resolve(handler(toReply(request, socket))).catch(() => socket.destroy());
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    port,
    requests,
    connections,
    [Symbol.asyncDispose]: async () => {
      for (const socket of connections) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

function readRequests(socket: Socket, onRequest: (request: RawRequest) => void): void {
  let held: Buffer = Buffer.alloc(0);
  let body: BodyReader | undefined;
  socket.on('data', (bytes: Buffer) => {
    held = Buffer.concat([held, bytes]);
    for (;;) {
      if (body !== undefined) {
        held = body.take(held);
        if (!body.done) return;
        body = undefined;
      }
      const end = held.indexOf('\r\n\r\n');
      if (end < 0) return;
      const [start = '', ...lines] = held.subarray(0, end).toString('latin1').split('\r\n');
      held = held.subarray(end + 4);
      const [method = '', target = ''] = start.split(' ');
      const headers = new Map(lines.map(splitHeader));
      body = createBodyReader(headers);
      onRequest({ method, target, headers, lines, body: body.whole });
    }
  });
}

function splitHeader(line: string): [string, string] {
  const at = line.indexOf(':');
  return [line.slice(0, at).toLowerCase(), line.slice(at + 1).trim()];
}

interface BodyReader {
  readonly done: boolean;
  readonly whole: Promise<Buffer>;
  /** Takes what belongs to the body and gives back the rest. */
  take(bytes: Buffer): Buffer;
}

function createBodyReader(headers: ReadonlyMap<string, string>): BodyReader {
  const chunked = headers.get('transfer-encoding') === 'chunked';
  const { promise, resolve } = Promise.withResolvers<Buffer>();
  const pieces: Buffer[] = [];
  let left = chunked ? 0 : Number(headers.get('content-length') ?? 0);
  let done = false;
  const finish = (): void => {
    done = true;
    resolve(Buffer.concat(pieces));
  };
  const takePlain = (bytes: Buffer): Buffer => {
    const piece = bytes.subarray(0, left);
    if (piece.length > 0) pieces.push(Buffer.from(piece));
    left -= piece.length;
    return bytes.subarray(piece.length);
  };
  const takeChunks = (given: Buffer): Buffer => {
    let bytes = given;
    for (;;) {
      const end = bytes.indexOf('\r\n');
      if (end < 0) return bytes;
      const size = Number.parseInt(bytes.subarray(0, end).toString('latin1'), 16);
      if (bytes.length < end + 2 + size + 2) return bytes;
      if (size > 0) pieces.push(Buffer.from(bytes.subarray(end + 2, end + 2 + size)));
      bytes = bytes.subarray(end + 2 + size + 2);
      if (size > 0) continue;
      finish();
      return bytes;
    }
  };
  if (!chunked && left === 0) finish();
  return {
    get done() {
      return done;
    },
    whole: promise,
    take: (bytes) => {
      if (chunked) return takeChunks(bytes);
      const rest = takePlain(bytes);
      if (left === 0 && !done) finish();
      return rest;
    },
  };
}

function toReply(request: RawRequest, socket: Socket): RawReply {
  const write = (bytes: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      if (socket.destroyed) resolve();
      else socket.write(bytes, () => resolve());
    });
  const head: RawReply['head'] = (status, headers = {}) =>
    write(
      `HTTP/1.1 ${status} Raw\r\n${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}\r\n`,
    );
  return {
    request,
    socket,
    write,
    head,
    answer: async (status, body, headers = {}) => {
      await head(status, { 'content-length': String(Buffer.byteLength(body)), ...headers });
      await write(body);
    },
    chunk: (bytes) =>
      write(
        Buffer.concat([
          Buffer.from(`${Buffer.byteLength(bytes).toString(16)}\r\n`),
          Buffer.from(bytes),
          Buffer.from('\r\n'),
        ]),
      ),
    reset: () => socket.resetAndDestroy(),
  };
}
