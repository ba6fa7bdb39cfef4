/** Pods that act in the workspace of their namespace: docs/behaviour/identity.md#pods-with-a-sidecar. */
import type { SidecarProfile } from '@gatehouse/crds/kinds';
import { type AnyEntry, digestOf } from '@gatehouse/crds/snapshot';
import { type ObjectStates, type PublishedEntries, resourceOf } from '../../incremental/index.ts';
import {
  isLabelledForInjection,
  isReservedNamespace,
  type Lookups,
  type NamespaceOwners,
  objectKey,
  type World,
} from '../../types/index.ts';
import { previousEntries } from './namespace-owners.ts';

/** What a program with a sidecar may do: call models, and list them. */
export const SIDECAR_SCOPES: readonly string[] = ['completions.write', 'virtual_keys.list'];

interface LookupInput {
  readonly world: Pick<World, 'namespaces' | 'settings'>;
  readonly states: ObjectStates;
  readonly owners: NamespaceOwners;
  readonly published: PublishedEntries;
}

/** `unread`: what decides it has never been valid since the start. */
type Naming = 'fleet' | 'none' | 'unread';

export function createSidecarLookup({ world, states, owners, published }: LookupInput): Lookups['passesToFleet'] {
  let namings: ReadonlyMap<string, ReadonlySet<Naming>> | undefined;
  const wasServed = (namespace: string): boolean => {
    const owner = owners.ownerOf(namespace);
    const state = typeof owner === 'string' ? states.get('Workspace')?.get(owner) : undefined;
    const entries = state === undefined ? [] : previousEntries(state, published, owners.ownerOf);
    return entries.some((entry) => entry.kind === 'workspace' && entry.body.sidecarIdentity?.namespace === namespace);
  };
  return (namespace) => {
    if (!isLabelledForInjection(namespace, world)) return false;
    namings ??= namingsOf(states, world);
    const found = namings.get(namespace);
    if (found?.has('fleet') === true) return true;
    return found?.has('unread') === true && wasServed(namespace);
  };
}

function namingsOf(states: ObjectStates, world: LookupInput['world']): ReadonlyMap<string, ReadonlySet<Naming>> {
  const namings = new Map<string, Set<Naming>>();
  states.get('SidecarProfile')?.forEach(({ parsed: { resource, object } }) => {
    const { namespace = '' } = object.metadata;
    const naming = resource?.kind === 'SidecarProfile' ? namingOf(resource, states, world) : 'unread';
    namings.set(namespace, (namings.get(namespace) ?? new Set()).add(naming));
  });
  return namings;
}

/** Only fleets of the organisation have its credentials. */
function namingOf(
  { metadata, spec }: SidecarProfile,
  states: ObjectStates,
  { settings }: LookupInput['world'],
): Naming {
  if (spec.fleetRef === undefined) return 'none';
  const { name, namespace = metadata.namespace ?? '' } = spec.fleetRef;
  const key = objectKey(namespace, name);
  if (!isReservedNamespace(namespace, settings) || states.get('GatewayFleet')?.get(key) === undefined) return 'none';
  return resourceOf(states, 'GatewayFleet', key) === undefined ? 'unread' : 'fleet';
}

/** The entry of a Workspace without an identity of sidecars that has ended. */
export function withCurrentSidecars(entry: AnyEntry, view: Pick<Lookups, 'passesToFleet'>): AnyEntry {
  if (entry.kind !== 'workspace' || entry.body.sidecarIdentity === undefined) return entry;
  const { sidecarIdentity, ...body } = entry.body;
  return view.passesToFleet(sidecarIdentity.namespace) ? entry : { ...entry, body, digest: digestOf(body) };
}
