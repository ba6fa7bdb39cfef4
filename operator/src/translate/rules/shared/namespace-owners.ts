/** Which workspace owns a namespace: the oldest Workspace that names it and that the namespace's label names. */

import { isObject } from '@gatehouse/crds';
import type { ObjectMeta } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import type { ObjectState, ObjectStates, PublishedEntries } from '../../incremental/index.ts';
import type { NamespaceOwners } from '../../types/index.ts';
import {
  byAge,
  CONSENT_LABEL,
  isReservedNamespace,
  type World,
  type WorldObject,
  type WorldSettings,
} from '../../types/index.ts';

interface OwnersInput {
  readonly world: World;
  readonly states: ObjectStates;
  readonly published: PublishedEntries;
}

export function createNamespaceOwners({
  world: { settings, namespaces },
  states,
  published,
}: OwnersInput): NamespaceOwners {
  const consents = (namespace: string, workspace: string): boolean =>
    settings.consent === 'implied' || namespaces.get(namespace)?.get(CONSENT_LABEL) === workspace;
  const owners = ownersOf(claimsOf(states, published), { settings, consents });
  return {
    ownerOf: (namespace) => (namespace === settings.organisationNamespace ? null : owners.get(namespace)),
    consents,
    workspaces: [...owners.values()].sort(),
  };
}

/**
 * Entries that are served for an object up to now: those of the last translation or, before the first one, those that were
 * published.
 */
export function previousEntries(
  { parsed, translated }: ObjectState,
  published: PublishedEntries,
  ownerOf: NamespaceOwners['ownerOf'],
): readonly AnyEntry[] {
  if (translated !== undefined) return translated.entries;
  const { kind, object } = parsed;
  const { metadata } = object;
  const workspace = kind === 'Workspace' ? metadata.name : ownerOf(metadata.namespace ?? '');
  return workspace === undefined ? [] : published.of(kind, workspace, metadata);
}

interface NamespaceClaim {
  readonly metadata: ObjectMeta;
  readonly namespace: string;
}

/** Namespaces that Workspaces name, oldest first; a broken Workspace keeps its namespace. */
function claimsOf(states: ObjectStates, published: PublishedEntries): readonly NamespaceClaim[] {
  const claims: NamespaceClaim[] = [];
  states.get('Workspace')?.forEach((state) => {
    const { resource, object } = state.parsed;
    if (resource?.kind === 'Workspace') {
      claims.push({ metadata: resource.metadata, namespace: resource.spec.namespace });
      return;
    }
    const namespace = requestedNamespace(object);
    if (namespace === undefined || previousEntries(state, published, () => undefined).length === 0) return;
    claims.push({
      metadata: { name: object.metadata.name, creationTimestamp: object.metadata.creationTimestamp },
      namespace,
    });
  });
  return claims.sort(byAge);
}

interface OwnerRules extends Pick<NamespaceOwners, 'consents'> {
  readonly settings: WorldSettings;
}

/** Workspaces by namespace: the oldest one that the namespace's label names. */
function ownersOf(claims: readonly NamespaceClaim[], { settings, consents }: OwnerRules): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { metadata, namespace } of claims) {
    if (isReservedNamespace(namespace, settings) || owners.has(namespace)) continue;
    if (consents(namespace, metadata.name)) owners.set(namespace, metadata.name);
  }
  return owners;
}

/** The namespace of a broken Workspace; the field is immutable, so that the last good one named the same. */
export function requestedNamespace({ spec }: WorldObject): string | undefined {
  const namespace = isObject(spec) ? spec['namespace'] : undefined;
  return typeof namespace === 'string' ? namespace : undefined;
}
