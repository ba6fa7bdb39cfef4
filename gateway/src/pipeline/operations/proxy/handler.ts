/** Calls of the proxy mode: the client's method, path, query, headers and body, and the provider's answer as it comes. */
import { writeJson } from '../../../lib/json/index.ts';
import type { Call } from '../../../providers/contract.ts';
import { buildProxyRequest, compileProvider } from '../../../providers/engine/index.ts';
import { createRelayTransform } from '../../../wire/transform/index.ts';
import { isServerSent, passedHeaders, relayedHeaders } from '../../attempt/map/index.ts';
import { type RequestBody, uploadOf } from '../../exchange.ts';
import type { OperationHandler } from '../handler.ts';

export const PROXY_HANDLER: OperationHandler = {
  endpoint: 'proxy',
  readsStream: false,
  passesQuery: true,
  endpointOf: () => undefined,
  modelAt: (provider, { method, path }) =>
    compileProvider(provider).modelPlaces({ method, path: providerPath(path.slice('/v1'.length)) }),
  buildRequest: ({ resolved, call }, { body, method, clientHeaders, ...options }) =>
    buildProxyRequest(resolved.target, call, {
      ...options,
      method,
      headers: clientHeaders(),
      body: jsonBytes(body, call),
      streamed: uploadOf(body)?.source,
    }),
  isStreamed: (_served, { status }) => status >= 200 && status <= 299,
  mapAnswer: (_served, { headers, bytes }) => ({ headers: passedHeaders(headers), bytes }),
  mapError: (_served, { headers, bytes }) => ({ headers: passedHeaders(headers), bytes }),
  mapStream: (_served, response, scrub) =>
    isServerSent(response)
      ? { headers: passedHeaders(response.headers), transform: createRelayTransform('events', { scrub: scrub.bytes }) }
      : { headers: relayedHeaders(response.headers), transform: undefined },
};

function jsonBytes(body: RequestBody, { params }: Call): Buffer | undefined {
  if (body.kind !== 'json') return undefined;
  return body.value === params ? body.bytes : writeJson(params);
}

/** As the path goes to the provider, without its query. */
const providerPath = (path: string): string =>
  path === '/proxy' || path.startsWith('/proxy/') ? path.slice('/proxy'.length) : path;
