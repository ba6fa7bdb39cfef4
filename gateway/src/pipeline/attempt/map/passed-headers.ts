import { isHopByHop, namedByConnection } from '../../../lib/header-names.ts';
import type { UpstreamHeaders } from '../../../upstream/index.ts';
import type { HeaderMap } from '../../exchange.ts';

/** Headers about the site that answers, which is the gateway and not the provider; docs/behaviour/headers.md. */
const SITE_HEADERS: ReadonlySet<string> = new Set([
  ...['set-cookie', 'set-cookie2', 'strict-transport-security', 'public-key-pins', 'expect-ct', 'clear-site-data'],
  ...['alt-svc', 'nel', 'report-to', 'reporting-endpoints', 'timing-allow-origin', 'service-worker-allowed'],
  ...['www-authenticate', 'authentication-info', 'refresh', 'permissions-policy', 'feature-policy', 'document-policy'],
  ...['origin-agent-cluster', 'referrer-policy', 'accept-ch', 'critical-ch', 'set-login', 'speculation-rules'],
  // Servers and proxies behind the gateway.
  ...['server', 'via', 'x-powered-by'],
  // Proxies before the gateway would obey them.
  ...['x-sendfile', 'x-lighttpd-send-file', 'x-reproxy-url'],
]);
const DROPPED = /^(?:x-gw-|access-control-|cross-origin-|content-security-policy|x-accel-)/;

/** As below, with the length of a body whose bytes stay as they are. */
export function relayedHeaders(headers: UpstreamHeaders): HeaderMap {
  const out = passedHeaders(headers);
  const length = headers['content-length'];
  if (length !== undefined) out['content-length'] = length;
  return out;
}

/** The headers of a provider that the client gets: none of its connection, its site or the gateway's own names. */
export function passedHeaders(headers: UpstreamHeaders): HeaderMap {
  const out: HeaderMap = {};
  const named = namedByConnection(headers['connection']);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || named.has(name) || isHopByHop(name) || SITE_HEADERS.has(name)) continue;
    if (!DROPPED.test(name)) out[name] = value;
  }
  return out;
}
