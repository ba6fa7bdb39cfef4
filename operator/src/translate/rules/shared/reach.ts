/**
 * Where the hosts that a workspace's resource names may lead. A private host is a Service of the workspace's own namespace,
 * called at its pods, or one that the organisation opens; everything else must be a public address or trusted by a fleet.
 * Services of other namespaces, Services of type ExternalName, and endpoints that are not pods of the namespace are not
 * reachable. See docs/behaviour/hosts.md.
 */
import type { Issue } from '@gatehouse/crds';
import { destinationOf, readBaseUrl } from '@gatehouse/crds/hosts';
import type { KindName, ResourceOf } from '@gatehouse/crds/kinds';
import { type AnyEntry, digestOf, entryId, type ReachBody } from '@gatehouse/crds/snapshot';
import type { Lookups, ObjectScope } from '../../types/index.ts';
import { type Finding, missing, notPermitted, pending } from '../../types/index.ts';
import { hostsOfEntry, hostsOfResource, isAllowedHost, parseHostPattern } from './custom-hosts.ts';

type Path = Issue['path'];
type ReachView = Pick<Lookups, 'serviceOf' | 'openedHosts' | 'trustedHosts'>;

export interface HostReach {
  /** Undefined: hosts may lead anywhere inside the cluster. */
  readonly reach: ReachBody | undefined;
  readonly findings: readonly Finding[];
}

export interface ServiceName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * The Service that a host names for resources of a namespace: `svc`, `svc.ns` of the own namespace, `svc.ns.svc`, and the same
 * with the cluster domain. Null for a name below `svc` that is no Service.
 */
export function serviceOfHost(host: string, namespace: string, clusterDomain: string): ServiceName | null | undefined {
  const suffix = [`.svc.${clusterDomain}`, '.svc'].find((end) => host.endsWith(end));
  const labels = (suffix === undefined ? host : host.slice(0, -suffix.length)).split('.');
  const [name = '', namedNamespace] = labels;
  if (suffix !== undefined) return labels.length === 2 ? { name, namespace: namedNamespace ?? '' } : null;
  if (labels.length === 1 && !host.includes(':')) return { name, namespace };
  return labels.length === 2 && namedNamespace === namespace ? { name, namespace } : undefined;
}

/** How far the hosts of a resource lead, and the findings about them. */
export function reachOf(resource: ResourceOf<KindName>, scope: ObjectScope, view: ReachView): HostReach {
  const { workspace, namespace, settings } = scope;
  const { clusterDomain } = settings;
  if (workspace === null || clusterDomain === undefined) return { reach: undefined, findings: [] };
  const named = hostsOfResource(resource);
  const allowed = new Set<string>();
  const services = new Map<string, ReachBody['services'][number]>();
  const findings: Finding[] = [];
  for (const { path, url } of named) {
    const read = readBaseUrl(url);
    if (!read.ok) continue; // refused by its own check
    const { host, port } = destinationOf(read.value);
    if (isOpened(url, view.openedHosts(workspace))) {
      allowed.add(host);
      continue;
    }
    const service = serviceOfHost(host, namespace, clusterDomain);
    if (service === undefined || (isOpened(url, view.trustedHosts()) && service?.namespace !== namespace)) continue;
    if (service?.namespace !== namespace) {
      findings.push(notPermitted(path, FOREIGN, 'serve'));
      continue;
    }
    services.set(`${host}:${port}`, { host, port, endpoints: [...endpointsOf(service, port, view)] });
    findings.push(...serviceFindings(service, { port, path }, view));
  }
  if (named.length === 0) return { reach: undefined, findings: [] };
  return { reach: toBody(allowed, services.values()), findings };
}

const FOREIGN =
  'a resource of a workspace names Services of its own namespace; others are for spec.tenantHosts of the Organisation to open';

const isOpened = (url: string, hosts: string): boolean => hosts !== '' && isAllowedHost(url, hosts.split(','));

const toBody = (allowed: Iterable<string>, services: Iterable<ReachBody['services'][number]>): ReachBody => ({
  allowed: [...allowed].sort(),
  services: [...services].sort((a, b) => (a.host === b.host ? a.port - b.port : a.host < b.host ? -1 : 1)),
});

/** As far as either of them. */
export function mergeReach(a: ReachBody | undefined, b: ReachBody | undefined): ReachBody | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const services = new Map([...a.services, ...b.services].map((one) => [`${one.host}:${one.port}`, one]));
  return toBody(new Set([...a.allowed, ...b.allowed]), services.values());
}

function endpointsOf({ namespace, name }: ServiceName, port: number, view: ReachView): readonly string[] {
  const found = view.serviceOf(namespace, name);
  return found?.kind === 'ports' ? (found.endpoints.get(port) ?? []) : [];
}

function serviceFindings(
  { namespace, name }: ServiceName,
  { port, path }: { readonly port: number; readonly path: Path },
  view: ReachView,
): readonly Finding[] {
  const found = view.serviceOf(namespace, name);
  if (found === undefined) return [{ ...pending(path, `the Service ${name} is not read yet`), effect: 'serve' }];
  if (found.kind === 'absent') return [missing(path, `there is no Service ${name} in the namespace`, 'serve')];
  if (found.kind === 'external') {
    return [notPermitted(path, `the Service ${name} is an ExternalName, which leads out of the namespace`, 'serve')];
  }
  return found.endpoints.has(port) ? [] : [missing(path, `the Service ${name} has no port ${port}`, 'serve')];
}

/** A published entry with the reach of today: pods come and go, and their addresses are given to others. */
export function withCurrentReach(
  entry: AnyEntry,
  { namespace, workspace, settings }: ObjectScope,
  view: ReachView,
): AnyEntry {
  const { clusterDomain } = settings;
  if (workspace === null || clusterDomain === undefined) return entry;
  if (entry.kind !== 'provider' && entry.kind !== 'config' && entry.kind !== 'guardrail') return entry;
  const { reach } = entry.body;
  if (reach === undefined && (isOfOrganisation(entry) || hostsOfEntry(entry).length === 0)) return entry;
  const opened = view.openedHosts(workspace);
  const services = (reach?.services ?? []).map(({ host, port }) => {
    const service = serviceOfHost(host, namespace, clusterDomain);
    const isOwn = service?.namespace === namespace;
    return { host, port, endpoints: isOwn ? [...endpointsOf(service, port, view)] : [] };
  });
  const allowed = (reach?.allowed ?? []).filter((host) => isOpened(`http://${inUrl(host)}`, opened));
  const body = { ...entry.body, reach: toBody(allowed, services) };
  const digest = digestOf(body);
  return digest === entry.digest ? entry : ({ ...entry, body, digest } as AnyEntry); // the kind has not changed
}

/** Its hosts are those of an Integration of the organisation. */
const isOfOrganisation = (entry: AnyEntry): boolean =>
  entry.kind === 'provider' && entry.body.credential?.startsWith(entryId('credential', null, '')) === true;

const inUrl = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Hosts as one normalised text: equal lists are equal texts. */
export const toHostList = (hosts: readonly string[]): string =>
  [...new Set(hosts.map(parseHostPattern))]
    .filter((host) => host !== undefined)
    .sort()
    .join(',');
