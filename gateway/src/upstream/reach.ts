/** Which addresses the hosts named by a workspace's resource may reach, compiled, and the connection of each call. */
import { isIP } from 'node:net';
import { type Destination, destinationOf, domainsOf, parseAddress } from '@gatehouse/crds/hosts';
import type { ReachBody } from '@gatehouse/crds/snapshot';
import { AppError } from '../errors/index.ts';
import type { ConnectOrigin, HostOrigin } from './host-guard/index.ts';

export interface Reach {
  /** Names with everything below them, and IP addresses. */
  readonly allowed: ReadonlySet<string>;
  /** Pods, as `ADDRESS:PORT`, by `HOST:PORT` of their Service. */
  readonly services: ReadonlyMap<string, readonly string[]>;
  /** Destinations by origin: an account has one or two. */
  readonly known: Map<string, Way>;
}

/** Where the hosts of a call were named: in a request, in a resource of the organisation, or in one of a workspace with its reach. */
export type HostScope = HostOrigin | Reach;

interface Way {
  readonly connect: ConnectOrigin;
  /** Addresses of the Service's pods, called instead of the Service. */
  readonly pods?: readonly string[];
  readonly scheme: string;
  readonly host: string;
}

export interface UpstreamRoute {
  readonly connect: ConnectOrigin;
  readonly origin: string;
  readonly headers: Readonly<Record<string, string>>;
}

const MAX_KNOWN = 64;

// A memo of a pure function: a body lives as long as its Snapshot.
const compiled = new WeakMap<ReachBody, Reach>();

/** Compiled once per entry of a Snapshot. */
export function compileReach(body: ReachBody | undefined): HostScope {
  if (body === undefined) return 'resource';
  const known = compiled.get(body) ?? {
    allowed: new Set(body.allowed.map((host) => canonical(host.replace(/^\*\./, '')))),
    services: new Map(body.services.map(({ host, port, endpoints }) => [`${host}:${port}`, endpoints])),
    known: new Map(),
  };
  compiled.set(body, known);
  return known;
}

/**
 * The connection of a call. A Service is called at one of its pods, whose addresses are in the Snapshot: no name is resolved
 * that could point elsewhere. Other hosts of a workspace are treated as hosts of requests. Throws AppError
 * UPSTREAM_UNREACHABLE for a Service without pods.
 */
export function routeOf(
  { origin, headers }: Pick<UpstreamRoute, 'origin' | 'headers'>,
  scope: ConnectOrigin | Reach,
  random: () => number = Math.random,
): UpstreamRoute {
  if (typeof scope === 'string') return { connect: scope, origin, headers };
  const { connect, pods, scheme, host } = wayTo(origin, scope);
  if (pods === undefined) return { connect, origin, headers };
  const pod = pods[Math.floor(random() * pods.length)];
  if (pod === undefined) throw new AppError('UPSTREAM_UNREACHABLE', { cause: 'the Service has no ready pod' });
  return { connect, origin: `${scheme}//${pod}`, headers: { host, ...headers } };
}

function wayTo(origin: string, reach: Reach): Way {
  const known = reach.known.get(origin);
  if (known !== undefined) return known;
  const url = new URL(origin);
  const to = destinationOf(url);
  const pods = reach.services.get(`${to.host}:${to.port}`);
  const way: Way = {
    connect: pods === undefined ? connectOf(to, reach) : 'service',
    ...(pods === undefined ? {} : { pods }),
    scheme: url.protocol,
    host: url.host,
  };
  if (reach.known.size >= MAX_KNOWN) reach.known.clear();
  reach.known.set(origin, way);
  return way;
}

function connectOf({ host }: Destination, { allowed }: Reach): HostOrigin {
  const names = isIP(host) === 0 ? domainsOf(host) : [canonical(host)];
  return names.some((name) => allowed.has(name)) ? 'resource' : 'request';
}

const canonical = (host: string): string => parseAddress(host)?.text ?? host;
