/**
 * Applies the quotas of workspaces between the two passes of parsing: decides which objects of namespaces are parsed at all.
 */
import { DEFAULT_QUOTA, KINDS, type KindName, type Quota } from '@gatehouse/crds/kinds';
import type { PublishedEntries } from './incremental/index.ts';
import { DEFAULT_ORGANISATION, inSlices, type ObjectStates, resourceOf, type Sliced } from './incremental/index.ts';
import { type DueKeys, findDue, type PreviousStates, presentIn, type QuotaCheck } from './parse-objects.ts';
import { KIND_ORDER } from './rules/index.ts';
import { brokenBounds, type Ledger, quotaRowOf, type RowChange, updateLedger } from './rules/shared/index.ts';
import type { NamespaceOwners, QuotaRow } from './types/index.ts';
import {
  isReservedNamespace,
  OBJECT_BYTES,
  verdictKey,
  type Weight,
  type World,
  type WorldObject,
  weigh,
} from './types/index.ts';

/** Cluster-scoped Kinds. Only administrators of the installation write them, so that no quota applies to them. */
export const SHARED_KINDS: readonly KindName[] = KIND_ORDER.filter((kind) => KINDS[kind].scope === 'Cluster');
const BOUNDED_KINDS: readonly KindName[] = KIND_ORDER.filter((kind) => KINDS[kind].scope === 'Namespaced');

/** The quota of a namespace that no workspace owns: enough to check objects that are applied before their Workspace. */
const UNOWNED: Quota = {
  objects: 1_000,
  bytes: 1024 * 1024,
  translationUnits: 250_000,
  gatewayFleets: 1,
  sidecarProfiles: 1,
};

interface QuotaOptions {
  readonly past: PreviousStates;
  /** Objects of cluster-scoped Kinds. */
  readonly shared: ObjectStates;
  readonly ledger: Ledger;
  readonly owners: NamespaceOwners;
  /** What was published before this process started. */
  readonly published: PublishedEntries;
}

export interface AppliedQuotas {
  readonly ledger: Ledger;
  readonly due: DueKeys;
  readonly quotaCheck: QuotaCheck;
}

/** Weighs what has changed, and returns which objects to parse for the first time, again, or no longer. */
export function* applyQuotas(
  world: World,
  { past, shared, ledger: before, owners, published }: QuotaOptions,
): Sliced<AppliedQuotas> {
  const due = new Map([...findDue(world, past, BOUNDED_KINDS)].map(([kind, keys]) => [kind, new Set(keys)]));
  const rows = new Map<string, QuotaRow>();
  const changes = new Map<string, RowChange>();
  for (const [kind, keys] of due) {
    yield* inSlices(keys, (key) => {
      const state = past.before.get(kind)?.get(key);
      const object = presentIn(world.resources, kind, key);
      const left = state?.parsed.row;
      const came = object && quotaRowOf(verdictKey(kind, key), object, weightOf(object));
      if (came !== undefined) rows.set(came.key, came);
      note(changes, namespaceIn(key), { left, came });
    });
  }
  const { ledger, moved } = updateLedger(before, {
    changes,
    boundsOf: (namespace) => boundsOf(namespace, { world, shared, owners }),
  });
  for (const key of moved) {
    const [kind, objectKey] = split(key);
    if (presentIn(world.resources, kind, objectKey) !== undefined) due.get(kind)?.add(objectKey);
  }
  /** The schema bounds the size of an ApiKey, and one that was served before has fitted once. */
  const isRevocable = (kind: KindName, key: string, owner: string | null | undefined): boolean => {
    if (kind !== 'ApiKey' || owner === undefined) return false;
    if (past.before.get(kind)?.get(key)?.parsed.resource !== undefined) return true;
    const object = presentIn(world.resources, kind, key);
    return object !== undefined && published.of(kind, owner, object.metadata).length > 0;
  };
  const quotaCheck: QuotaCheck = {
    rowOf: (kind, key) => rows.get(verdictKey(kind, key)) ?? past.before.get(kind)?.get(key)?.parsed.row,
    refusalOf: (kind, key) => {
      const namespace = namespaceIn(key);
      const broken = brokenBounds(ledger, namespace, verdictKey(kind, key));
      const owner = owners.ownerOf(namespace);
      return broken && { broken, owned: owner !== undefined, revocable: isRevocable(kind, key, owner) };
    },
  };
  return { ledger, due, quotaCheck };
}

/** An object whose members cannot even be read has no weight; parsing it fails, too, and reports that. */
function weightOf(object: WorldObject): Weight {
  try {
    return object.weight ?? weigh(object);
  } catch {
    return WEIGHTLESS;
  }
}

const WEIGHTLESS: Weight = { bytes: OBJECT_BYTES, units: 1 };

function note(
  changes: Map<string, RowChange>,
  namespace: string,
  { left, came }: { readonly left: QuotaRow | undefined; readonly came: QuotaRow | undefined },
): void {
  const change = changes.get(namespace) ?? { left: new Set(), came: [] };
  if (left !== undefined) change.left.add(left);
  if (came !== undefined) change.came.push(came);
  changes.set(namespace, change);
}

interface BoundsInput {
  readonly world: World;
  readonly shared: ObjectStates;
  readonly owners: NamespaceOwners;
}

/** The organisation's own namespaces have no quota. */
function boundsOf(namespace: string, { world, shared, owners }: BoundsInput): Quota | undefined {
  if (isReservedNamespace(namespace, world.settings)) return undefined;
  const owner = owners.ownerOf(namespace);
  if (owner === undefined) return UNOWNED;
  const forAll = resourceOf(shared, 'Organisation', DEFAULT_ORGANISATION.metadata.name)?.spec.workspaceQuota ?? {};
  const own = owner === null ? {} : (resourceOf(shared, 'Workspace', owner)?.spec.quota ?? {});
  return {
    objects: own.objects ?? forAll.objects ?? DEFAULT_QUOTA.objects,
    bytes: own.bytes ?? forAll.bytes ?? DEFAULT_QUOTA.bytes,
    translationUnits: own.translationUnits ?? forAll.translationUnits ?? DEFAULT_QUOTA.translationUnits,
    gatewayFleets: own.gatewayFleets ?? forAll.gatewayFleets ?? DEFAULT_QUOTA.gatewayFleets,
    sidecarProfiles: own.sidecarProfiles ?? forAll.sidecarProfiles ?? DEFAULT_QUOTA.sidecarProfiles,
  };
}

/** `namespace/name` */
const namespaceIn = (key: string): string => key.slice(0, key.indexOf('/'));

/** `Kind/namespace/name`; the Kind is one of `KINDS`. */
function split(key: string): readonly [KindName, string] {
  const at = key.indexOf('/');
  return [key.slice(0, at) as KindName, key.slice(at + 1)];
}
