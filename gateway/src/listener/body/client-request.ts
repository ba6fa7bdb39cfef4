import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { AppError, memoryExhausted } from '../../errors/index.ts';
import type { ByteAccount } from '../../lib/byte-budget.ts';
import type { JsonLimits } from '../../lib/json/index.ts';
import type { BodyKind, ClientRequest, RequestBody } from '../../pipeline/index.ts';
import { boundaryOf, isForm } from '../../wire/form/index.ts';
import type { ProgressRule } from './body-progress.ts';
import { checkLength, LARGE_BYTES, readBytes } from './read-bytes.ts';
import { parseBody, parseLargeBody } from './read-json.ts';
import { createStreamedBody } from './streamed-body.ts';
import { hasBody } from './unread-body.ts';

export interface BodyLimits {
  readonly maxJsonBytes: number;
  readonly json: JsonLimits;
  readonly replayBytes: number;
  readonly progress: ProgressRule;
}

export interface ClientRequestOptions {
  readonly route: Readonly<Record<string, string>>;
  readonly limits: BodyLimits;
  /** Accounts for the body until the answer has been sent. */
  readonly memory: ByteAccount;
}

export interface ServedRequest extends ClientRequest {
  /** Gives back the bytes of a JSON body, of which only the value is still held: the answer is a stream and may be long. */
  releaseBytes(): void;
}

/** A header by its lower-case name; repeated ones are joined by `, `. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  // Names come from clients: `constructor` is a header like any other.
  const value = Object.hasOwn(headers, name) ? headers[name] : undefined;
  return Array.isArray(value) ? value.join(', ') : value;
}

/** The pipeline's view of a request of node's HTTP server. */
export function toClientRequest(
  message: IncomingMessage,
  { route, limits, memory }: ClientRequestOptions,
): ServedRequest {
  let jsonBytes = 0;
  const url = message.url ?? '/';
  const mark = url.indexOf('?');
  const given = message.headers; // a getter
  const header = (name: string): string | undefined => headerOf(given, name);
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
    checkLength: (kinds) => {
      if (isRead(kinds, given['content-type'])) checkLength(message, limits.maxJsonBytes);
    },
    readBody: async (kinds) => {
      const body = await readBody(message, kinds, { limits, memory });
      if (body.kind === 'json') jsonBytes = body.bytes.length;
      return body;
    },
    releaseBytes: () => {
      memory.give(jsonBytes);
      jsonBytes = 0;
    },
  };
}

async function readBody(
  message: IncomingMessage,
  kinds: readonly BodyKind[],
  { limits, memory }: Omit<ClientRequestOptions, 'route'>,
): Promise<RequestBody> {
  const { method, headers } = message;
  const { progress } = limits;
  const mayBeAbsent = kinds.includes('none');
  if (method === 'GET' || method === 'HEAD' || (mayBeAbsent && !hasBody(message))) return { kind: 'none' };
  const contentType = headers['content-type'];
  if (isRead(kinds, contentType)) {
    refuseEncoded(headers['content-encoding']);
    const bytes = await readBytes(message, { maxBytes: limits.maxJsonBytes, progress, memory });
    if (bytes.length === 0 && mayBeAbsent) return { kind: 'none' };
    if (!memory.take(bytes.length)) throw memoryExhausted(); // the value that is parsed from them
    const value = bytes.length < LARGE_BYTES ? parseBody(bytes, limits.json) : await parseLargeBody(bytes, limits.json);
    return { kind: 'json', bytes, value };
  }
  const length = headers['content-length'];
  const bytes = length === undefined ? undefined : Number(length);
  const boundary = formBoundary(kinds, contentType);
  const source = createStreamedBody(message, { ...limits, bytes, memory });
  if (boundary === undefined) return { kind: 'binary', contentType, source };
  return { kind: 'form', contentType: contentType ?? '', boundary, source };
}

/** Whether the body is read as JSON: always where the operation takes JSON only, otherwise by its media type. */
const isRead = (kinds: readonly BodyKind[], contentType: string | undefined): boolean =>
  kinds.includes('json') && (kinds.length === 1 || isJson(contentType));

/** The boundary of a form. A form without one is refused, unless the operation takes any bytes. */
function formBoundary(kinds: readonly BodyKind[], contentType = ''): string | undefined {
  if (!kinds.includes('form')) return undefined;
  const takesBytes = kinds.includes('binary');
  if (takesBytes && !isForm(contentType)) return undefined;
  try {
    return boundaryOf(contentType);
  } catch (error) {
    if (takesBytes) return undefined;
    throw error;
  }
}

/** Compressed JSON would have to be unpacked, within a limit, before it can be read; no SDK sends it. */
function refuseEncoded(encoding: string | undefined): void {
  if (encoding === undefined || encoding === '' || encoding.toLowerCase() === 'identity') return;
  throw new AppError('BODY_NOT_JSON', {
    detail: 'The request body is compressed; send it without content-encoding',
    param: 'content-encoding',
  });
}

const isJson = (type: string | undefined): boolean =>
  type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json';
