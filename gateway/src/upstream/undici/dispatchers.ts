import { rootCertificates } from 'node:tls';
import { Agent, type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { AppError } from '../../errors/index.ts';
import { type ConnectOrigin, hostProblem } from '../host-guard/index.ts';
import type { UpstreamClientOptions } from '../port.ts';
import { createGuardedConnect } from './guarded-connect.ts';

const MAX_HEADER_BYTES = 256 * 1024;

export type Dispatchers = Readonly<Record<ConnectOrigin, Dispatcher>>;

/**
 * One dispatcher per kind of host origin: each connects only where its kind may (docs/behaviour/hosts.md). Through an egress
 * proxy the names are checked here and the proxy resolves them. `tunnels`: for calls that leave HTTP, of which a proxy would
 * understand nothing.
 */
export function createDispatchers(options: UpstreamClientOptions): {
  readonly calls: Dispatchers;
  readonly tunnels: Dispatchers;
} {
  const connect = createGuardedConnect(options.hosts, {
    connectTimeoutMs: options.connectTimeoutMs,
    ...(options.ca === undefined ? {} : { ca: [...rootCertificates, options.ca] }),
  });
  const create = (origin: ConnectOrigin, tunnel = false): Dispatcher => {
    const pool = {
      connect: connect.connectorFor(origin),
      connections: options.connectionsPerOrigin,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMs,
      maxHeaderSize: MAX_HEADER_BYTES,
      pipelining: 1,
      allowH2: false, // also behind a proxy: docs/adr/0010-http1-to-providers.md
    };
    return origin === 'metadata' || origin === 'service'
      ? new Agent(pool)
      : withProxy(pool, { ...options, origin, tunnel });
  };
  const calls = {
    request: create('request'),
    resource: create('resource'),
    metadata: create('metadata'),
    service: create('service'),
  };
  const isTunnelled = options.proxy.http === undefined; // TLS always is
  return {
    calls,
    tunnels: isTunnelled ? calls : { ...calls, request: create('request', true), resource: create('resource', true) },
  };
}

interface ProxyOptions extends Pick<UpstreamClientOptions, 'proxy' | 'hosts' | 'ca'> {
  readonly origin: 'request' | 'resource';
  /** Plain HTTP goes through the proxy by `CONNECT`, too. */
  readonly tunnel: boolean;
}

function withProxy(pool: Agent.Options, { origin, tunnel, proxy, hosts, ca }: ProxyOptions): Dispatcher {
  if (proxy.http === undefined && proxy.https === undefined) return new Agent(pool);
  const agent = new EnvHttpProxyAgent({
    ...pool,
    ...(proxy.http === undefined ? {} : { httpProxy: proxy.http }),
    ...(proxy.https === undefined ? {} : { httpsProxy: proxy.https }),
    noProxy: proxy.no ?? '',
    proxyTunnel: tunnel,
    ...(ca === undefined ? {} : { requestTls: { ca: [...rootCertificates, ca] } }),
  });
  return agent.compose((dispatch) => (request, handler) => {
    const url = new URL(String(request.origin));
    const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
    const problem = hostProblem({ host: url.hostname.replace(/^\[(.*)\]$/, '$1'), port }, hosts, origin);
    if (problem !== undefined) throw new AppError('UPSTREAM_ADDRESS_REFUSED', { cause: problem });
    return dispatch(request, handler);
  });
}
