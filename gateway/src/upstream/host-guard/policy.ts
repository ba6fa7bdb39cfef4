import { isIP } from 'node:net';
import {
  domainsOf,
  equivalentAddresses,
  HOST_NAME,
  isForbiddenHost,
  isInDomains,
  isLoopback,
  isMetadata,
  NETWORK_DOMAINS,
  type OwnNamespaces,
  parseAddress,
  REBINDING_DOMAINS,
} from '@gatehouse/crds/hosts';

/** Where the host was named: in a header or inline config, or in a resource that RBAC guards. */
export type HostOrigin = 'request' | 'resource';

/**
 * Also `metadata`: a call for the identity of the machine, which may reach metadata addresses; and `service`: a pod of a Service,
 * whose address the operator has looked up.
 */
export type ConnectOrigin = HostOrigin | 'metadata' | 'service';

export interface Listener {
  /** An IP address or a host name. */
  readonly address: string;
  readonly port: number;
}

export interface HostPolicyOptions {
  /** The text of `TRUSTED_CUSTOM_HOSTS`; undefined when it is not set. */
  readonly trustedCustomHosts: string | undefined;
  readonly production: boolean;
  /** Where this process listens. A listener on 0.0.0.0 or :: is given once per interface address, and covers loopback. */
  readonly ownAddresses?: readonly Listener[] | undefined;
  /** URL, host or address of the Kubernetes API server; several are separated by commas. */
  readonly apiServer?: string | undefined;
  /** Names that cluster DNS looks for there are not for others to name. */
  readonly ownNamespaces?: OwnNamespaces | undefined;
}

/** The hosts a deployment trusts and those it hides, compiled. */
export interface HostPolicy {
  /** Names with everything below them, and IP addresses. */
  readonly trusted: ReadonlySet<string>;
  /** Those of them that the deployment names: the default releases no stored credential. */
  readonly named: ReadonlySet<string>;
  /** Names and IP addresses. */
  readonly apiServers: ReadonlySet<string>;
  /** `host:port`, all loopback and unspecified addresses as `loopback:port`. */
  readonly listeners: ReadonlySet<string>;
  readonly ownNamespaces: OwnNamespaces;
}

/** Trusted without `TRUSTED_CUSTOM_HOSTS` outside production: model servers on the developer's machine. */
const TRUSTED_IN_DEVELOPMENT = 'localhost,127.0.0.1,::1,host.docker.internal';
/** Bounds the list; far above any real deployment. */
const MAX_ENTRIES = 10_000;

/** Compiles the policy of a process. Entries that are no host or overlap what is always blocked are dropped. */
export function createHostPolicy(options: HostPolicyOptions): HostPolicy {
  const named = toTrusted(options.trustedCustomHosts ?? '');
  const isDefault = options.trustedCustomHosts === undefined && !options.production;
  return {
    trusted: isDefault ? toTrusted(TRUSTED_IN_DEVELOPMENT) : named,
    named,
    apiServers: new Set(hostsOf(options.apiServer ?? '')),
    listeners: new Set((options.ownAddresses ?? []).flatMap(({ address, port }) => listenerKeys(address, port))),
    ownNamespaces: options.ownNamespaces ?? [],
  };
}

const toTrusted = (list: string): ReadonlySet<string> => new Set(hostsOf(list).filter(canBeTrusted));

export const isTrusted = (host: string, { trusted }: HostPolicy): boolean => isAmong(host, trusted);

/** Whether the deployment names the host itself. */
export const isNamedTrusted = (host: string, { named }: HostPolicy): boolean => isAmong(host, named);

function isAmong(host: string, hosts: ReadonlySet<string>): boolean {
  if (isIP(host) !== 0) return hosts.has(canonicalHost(host));
  return domainsOf(host).some((domain) => hosts.has(domain));
}

/** Whether a connection to the host, a name or an address, would end at a listener of this process. */
export function isOwnListener(host: string, port: number, policy: HostPolicy): boolean {
  return policy.listeners.size > 0 && listenerKeys(host, port).some((key) => policy.listeners.has(key));
}

export function isApiServer(host: string, policy: HostPolicy): boolean {
  const address = parseAddress(host);
  return (address === undefined ? [host] : equivalentAddresses(address)).some((text) => policy.apiServers.has(text));
}

function canBeTrusted(host: string): boolean {
  const address = parseAddress(host);
  if (address !== undefined) return !isMetadata(address);
  return !isForbiddenHost(host) && !isInDomains(host, REBINDING_DOMAINS) && !NETWORK_DOMAINS.includes(host);
}

function hostsOf(list: string): readonly string[] {
  return list
    .split(',', MAX_ENTRIES)
    .map(hostOf)
    .filter((host) => host !== undefined);
}

/** The host of an entry without scheme, port, path and wildcard. */
function hostOf(entry: string): string | undefined {
  const text = entry
    .trim()
    .toLowerCase()
    .replace(/^[a-z][a-z0-9+.-]*:\/\//, '');
  const authority = text.split(/[/?#]/, 1)[0] ?? '';
  const bare = /^\[([^\]]*)\](?::\d*)?$/.exec(authority)?.[1] ?? authority;
  const host = isIP(bare) === 6 ? bare : bare.replace(/:\d*$/, '');
  if (isIP(host) !== 0) return canonicalHost(host);
  const domain = host.replace(/^\*\./, '');
  if (domain !== host && isIP(domain) !== 0) return undefined;
  return HOST_NAME.test(domain) ? domain : undefined;
}

const canonicalHost = (host: string): string => parseAddress(host)?.text ?? host;

function listenerKeys(host: string, port: number): readonly string[] {
  const address = parseAddress(host);
  if (address === undefined) {
    return host === 'localhost' || host.endsWith('.localhost') ? [`loopback:${port}`] : [`${host}:${port}`];
  }
  if (isLoopback(address)) return [`loopback:${port}`];
  return equivalentAddresses(address).map((text) => `${text}:${port}`);
}
