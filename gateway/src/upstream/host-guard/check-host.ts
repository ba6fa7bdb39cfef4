import { isIP } from 'node:net';
import { err, type Result } from '@gatehouse/crds';
import {
  type Destination,
  destinationOf,
  forbiddenProblem,
  isInDomains,
  isMetadata,
  isReserved,
  MAX_HOST_TEXT,
  NETWORK_DOMAINS,
  PRIVATE_TLDS,
  parseAddress,
  REBINDING_DOMAINS,
  readBaseUrl,
} from '@gatehouse/crds/hosts';
import { LRUCache } from 'lru-cache';
import {
  type ConnectOrigin,
  type HostOrigin,
  type HostPolicy,
  isApiServer,
  isNamedTrusted,
  isOwnListener,
  isTrusted,
} from './policy.ts';

type Checked = Result<URL, string>;

// A memo of a pure function per policy, of which a process has one: every request checks its base URL.
const verdicts = new WeakMap<HostPolicy, LRUCache<string, Checked>>();
/** Base URLs whose verdicts are kept. */
const MAX_VERDICTS = 1_000;

/**
 * Checks the base URL of a provider that a resource or a request names; docs/behaviour/hosts.md. Returns the parsed URL or why
 * it is refused. No name is resolved: `addressProblem` judges the addresses.
 */
export function checkCustomHost(text: string, policy: HostPolicy, origin: HostOrigin): Checked {
  const known = verdictsOf(policy);
  const key = `${origin} ${text}`;
  const verdict = known.get(key);
  if (verdict !== undefined) return verdict;
  const fresh = checkText(text, policy, origin);
  if (text.length <= MAX_HOST_TEXT) known.set(key, fresh);
  return fresh;
}

/** Whether `TRUSTED_CUSTOM_HOSTS` names the host of a base URL, so that stored credentials may go there; a default never does. */
export function mayReceiveCredentials(text: string, policy: HostPolicy): boolean {
  const checked = checkCustomHost(text, policy, 'request');
  return checked.ok && isNamedTrusted(destinationOf(checked.value).host, policy);
}

function verdictsOf(policy: HostPolicy): LRUCache<string, Checked> {
  const known = verdicts.get(policy);
  if (known !== undefined) return known;
  const fresh = new LRUCache<string, Checked>({ max: MAX_VERDICTS });
  verdicts.set(policy, fresh);
  return fresh;
}

function checkText(text: string, policy: HostPolicy, origin: HostOrigin): Checked {
  const url = readBaseUrl(text);
  if (!url.ok) return url;
  const problem = hostProblem(destinationOf(url.value), policy, origin);
  return problem === undefined ? url : err(problem);
}

/** Why a host may not be named, by its name and port alone; for calls where an egress proxy resolves, too. */
export function hostProblem(to: Destination, policy: HostPolicy, origin: HostOrigin): string | undefined {
  const forbidden = forbiddenProblem(to, policy.ownNamespaces);
  if (forbidden !== undefined) return forbidden;
  return isIP(to.host) === 0 ? nameProblem(to, policy, origin) : addressProblem(to.host, to, policy, origin);
}

/** Why a connection to this address of the host must not be opened; undefined when it may. */
export function addressProblem(
  ip: string,
  to: Destination,
  policy: HostPolicy,
  origin: ConnectOrigin,
): string | undefined {
  const address = parseAddress(ip);
  if (address === undefined) return 'the address cannot be read';
  if (isApiServer(ip, policy)) return 'it is the Kubernetes API server';
  if (isOwnListener(ip, to.port, policy)) return 'it is this gateway';
  if (origin === 'metadata') return undefined;
  if (isMetadata(address)) return 'it is a cloud metadata address';
  if (origin === 'resource' || origin === 'service' || isTrusted(to.host, policy)) return undefined;
  return isReserved(address) ? 'it is a private or reserved address' : undefined;
}

function nameProblem({ host, port }: Destination, policy: HostPolicy, origin: HostOrigin): string | undefined {
  if (isApiServer(host, policy)) return 'it is the Kubernetes API server';
  if (isOwnListener(host, port, policy)) return 'it is this gateway';
  if (origin === 'resource') return undefined;
  if (isInDomains(host, REBINDING_DOMAINS)) return 'it belongs to a rebinding service';
  if (isTrusted(host, policy)) return undefined;
  return isInDomains(host, NETWORK_DOMAINS) || isInDomains(host, PRIVATE_TLDS) ? 'it is a private name' : undefined;
}
