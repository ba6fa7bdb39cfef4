/** Which headers of a client go to a provider; spec/providers.md 1.4 and 1.16, behaviour-providers-hosts 11.7. */
import type { Caller, ClientRequest } from '../exchange.ts';
import { forwardable } from '../resolve/header-list.ts';

/** They belong to the client's connection or to the gateway. */
const ENDS_HERE: ReadonlySet<string> = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'expect',
  'content-length',
]);

/** The client's headers for the proxy mode, without what ends at the gateway and without the gateway key. */
export function clientHeaders(request: ClientRequest, caller: Caller): Record<string, string> {
  const out: Record<string, string> = {};
  for (const [name, value] of request.headers()) {
    if (ENDS_HERE.has(name) || name.startsWith('x-gw-')) continue;
    if (caller.keyHeaders.has(name)) continue;
    out[name] = name === 'accept-encoding' ? withoutBrotli(value) : value;
  }
  return out;
}

/** Brotli is left out so that every body can be read where it has to be. */
const withoutBrotli = (value: string): string =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => !/^br\b/i.test(item))
    .join(', ');

const NOTHING: Readonly<Record<string, string>> = {};

/** The headers a config or the request wants passed on; absent ones are left out, and so is the gateway key. */
export function forwardedHeaders(
  request: ClientRequest,
  caller: Caller,
  names: readonly string[],
): Readonly<Record<string, string>> {
  if (names.length === 0) return NOTHING;
  const out: Record<string, string> = {};
  for (const name of forwardable(names)) {
    const value = caller.keyHeaders.has(name) ? undefined : request.header(name);
    if (value !== undefined) out[name] = value;
  }
  return out;
}
