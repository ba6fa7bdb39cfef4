/** The body of a request, once its media type is known to be one that the operation takes. */
import { AppError, memoryExhausted } from '../errors/index.ts';
import type { JsonLimits } from '../lib/json/index.ts';
import type { PartTimes } from '../record/index.ts';
import type { Exchange, RequestBody } from './exchange.ts';

/** The media types of bodies, but for `binary`, which has any. */
const MEDIA_TYPES = {
  json: 'application/json',
  form: 'multipart/form-data',
};

/** Throws CONTENT_TYPE_INVALID, and rejects as `readBody` of the request does. `times`: absent where nobody asks for them. */
export function readBody(exchange: Pick<Exchange, 'operation' | 'request'>, times?: PartTimes): Promise<RequestBody> {
  checkContentType(exchange);
  const { operation, request } = exchange;
  if (times === undefined) return request.readBody(operation.bodies);
  const startedMs = performance.now();
  return request.readBody(operation.bodies).then((body) => {
    times.parsingMs = performance.now() - startedMs;
    return body;
  });
}

/**
 * The body that everything looks at, which operations may write anew. Rejects with what they throw, and with CONTENT_ENCODING_INVALID and
 * MEMORY_EXHAUSTED.
 */
export async function readAs(
  { operation, request, memory }: Pick<Exchange, 'operation' | 'request' | 'memory'>,
  given: RequestBody,
  json: JsonLimits,
): Promise<RequestBody> {
  const { readAs: read } = operation;
  if (read === undefined) return given;
  const encoding = request.header('content-encoding')?.trim() ?? '';
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') {
    throw new AppError('CONTENT_ENCODING_INVALID', { param: 'content-encoding' });
  }
  const body = await read(given, { query: request.query, json });
  if (body !== given && body.kind === 'json' && !memory.take(body.bytes.length)) throw memoryExhausted();
  return body;
}

function checkContentType({ operation, request }: Pick<Exchange, 'operation' | 'request'>): void {
  const { bodies, anyMediaType } = operation;
  if (anyMediaType === true || bodies.includes('binary')) return;
  const type = request.header('content-type');
  if (type === undefined || type === '') return;
  const media = type === MEDIA_TYPES.json ? type : (type.split(';', 1)[0]?.trim().toLowerCase() ?? '');
  if (bodies.includes('json') && (media === MEDIA_TYPES.json || media.endsWith('+json'))) return;
  if (bodies.includes('form') && media === MEDIA_TYPES.form) return;
  const taken = bodies.flatMap((kind) => (kind === 'json' || kind === 'form' ? [MEDIA_TYPES[kind]] : []));
  throw new AppError('CONTENT_TYPE_INVALID', {
    param: 'content-type',
    detail: `Invalid content type passed: ${media}; this operation takes ${taken.join(' or ')}`,
  });
}
