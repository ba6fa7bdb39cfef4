import { isIP } from 'node:net';
import { err, ok, type Result } from '@gatehouse/crds';
import { LRUCache } from 'lru-cache';
import { isMetadata, isReserved, parseAddress } from './address.ts';
import { BLOCKED_PORTS, NETWORK_DOMAINS, PRIVATE_TLDS, REBINDING_DOMAINS } from './lists.ts';
import {
  type ConnectOrigin,
  HOST_NAME,
  type HostOrigin,
  type HostPolicy,
  isApiServer,
  isIn,
  isNeverHost,
  isOwnListener,
  isTrusted,
} from './policy.ts';

/** Where a connection goes. An IPv6 host has no brackets. */
export interface Destination {
  readonly host: string;
  readonly port: number;
}

/** Characters of a custom host; gateway-api Limits. */
const MAX_HOST_TEXT = 2048;
/** behaviour-providers-hosts 11.3 check 4 */
const MAX_LABELS = 10;
const AUTHORITY = /^https?:\/\/([^/?#]*)/i;
const NAME_AND_PORT = /^([a-z0-9.-]+)(?::\d*)?$/;
const IPV6_AND_PORT = /^\[[0-9a-f:.]+\](?::\d*)?$/;

type Checked = Result<URL, string>;

// A memo of a pure function, keyed by the policies, of which a process has one: each request asks for its base URL.
const verdicts = new WeakMap<HostPolicy, LRUCache<string, Checked>>();
/** Base URLs whose verdicts are kept. */
const MAX_VERDICTS = 1_000;

/**
 * Checks the base URL of a provider that somebody named; behaviour-providers-hosts 11.3 checks 1 to 8.
 * Gives the parsed URL or why it is refused. No name is resolved: `addressProblem` judges what it resolves to.
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

/** Whether the deployment itself names the host of a base URL as one to trust (behaviour-providers-hosts 11.5). */
export function isTrustedUrl(text: string, policy: HostPolicy): boolean {
  const checked = checkCustomHost(text, policy, 'request');
  return checked.ok && isTrusted(destinationOf(checked.value).host, policy);
}

function verdictsOf(policy: HostPolicy): LRUCache<string, Checked> {
  const known = verdicts.get(policy);
  if (known !== undefined) return known;
  const fresh = new LRUCache<string, Checked>({ max: MAX_VERDICTS });
  verdicts.set(policy, fresh);
  return fresh;
}

function checkText(text: string, policy: HostPolicy, origin: HostOrigin): Checked {
  const trimmed = text.trim();
  const problem = textProblem(trimmed);
  if (problem !== undefined) return err(problem);
  const url = parseStrictly(trimmed);
  if (url === undefined) return err('it is not a plain http or https URL with an ordinary host');
  const refusal = hostProblem(destinationOf(url), policy, origin);
  return refusal === undefined ? ok(url) : err(refusal);
}

/** Why a host may not be named, by its name and port alone; for calls where an egress proxy resolves, too. */
export function hostProblem(to: Destination, policy: HostPolicy, origin: HostOrigin): string | undefined {
  if (to.port < 1 || to.port > 65_535 || BLOCKED_PORTS.has(to.port)) return `port ${to.port} is not allowed`;
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
  if (origin === 'resource' || isTrusted(to.host, policy)) return undefined;
  return isReserved(address) ? 'it is a private or reserved address' : undefined;
}

function nameProblem({ host, port }: Destination, policy: HostPolicy, origin: HostOrigin): string | undefined {
  const labels = host.split('.');
  if (labels.length > MAX_LABELS) return `the host has more than ${MAX_LABELS} labels`;
  if (!HOST_NAME.test(host)) return 'the host has characters that are not allowed';
  if (isNeverHost(host)) return 'it names a metadata service or the Kubernetes API';
  if (isApiServer(host, policy)) return 'it is the Kubernetes API server';
  if (isOwnListener(host, port, policy)) return 'it is this gateway';
  if (origin === 'resource') return undefined;
  if (isIn(host, REBINDING_DOMAINS)) return 'it belongs to a rebinding service';
  if (isTrusted(host, policy)) return undefined;
  return isIn(host, NETWORK_DOMAINS) || isIn(host, PRIVATE_TLDS) ? 'it is a private name' : undefined;
}

function textProblem(text: string): string | undefined {
  if (text === '') return 'it is empty';
  if (text.length > MAX_HOST_TEXT) return `it is longer than ${MAX_HOST_TEXT} characters`;
  // URL parsers drop control characters and read a backslash as a slash: what is checked would not be what is used.
  if (/[\p{Cc}@\\]/u.test(text)) return 'it has characters that are not allowed';
  return undefined;
}

/**
 * The URL, if its host is written the way the parser understands it. The parser turns `0x7f.1`, `2130706433`, `１２７.0.0.1`
 * and `%31` into an ordinary address; comparing its result with the text refuses them all.
 */
function parseStrictly(text: string): URL | undefined {
  const authority = AUTHORITY.exec(text)?.[1]?.toLowerCase() ?? '';
  const url = URL.parse(text);
  if (url === null) return undefined;
  if (IPV6_AND_PORT.test(authority)) return url;
  return NAME_AND_PORT.exec(authority)?.[1] === url.hostname ? url : undefined;
}

function destinationOf(url: URL): Destination {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const standard = url.protocol === 'https:' ? 443 : 80;
  return { host, port: url.port === '' ? standard : Number(url.port) };
}
