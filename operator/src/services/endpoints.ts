/** From a Service, its EndpointSlices and the pods of its namespace to the addresses that may be called. */
import { isIP } from 'node:net';
import type { ServiceReading } from '../translate/index.ts';
import type { PodObject, ServiceObject, SliceObject } from './kinds.ts';

/** Calls are spread over at most this many pods. */
export const MAX_ENDPOINTS = 100;

const ENDED: ReadonlySet<string | undefined> = new Set(['Succeeded', 'Failed']);

/**
 * Addresses of pods as their kubelets report them. Anyone who may write EndpointSlices may write any address into them; only
 * the own address of a running pod of the namespace counts. A pod on the host network has the address of its node, and the
 * address of a pod that has ended may belong to another one by now.
 */
export function podAddresses(pods: Iterable<PodObject>): ReadonlySet<string> {
  const addresses = new Set<string>();
  for (const { spec, status } of pods) {
    if (spec?.hostNetwork === true || ENDED.has(status?.phase)) continue;
    for (const { ip } of status?.podIPs ?? []) addresses.add(ip);
  }
  return addresses;
}

/** The endpoints of a Service. */
export function readService(
  service: ServiceObject | undefined,
  slices: readonly SliceObject[],
  pods: ReadonlySet<string>,
): ServiceReading {
  if (service === undefined) return { kind: 'absent' };
  if (service.spec?.type === 'ExternalName') return { kind: 'external' };
  const endpoints = new Map<number, readonly string[]>();
  for (const { name, port } of service.spec?.ports ?? []) {
    const found = slices.flatMap((slice) => endpointsOf(slice, name ?? '', pods));
    endpoints.set(port, [...new Set(found)].sort().slice(0, MAX_ENDPOINTS));
  }
  return { kind: 'ports', endpoints };
}

function endpointsOf({ ports, endpoints }: SliceObject, name: string, pods: ReadonlySet<string>): readonly string[] {
  const port = ports?.find((candidate) => (candidate.name ?? '') === name)?.port;
  if (port === undefined || port === null) return [];
  return (endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses = [] }) => addresses)
    .filter((address) => pods.has(address))
    .map((address) => (isIP(address) === 6 ? `[${address}]:${port}` : `${address}:${port}`));
}

/** Whether two readings are equal. */
export const isSameReading = (a: ServiceReading | undefined, b: ServiceReading): boolean =>
  a !== undefined && textOf(a) === textOf(b);

const textOf = (reading: ServiceReading): string =>
  JSON.stringify(reading.kind === 'ports' ? [...reading.endpoints] : reading.kind);
