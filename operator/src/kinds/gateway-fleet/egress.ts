/**
 * Where the pods of a fleet may connect to: anywhere except to addresses at which clouds serve the identity of the machine.
 * Only these addresses are blocked: node-local DNS is also in 169.254.0.0/16.
 */
import { isObject } from '@gatehouse/crds';
import type { GatewayFleet } from '@gatehouse/crds/kinds';
import { CLOUDS, type Cloud, nodeUsesPodIdentity, PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import { askedClouds, grantedClouds } from './metadata-access.ts';
import { isOfOrganisation, tenantOf } from './placement.ts';
import type { Ports } from './ports.ts';

/** A cloud with all its metadata addresses, or the agent that gives pods their identity on EKS alone. */
export type MetadataUse = Cloud | 'eksAgent';

/** The addresses that each needs. */
const NEEDED: Readonly<Record<MetadataUse, readonly string[]>> = {
  eksAgent: ['169.254.170.23/32', 'fd00:ec2::23/128'],
  aws: ['169.254.169.254/32', '169.254.170.2/32', '169.254.170.23/32', 'fd00:ec2::254/128', 'fd00:ec2::23/128'],
  azure: ['169.254.169.254/32'],
  gcp: ['169.254.169.254/32', 'fd20:ce::254/128'],
};
/** Alibaba Cloud, the host of Azure, Oracle Cloud. */
const NEVER = ['100.100.100.200/32', '168.63.129.16/32', '192.0.0.192/32'];

const BLOCKED: readonly string[] = [...new Set([...Object.values(NEEDED).flat(), ...NEVER])];

/**
 * Clouds whose identity is used by published accounts and configs of the organisation, or of workspaces it is granted to;
 * sorted.
 */
export function cloudsInUse(entries: readonly AnyEntry[]): readonly Cloud[] {
  const found = known.get(entries) ?? findClouds(entries);
  known.set(entries, found);
  return found;
}

// Memoised: the entries stay the same list until one of them changes.
const known = new WeakMap<readonly AnyEntry[], readonly Cloud[]>();

function findClouds(entries: readonly AnyEntry[]): readonly Cloud[] {
  const clouds = new Set<Cloud>();
  const note = (provider = ''): void => {
    const cloud = PROVIDER_CATALOGUE.get(provider)?.podIdentity?.cloud;
    if (cloud !== undefined) clouds.add(cloud);
  };
  for (const entry of entries) {
    if (entry.kind === 'provider' && entry.body.ownIdentity === true) note(entry.body.provider);
    if (entry.kind === 'config' && entry.workspace === null) noteNodes(entry.body.node, note);
  }
  return [...clouds].sort();
}

interface Node {
  readonly provider?: string | undefined;
  readonly settings?: Readonly<Record<string, string>> | undefined;
  readonly targets?: readonly Node[] | undefined;
}

function noteNodes({ provider, settings, targets = [] }: Node, note: (provider?: string) => void): void {
  if (nodeUsesPodIdentity({ provider, settings, hasCredential: false })) note(provider);
  for (const target of targets) noteNodes(target, note);
}

/** With this annotation, pods prove themselves to the token service and ask no metadata address. */
const ROLE_ANNOTATION = 'eks.amazonaws.com/role-arn';

interface UsePorts extends Pick<Ports, 'cloudsInUse' | 'world'> {
  readonly settings: Pick<Ports['settings'], 'fleetNamespaces'>;
}

/**
 * What is opened. The pods of a fleet of a workspace get an identity of the platform only where the organisation grants it,
 * and nothing unasked.
 */
export function metadataUsesOf(
  fleet: GatewayFleet,
  { settings, cloudsInUse: inUse, world }: UsePorts,
): readonly MetadataUse[] {
  const asked = askedClouds(fleet);
  if (isOfOrganisation(fleet.metadata.namespace ?? '', settings)) {
    return [...inUse(), ...metadataOfBuckets(fleet), ...asked];
  }
  const granted = grantedClouds(tenantOf(fleet, world(), settings), world());
  return asked.filter((cloud) => granted.has(cloud));
}

/** What the pods need for buckets of the fleet. The role of the node is opened by the spec alone. */
function metadataOfBuckets({ spec: { stores, records, pod } }: GatewayFleet): readonly MetadataUse[] {
  const isKeyless = [stores?.s3, records?.s3].some((bucket) => bucket !== undefined && bucket.secretRef === undefined);
  return isKeyless && !pod?.serviceAccountAnnotations?.[ROLE_ANNOTATION] ? ['eksAgent'] : [];
}

/** What is blocked while some identities are in use. */
export function blockedAddresses(uses: readonly MetadataUse[]): readonly string[] {
  const open = new Set(uses.flatMap((use) => NEEDED[use]));
  return BLOCKED.filter((address) => !open.has(address)).sort();
}

/** Addresses that the spec of a policy blocks; none where it says nothing of egress. */
export function blockedIn({ policyTypes, egress }: Readonly<Record<string, unknown>>): ReadonlySet<unknown> {
  if (!Array.isArray(policyTypes) || !policyTypes.includes('Egress') || !Array.isArray(egress)) return new Set();
  const peers = egress.flatMap((rule) => (isObject(rule) && Array.isArray(rule['to']) ? rule['to'] : []));
  const blocks = peers.flatMap((peer) => (isObject(peer) && isObject(peer['ipBlock']) ? [peer['ipBlock']] : []));
  return new Set(blocks.flatMap(({ except }) => (Array.isArray(except) ? except : [])));
}

/** Whether egress is left to other policies: the fleet asks for that, and may reach the metadata of all clouds. */
export const isEgressOpen = ({ spec }: GatewayFleet, uses: readonly MetadataUse[]): boolean =>
  spec.network?.egress === 'Open' && CLOUDS.every((cloud) => uses.includes(cloud));

/** Peers of an egress rule; pods and namespaces are selected, too, since some networks do not match them by address. */
export function egressPeers(uses: readonly MetadataUse[]): readonly object[] {
  const blocked = blockedAddresses(uses);
  const of = (isV6: boolean): string[] => blocked.filter((address) => address.includes(':') === isV6);
  return [
    { namespaceSelector: {} },
    { ipBlock: { cidr: '0.0.0.0/0', except: of(false) } },
    { ipBlock: { cidr: '::/0', except: of(true) } },
  ];
}
