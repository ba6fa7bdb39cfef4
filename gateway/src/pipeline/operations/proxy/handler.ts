/** Calls of the proxy mode: the client's method, path, query, headers and body, and the provider's answer as it comes. */
import { writeJson } from '../../../lib/json/index.ts';
import { buildProxyRequest, compileProvider } from '../../../providers/engine/index.ts';
import type { Upload } from '../../../wire/contract.ts';
import { createRelayTransform } from '../../../wire/transform/index.ts';
import { isEventStream, isServerSent, passedHeaders, relayedHeaders } from '../../attempt/map/index.ts';
import type { OperationHandler } from '../handler.ts';
import { observed } from '../observed.ts';

export const PROXY_HANDLER: OperationHandler = {
  endpoint: 'proxy',
  readsStream: false,
  passesQuery: true,
  endpointOf: () => undefined,
  modelAt: (provider, { method, path }) => compileProvider(provider).modelPlaces({ method, path: providerPath(path) }),
  buildRequest: ({ resolved, call }, parts) => {
    const { forwarded, services, signal, method, body, rawBody, upload } = parts;
    return buildProxyRequest(resolved.target, call, {
      forwarded,
      services,
      signal,
      method,
      headers: body.kind === 'json' ? readable(parts.clientHeaders()) : typed(parts.clientHeaders(), upload),
      body: body.kind === 'json' ? (rawBody ?? writeJson(call.params)) : undefined,
      streamed: upload?.source,
    });
  },
  isStreamed: (_served, { status }) => status >= 200 && status <= 299,
  isEventStream: (_served, response) => isEventStream(response),
  mapAnswer: (_served, { headers, bytes }) => ({ headers: passedHeaders(headers), bytes }),
  mapError: (_served, { headers, bytes }) => ({ headers: passedHeaders(headers), bytes }),
  mapStream: ({ operation }, response, scrub) =>
    isServerSent(response)
      ? { headers: passedHeaders(response.headers), transform: createRelayTransform('events', { scrub: scrub.bytes }) }
      : { headers: relayedHeaders(response.headers), transform: undefined, ...observed(response, operation) },
};

/** Without compression: what a model call used has to be read. */
function readable({ 'accept-encoding': _, ...headers }: Readonly<Record<string, string>>) {
  return headers;
}

/** A form that was written anew has another boundary. */
const typed = (headers: Readonly<Record<string, string>>, upload: Upload | undefined) =>
  upload?.kind === 'form' ? { ...headers, 'content-type': upload.contentType } : headers;

/** A path below `/v1` as it goes to the provider, without its query. */
export function providerPath(path: string): string {
  const below = path.slice('/v1'.length);
  return below === '/proxy' || below.startsWith('/proxy/') ? below.slice('/proxy'.length) : below;
}
