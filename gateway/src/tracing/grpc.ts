/** Unary calls of gRPC over HTTP/2, as much of it as an export needs. Source: https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md */
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';

export interface GrpcOptions {
  /** Scheme, host and port; a path is not part of a call. */
  readonly url: string;
  /** By their names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly compression: 'none' | 'gzip';
  /** PEM; undefined: what the process trusts. */
  readonly ca: string | undefined;
}

export interface GrpcClient {
  /** Calls a method, e.g. `/package.Service/Method`, with a message. Rejects with GrpcFailure, or with what the connection says. */
  call(method: string, message: Uint8Array, timeoutMs: number): Promise<void>;
  close(): void;
}

/** The server has refused a call. */
export class GrpcFailure extends Error {
  override readonly name = 'GrpcFailure';
  /** Status of gRPC. */
  readonly status: number;

  constructor(status: number) {
    super(`The collector has answered with the gRPC status ${status}`); // its message may repeat what was sent
    this.status = status;
  }
}

const compress = promisify(gzip);
/** Of a message: whether it is compressed, and its length. */
const PREFIX_BYTES = 5;
/** Answers of an export are a few bytes. */
const MAX_ANSWER_BYTES = 64 * 1024;
const UNKNOWN = 2;

/** Connects with the first call, and again with the first one after a connection has ended. */
export function createGrpcClient({ url, headers, compression, ca }: GrpcOptions): GrpcClient {
  let session: ClientHttp2Session | undefined;
  const connected = (): ClientHttp2Session => {
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(new URL(url).origin, ca === undefined ? {} : { ca });
      session.on('error', () => undefined); // the calls that use it say so
      session.unref();
    }
    return session;
  };
  return {
    call: async (method, message, timeoutMs) => {
      const body = await frameOf(message, compression);
      const stream = connected().request({
        ':method': 'POST',
        ':path': method,
        'content-type': 'application/grpc',
        te: 'trailers',
        'grpc-timeout': `${Math.ceil(timeoutMs)}m`,
        ...(compression === 'gzip' ? { 'grpc-encoding': 'gzip' } : {}),
        ...headers,
      });
      stream.end(body);
      const status = await statusOf(stream, timeoutMs);
      if (status !== 0) throw new GrpcFailure(status);
    },
    close: () => session?.destroy(),
  };
}

async function frameOf(message: Uint8Array, compression: GrpcOptions['compression']): Promise<Buffer> {
  const content = compression === 'gzip' ? await compress(message) : message;
  const prefix = Buffer.alloc(PREFIX_BYTES);
  prefix.writeUInt8(compression === 'gzip' ? 1 : 0, 0);
  prefix.writeUInt32BE(content.byteLength, 1);
  return Buffer.concat([prefix, content]);
}

/** Of the trailers, or of the headers of an answer without a message. */
function statusOf(stream: ClientHttp2Stream, timeoutMs: number): Promise<number> {
  return new Promise<number>((resolve, reject) => {
    let found: IncomingHttpHeaders = {};
    let bytes = 0;
    const timer = setTimeout(() => {
      stream.close();
      reject(new Error(`The collector has not answered within ${timeoutMs} ms`));
    }, timeoutMs);
    stream.on('response', (headers) => {
      found = headers;
    });
    stream.on('trailers', (trailers) => {
      found = { ...found, ...trailers };
    });
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_ANSWER_BYTES) stream.destroy(new Error('The answer of the collector is too long'));
    });
    stream.on('error', reject);
    stream.on('close', () => {
      clearTimeout(timer);
      resolve(toStatus(found));
    });
  });
}

function toStatus(headers: IncomingHttpHeaders): number {
  const status = Number(headers['grpc-status'] ?? Number.NaN);
  return Number.isInteger(status) ? status : UNKNOWN;
}
