import type { HeaderMap, Operation } from '../../pipeline/index.ts';

/**
 * The identifiers of a request on its answer. The request id is the one that the provider gave, since its support asks for it,
 * else the trace id. Clients of OpenAI read it as `x-request-id`, those of Anthropic as `request-id`.
 */
export function identify(headers: HeaderMap, traceId: string, errors: Operation['errors'] = 'openai'): HeaderMap {
  headers['x-gw-trace-id'] = traceId;
  headers['x-request-id'] ??= headers['request-id'] ?? traceId;
  if (errors === 'messages') headers['request-id'] ??= headers['x-request-id'];
  return headers;
}
