import { isHopByHop, namedByConnection } from '../../../lib/header-names.ts';
import type { UpstreamHeaders } from '../../../upstream/index.ts';
import type { HeaderMap } from '../../exchange.ts';

/** What an upstream may not say to the client's browser about the gateway's own address, where its answer comes from. */
const SITE_HEADERS: ReadonlySet<string> = new Set([
  ...['set-cookie', 'set-cookie2', 'strict-transport-security', 'public-key-pins', 'expect-ct', 'clear-site-data'],
  ...['alt-svc', 'nel', 'report-to', 'reporting-endpoints', 'timing-allow-origin', 'service-worker-allowed'],
  ...['www-authenticate', 'authentication-info', 'refresh', 'permissions-policy', 'feature-policy', 'document-policy'],
  ...['origin-agent-cluster', 'referrer-policy', 'accept-ch', 'critical-ch', 'set-login', 'speculation-rules'],
  // Who serves is the gateway, and the hops behind it are nobody's business.
  ...['server', 'via', 'x-powered-by'],
  // Proxies before the gateway would obey them.
  ...['x-sendfile', 'x-lighttpd-send-file', 'x-reproxy-url'],
]);
const DROPPED_PREFIXES = ['x-gw-', 'access-control-', 'cross-origin-', 'content-security-policy', 'x-accel-'];

/** As below, with the length of a body whose bytes stay as they are. */
export function relayedHeaders(headers: UpstreamHeaders): HeaderMap {
  const out = passedHeaders(headers);
  const length = headers['content-length'];
  if (length !== undefined) out['content-length'] = length;
  return out;
}

/** The headers of an upstream that the client gets: none of its connection or its site, and none of our names. */
export function passedHeaders(headers: UpstreamHeaders): HeaderMap {
  const out: HeaderMap = {};
  const named = namedByConnection(headers['connection']);
  for (const name in headers) {
    const value = headers[name];
    if (value === undefined || named.has(name) || isHopByHop(name) || SITE_HEADERS.has(name)) continue;
    if (!DROPPED_PREFIXES.some((prefix) => name.startsWith(prefix))) out[name] = value;
  }
  return out;
}
