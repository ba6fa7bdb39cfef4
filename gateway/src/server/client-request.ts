import type { IncomingMessage } from 'node:http';
import type { Http2ServerRequest } from 'node:http2';
import { AppError } from '../errors/index.ts';
import type { JsonLimits } from '../lib/json/index.ts';
import type { ClientRequest, RequestBody } from '../pipeline/index.ts';
import { checkLength, LARGE_BYTES, parseBody, parseLargeBody, readBytes } from './read-json.ts';
import { createStreamedBody } from './streamed-body.ts';

export interface BodyLimits {
  readonly maxJsonBytes: number;
  readonly json: JsonLimits;
  readonly replayBytes: number;
}

/** A request of node's HTTP server as the pipeline sees it. */
export function toClientRequest(
  message: IncomingMessage,
  { route, limits }: { readonly route: Readonly<Record<string, string>>; readonly limits: BodyLimits },
): ClientRequest {
  const url = message.url ?? '/';
  const mark = url.indexOf('?');
  const given = message.headers; // a getter
  const header = (name: string): string | undefined => {
    // Names come from clients: `constructor` is a header like any other.
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return {
    method: message.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    route,
    header,
    *headers() {
      for (const name in given) {
        const value = header(name);
        if (value !== undefined && !name.startsWith(':')) yield [name, value];
      }
    },
    checkLength: ({ json }) => {
      if (json || isJson(given['content-type'])) checkLength(message, limits.maxJsonBytes);
    },
    readBody: ({ json }) => readBody(message, json, limits),
  };
}

async function readBody(message: IncomingMessage, json: boolean, limits: BodyLimits): Promise<RequestBody> {
  const { method, headers } = message;
  if (method === 'GET' || method === 'HEAD' || (!json && !hasBody(message))) return { kind: 'none' };
  if (json || isJson(headers['content-type'])) {
    refuseEncoded(headers['content-encoding']);
    const bytes = await readBytes(message, limits.maxJsonBytes);
    if (bytes.length === 0 && !json) return { kind: 'none' };
    const value = bytes.length < LARGE_BYTES ? parseBody(bytes, limits.json) : await parseLargeBody(bytes, limits.json);
    return { kind: 'json', bytes, value };
  }
  const length = headers['content-length'];
  const bytes = length === undefined ? undefined : Number(length);
  return { kind: 'streamed', source: createStreamedBody(message, { replayBytes: limits.replayBytes, bytes }) };
}

/** Compressed JSON would have to be unpacked, within a limit, before it can be read; no SDK sends it. */
function refuseEncoded(encoding: string | undefined): void {
  if (encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new AppError('BODY_NOT_JSON', {
    detail: 'The request body is compressed; send it without content-encoding',
    param: 'content-encoding',
  });
}

function hasBody(message: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': framing } = message.headers;
  if (length !== undefined) return length !== '0';
  if (message.httpVersionMajor < 2) return framing !== undefined;
  // HTTP/2 frames bodies by itself; requests of node's compatibility layer only look like those of HTTP/1.
  return !(message as unknown as Http2ServerRequest).stream.endAfterHeaders;
}

const isJson = (type: string | undefined): boolean =>
  type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
