/**
 * Which hosts resources may send requests and credentials to (`--allowed-custom-hosts`, engineering 8.11), written like
 * `TRUSTED_CUSTOM_HOSTS` of gateways: names with everything below them, and IP addresses; behaviour-providers-hosts 11.5.
 */
import type { Issue } from '@gatehouse/crds';
import type { RoutingNode } from '@gatehouse/crds/config';
import type { KindName, ResourceOf } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';

/** Hosts as `parseHostPattern` gives them; empty: every host is allowed. */
export type AllowedHosts = readonly string[];

export const ALL_HOSTS: AllowedHosts = [];

/** The host of a pattern, without scheme, port, path and wildcard; undefined when it names none. */
export function parseHostPattern(pattern: string): string | undefined {
  const authority = pattern.trim().replace(/^[a-z][a-z0-9+.-]*:\/\//i, '');
  const domain = authority.replace(/^\*\./, '');
  const host = hostOf(`http://${BARE_IPV6.test(domain) ? `[${domain}]` : domain}`);
  if (host === undefined || !HOST.test(host)) return undefined;
  return domain !== authority && isAddress(host) ? undefined : host;
}

const BARE_IPV6 = /^[0-9a-f]*:[0-9a-f:.]*:[0-9a-f:.]*$/i;
/** A name of labels, or an IP address as a URL has it. */
const HOST = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])$/;

/** One spelling per host. */
function hostOf(url: string): string | undefined {
  const hostname = URL.parse(url)?.hostname.replace(/\.$/, '');
  return hostname === '' ? undefined : hostname;
}

/** Of a host as a URL has it, where whatever ends in a number is an address. */
const isAddress = (host: string): boolean => host.startsWith('[') || /\.\d+$/.test(host);

/** Whether a base URL leads to an allowed host. */
export function isAllowedHost(url: string, allowed: AllowedHosts): boolean {
  if (allowed.length === 0) return true;
  const host = hostOf(url);
  if (host === undefined) return false;
  return allowed.some((pattern) => host === pattern || (!isAddress(host) && host.endsWith(`.${pattern}`)));
}

type Path = Issue['path'];

/** Hosts of a resource that are not allowed, with their places. */
export function hostIssues(resource: ResourceOf<KindName>, allowed: AllowedHosts): Issue[] {
  return hostsIn(resource)
    .filter(({ url }) => !isAllowedHost(url, allowed))
    .map(({ path }) => ({
      code: 'invalid',
      path,
      message: 'the host is not one of those that the installation allows (--allowed-custom-hosts)',
    }));
}

interface NamedHost {
  readonly path: Path;
  readonly url: string;
}

function hostsIn(resource: ResourceOf<KindName>): readonly NamedHost[] {
  switch (resource.kind) {
    case 'GatewayConfig':
      return hostsOfNode(resource.spec.config, ['spec', 'config']);
    case 'VirtualKey':
    case 'Integration':
      return hostsOfNode(resource.spec, ['spec']);
    default:
      return [];
  }
}

interface Node {
  readonly customHost?: string | undefined;
  readonly targets?: readonly Node[] | undefined;
}

function hostsOfNode({ customHost, targets = [] }: Node, path: Path): NamedHost[] {
  return [
    ...(customHost === undefined ? [] : [{ path: [...path, 'customHost'], url: customHost }]),
    ...targets.flatMap((target, i) => hostsOfNode(target, [...path, 'targets', i])),
  ];
}

/** Whether an entry, perhaps of a time with other rules, sends nothing elsewhere. */
export function staysWithin(entry: AnyEntry, allowed: AllowedHosts): boolean {
  const node: Node | RoutingNode =
    entry.kind === 'config' ? entry.body.node : entry.kind === 'provider' ? entry.body : {};
  return hostsOfNode(node, []).every(({ url }) => isAllowedHost(url, allowed));
}
