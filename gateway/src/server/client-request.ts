import type { IncomingMessage } from 'node:http';
import type { ClientRequest, RequestBody } from '../pipeline/index.ts';
import { parseBody, readBytes } from './read-json.ts';
import { createStreamedBody } from './streamed-body.ts';

export interface BodyLimits {
  readonly maxJsonBytes: number;
  readonly replayBytes: number;
}

/** A request of node's HTTP server as the pipeline sees it. */
export function toClientRequest(
  message: IncomingMessage,
  { route, limits }: { readonly route: Readonly<Record<string, string>>; readonly limits: BodyLimits },
): ClientRequest {
  const url = message.url ?? '/';
  const mark = url.indexOf('?');
  const header = (name: string): string | undefined => {
    const value = message.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  };
  return {
    method: message.method ?? 'GET',
    path: mark < 0 ? url : url.slice(0, mark),
    query: mark < 0 ? '' : url.slice(mark + 1),
    route,
    header,
    *headers() {
      for (const name in message.headers) {
        const value = header(name);
        if (value !== undefined && !name.startsWith(':')) yield [name, value];
      }
    },
    readBody: ({ json }) => readBody(message, json, limits),
  };
}

async function readBody(message: IncomingMessage, json: boolean, limits: BodyLimits): Promise<RequestBody> {
  const { method, headers } = message;
  const length = headers['content-length'];
  const absent = length === undefined ? headers['transfer-encoding'] === undefined : length === '0';
  if (method === 'GET' || method === 'HEAD' || (absent && !json)) return { kind: 'none' };
  if (json || isJson(headers['content-type'])) {
    const bytes = await readBytes(message, limits.maxJsonBytes);
    if (bytes.length === 0 && !json) return { kind: 'none' };
    return { kind: 'json', bytes, value: parseBody(bytes) };
  }
  const bytes = length === undefined ? undefined : Number(length);
  return { kind: 'streamed', source: createStreamedBody(message, { replayBytes: limits.replayBytes, bytes }) };
}

const isJson = (type: string | undefined): boolean =>
  type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
