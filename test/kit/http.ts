import { type ClientRequest, type IncomingMessage, request as startRequest } from 'node:http';
import { connect } from 'node:net';
import type { Readable } from 'node:stream';

export interface SendOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** An object becomes JSON with its content type. */
  readonly body?: string | Buffer | Readable | object;
  /** Called when the first bytes of the answer's body are there. */
  readonly begun?: () => void;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly bytes: Buffer;
  readonly text: string;
  /** The body parsed as JSON; throws when it is none. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  json(): any;
}

/** A request on a connection of its own whose answer has begun. */
export interface Opened {
  readonly request: ClientRequest;
  readonly response: IncomingMessage;
}

/** Sends one request on a connection of its own and reads the whole answer. */
export async function send(url: string, options: SendOptions = {}): Promise<Received> {
  const { response } = await open(url, options);
  if (options.begun !== undefined) response.once('data', options.begun);
  return receive(response);
}

/** Sends one request and gives the answer as soon as its headers are there. */
export function open(url: string, { method, headers = {}, body }: SendOptions = {}): Promise<Opened> {
  const { bytes, type } = toBody(body);
  return new Promise((resolve, reject) => {
    const { origin, hostname, port } = new URL(url);
    const request = startRequest({
      hostname,
      port,
      path: url.slice(origin.length) || '/', // as written: the parser would resolve dot segments
      method: method ?? (body === undefined ? 'GET' : 'POST'),
      headers: { ...type, ...headers },
      agent: false,
    });
    request.on('response', (response) => resolve({ request, response }));
    request.on('error', reject);
    if (typeof bytes === 'object' && 'pipe' in bytes) bytes.pipe(request);
    else request.end(bytes);
  });
}

export async function receive(response: IncomingMessage): Promise<Received> {
  const pieces: Buffer[] = [];
  for await (const piece of response) pieces.push(piece as Buffer); // no encoding is set
  const bytes = Buffer.concat(pieces);
  const text = bytes.toString('utf8');
  return {
    status: response.statusCode ?? 0,
    headers: response.headers,
    bytes,
    text,
    json: () => JSON.parse(text),
  };
}

function toBody(body: SendOptions['body']): { bytes: string | Buffer | Readable | undefined; type: object } {
  if (body === undefined || typeof body === 'string' || Buffer.isBuffer(body)) {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    return { bytes: body, type: length };
  }
  if ('pipe' in body) return { bytes: body, type: {} };
  const text = JSON.stringify(body);
  const type = { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) };
  return { bytes: text, type };
}

/**
 * Writes bytes to a port and gives whatever comes back until the other side closes, as it does after `connection: close` or bytes
 * that are no request. It does not end its own side before: a server may take that for a client that has left.
 */
export function sendBytes(port: number, bytes: string | Buffer): Promise<Buffer> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (piece) => pieces.push(piece as Buffer)); // no encoding is set
    socket.on('error', () => {}); // a reset is an answer, too
    socket.on('close', () => resolve(Buffer.concat(pieces)));
  });
}

/** The events of a server-sent stream, comments left out. */
export function eventsOf(text: string): { readonly event: string | undefined; readonly data: string }[] {
  return text
    .split(/\r\n\r\n|\n\n|\r\r/)
    .map((block) => block.split(/\r\n|\n|\r/).filter((line) => line !== '' && !line.startsWith(':')))
    .filter((lines) => lines.length > 0)
    .map((lines) => ({
      event: lines
        .find((line) => line.startsWith('event:'))
        ?.slice(6)
        .trim(),
      data: lines
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice(5).trimStart())
        .join('\n'),
    }));
}
