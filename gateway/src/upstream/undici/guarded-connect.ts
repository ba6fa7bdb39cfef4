import { lookup as dnsLookup } from 'node:dns/promises';
import { isIP, type LookupFunction } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Destination } from '@gatehouse/crds/hosts';
import { LRUCache } from 'lru-cache';
import { buildConnector } from 'undici';
import { AppError } from '../../errors/index.ts';
import {
  addressProblem,
  type ConnectOrigin,
  createResolver,
  type HostPolicy,
  hostProblem,
  type LookupAll,
  type ResolvedAddress,
} from '../host-guard/index.ts';

export interface GuardedConnectOptions {
  /** From the call to an open connection (with TLS), name resolution included, in ms. */
  readonly connectTimeoutMs: number;
  /** Certificate authorities in PEM, instead of the built-in ones. */
  readonly ca?: string | readonly string[] | undefined;
  /** TLS sessions kept for resumption; 0 keeps none. */
  readonly maxCachedSessions?: number | undefined;
  /** How names are resolved; default: the operating system. */
  readonly lookup?: LookupAll;
}

export interface GuardedConnect {
  /** A connector for undici's dispatchers. Its errors: AppError UPSTREAM_ADDRESS_REFUSED, and those of sockets and DNS. */
  connectorFor(origin: ConnectOrigin): buildConnector.connector;
}

/** The default of undici. */
const DEFAULT_CACHED_SESSIONS = 100;

/** Opens connections only to addresses the policy allows, whatever a name resolves to; docs/behaviour/hosts.md. */
export function createGuardedConnect(policy: HostPolicy, options: GuardedConnectOptions): GuardedConnect {
  const resolver = createResolver({
    lookup: options.lookup ?? ((hostname) => dnsLookup(hostname, { all: true, order: 'verbatim' })),
    deadlineMs: options.connectTimeoutMs,
  });
  const maxSessions = options.maxCachedSessions ?? DEFAULT_CACHED_SESSIONS;
  const sessions = maxSessions === 0 ? undefined : new LRUCache<string, Buffer>({ max: maxSessions });
  const fixed = {
    timeout: options.connectTimeoutMs,
    maxCachedSessions: 0, // a connector is built per connection, so the sessions are kept here
    allowH2: false, // docs/adr/0010-http1-to-providers.md
    ...(options.ca === undefined ? {} : { ca: typeof options.ca === 'string' ? options.ca : [...options.ca] }),
  };
  return {
    connectorFor: (origin) => (to, callback) => {
      const destination = destinationOf(to);
      const problem = problemBefore(destination, policy, origin);
      if (problem !== undefined) {
        process.nextTick(callback, refused(problem), null);
        return;
      }
      const sessionKey = `${to.servername ?? destination.host}:${destination.port}`;
      const session = sessions?.get(sessionKey);
      const lane = origin === 'request' ? 'request' : 'trusted';
      const lookup = toLookup(async () => {
        const addresses = await resolver.resolve(destination.host, lane);
        const bad = addresses.map(({ address }) => addressProblem(address, destination, policy, origin));
        return { addresses, problem: bad.find((text) => text !== undefined) };
      });
      const connect = buildConnector({ ...fixed, lookup, ...(session === undefined ? {} : { session }) });
      connect(to, (...result) => {
        if (sessions !== undefined && result[1] instanceof TLSSocket) {
          keepSessions(result[1], (ticket) => sessions.set(sessionKey, ticket));
        }
        callback(...result);
      });
    },
  };
}

function destinationOf({ hostname, port, protocol }: buildConnector.Options): Destination {
  const host = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
  return { host, port: Number(port) || (protocol === 'https:' ? 443 : 80) };
}

function problemBefore(to: Destination, policy: HostPolicy, origin: ConnectOrigin): string | undefined {
  if (origin === 'service') return isIP(to.host) === 0 ? 'it is no address' : hostProblem(to, policy, 'resource');
  if (origin !== 'metadata') return hostProblem(to, policy, origin);
  return isIP(to.host) === 0 ? undefined : addressProblem(to.host, to, policy, origin);
}

interface Resolution {
  readonly addresses: readonly ResolvedAddress[];
  /** One bad address among good ones refuses the name. */
  readonly problem: string | undefined;
}

/** The `lookup` option of `net.connect`, which connects to one of the addresses it returns. */
function toLookup(resolve: () => Promise<Resolution>): LookupFunction {
  return (_hostname, { all, family }, callback) => {
    const answer = ({ addresses, problem }: Resolution): void => {
      const usable = addresses.filter((item) => !family || item.family === family);
      const [first] = usable;
      if (problem !== undefined) callback(refused(problem), '');
      else if (first === undefined) callback(new AppError('UPSTREAM_UNREACHABLE', { cause: 'no address' }), '');
      else if (all) callback(null, usable);
      else callback(null, first.address, first.family);
    };
    resolve().then(answer, (error) => callback(error, ''));
  };
}

/** TLS 1.3 sends its tickets after the handshake, TLS 1.2 during it. */
function keepSessions(socket: TLSSocket, keep: (session: Buffer) => void): void {
  const early = socket.getProtocol() === 'TLSv1.3' ? undefined : socket.getSession();
  if (early !== undefined) keep(early);
  socket.on('session', keep);
}

/** The reason is logged only: in an answer it would let clients map the network. */
const refused = (problem: string): AppError => new AppError('UPSTREAM_ADDRESS_REFUSED', { cause: problem });
