/**
 * The yardstick: what node:http and undici can do at most. It parses both bodies, as a gateway has to, and does nothing
 * else. UPSTREAM is the origin; the port it listens on is its one message.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { Agent, type Dispatcher } from 'undici';

const upstream = process.env['UPSTREAM'] ?? '';
const agent = new Agent({ connections: 2_048, pipelining: 1 });

class Relay implements Dispatcher.DispatchHandler {
  readonly #response: ServerResponse;
  readonly #pieces: Buffer[] = [];
  #status = 0;
  #stream = false;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  onRequestStart(): void {}

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: Record<string, unknown>): void {
    const type = String(headers['content-type']);
    this.#status = status;
    this.#stream = type.startsWith('text/event-stream');
    if (this.#stream) this.#response.writeHead(status, { 'content-type': type });
  }

  onResponseData(_: Dispatcher.DispatchController, bytes: Buffer): void {
    if (this.#stream) this.#response.write(bytes);
    else this.#pieces.push(bytes);
  }

  onResponseEnd(): void {
    if (this.#stream) {
      this.#response.end();
      return;
    }
    const body = Buffer.concat(this.#pieces);
    JSON.parse(body.toString('utf8'));
    this.#response.writeHead(this.#status, { 'content-type': 'application/json', 'content-length': body.length });
    this.#response.end(body);
  }

  onResponseError(): void {
    this.#response.destroy();
  }
}

/** A file, either way: with backpressure, and nothing else. */
async function relayFile(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url: path = '/', headers } = request;
  const named = ['content-type', 'content-length', 'authorization'].flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const isUpload = method === 'POST';
  const answer = await agent.request({
    ...{ origin: upstream, path, method: isUpload ? 'POST' : 'GET' },
    ...{ headers: Object.fromEntries(named), body: isUpload ? request : null },
  });
  response.writeHead(answer.statusCode, answer.headers);
  await pipeline(answer.body, response);
}

const server = createServer((request, response) => {
  if (request.method === 'GET' || request.headers['content-type']?.startsWith('multipart/form-data') === true) {
    relayFile(request, response).catch(() => response.destroy());
    return;
  }
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    const body = Buffer.concat(pieces);
    JSON.parse(body.toString('utf8'));
    agent.dispatch(
      {
        origin: upstream,
        path: request.url ?? '/',
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: request.headers.authorization ?? '' },
        body,
      },
      new Relay(response),
    );
  });
});

process.once('disconnect', () => process.exit(0));
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.send?.({ port: typeof address === 'object' ? address?.port : 0 });
});
