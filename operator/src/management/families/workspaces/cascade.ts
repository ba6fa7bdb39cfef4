/** What is in a workspace, and how it goes with it. */
import { err } from '@gatehouse/crds';
import { isKindName, KINDS, type KindName } from '@gatehouse/crds/kinds';
import { RestError } from '../../http/rest-error.ts';
import {
  type DeleteOptions,
  isScimMade,
  ownerOf,
  type StoredObject,
  type WriteOptions,
  type WriteProblem,
} from '../../store/index.ts';
import type { Services } from '../family.ts';
import { written } from '../write.ts';
import type { WorkspaceObject } from './spec.ts';

/** Those run pods: who made them takes them away. */
const NEVER_DELETED: ReadonlySet<KindName> = new Set(['GatewayFleet', 'SidecarProfile']);
const MAX_NAMED = 20;

type Dependent = StoredObject;

const keyOf = ({ kind, meta }: Dependent): string => `${kind}/${meta.namespace}/${meta.name}`;

/** The objects in the namespace of a workspace. */
export async function dependentsOf({ spec }: WorkspaceObject, { store }: Services): Promise<readonly Dependent[]> {
  const kinds = Object.keys(KINDS)
    .filter(isKindName)
    .filter((kind) => KINDS[kind].scope !== 'Cluster');
  const lists = await Promise.all(kinds.map((kind) => store.list(kind, spec.namespace)));
  return lists.flat() as readonly Dependent[]; // objects of several Kinds
}

/** What the organisation has granted to the workspace, and the groups of the directory that are mapped to it. */
export async function grantsTo({ meta }: WorkspaceObject, { store, tenancy }: Services): Promise<readonly Dependent[]> {
  const { namespace } = tenancy.organisation;
  const lists = await Promise.all([store.list('IntegrationAccess', namespace), store.list('ScimMapping', namespace)]);
  return lists.flat().filter(({ spec }) => spec.workspaceRef?.name === meta.name) as unknown as readonly Dependent[]; // of two Kinds
}

/** Throws RestError CONFLICT for what may not go, before anything has gone. */
export function refuseKept(dependents: readonly Dependent[], { force }: WriteOptions, all: boolean): void {
  const kept = dependents.filter(({ kind }) => !all || NEVER_DELETED.has(kind));
  if (kept.length > 0) {
    const more = kept.length > MAX_NAMED ? ` and ${kept.length - MAX_NAMED} more` : '';
    const names = kept.slice(0, MAX_NAMED).map(keyOf).join(', ');
    const hint = all ? 'delete these first' : 'delete these first, or repeat with force_delete';
    throw new RestError('CONFLICT', { message: `The workspace contains ${names}${more}; ${hint}` });
  }
  const owned = force ? undefined : dependents.find(({ meta }) => !isScimMade(meta) && ownerOf(meta) !== undefined);
  if (owned === undefined) return;
  const message = `${keyOf(owned)} is managed by ${ownerOf(owned.meta) ?? ''}; delete it there, or repeat with ?force=true`;
  throw new RestError('CONFLICT', { message });
}

/** How long all of those that go on being in use are waited for together. */
const LAST_TRY_MS = 5_000;

/** Deletes them in an order in which none is in use any more. */
export async function deleteAll(
  dependents: readonly Dependent[],
  { store }: Services,
  how: WriteOptions,
): Promise<void> {
  let left = dependents;
  let lastTryMs: number | undefined;
  while (left.length > 0) {
    const untilMs = lastTryMs ?? 0;
    const used = await deleteUnused(left, store, { ...how, expects: () => performance.now() >= untilMs });
    const [first] = used;
    const isStuck = used.length === left.length;
    if (isStuck && lastTryMs !== undefined && first !== undefined) written(err(first.problem), keyOf(first.object));
    lastTryMs = isStuck ? performance.now() + LAST_TRY_MS : undefined;
    left = used.map(({ object }) => object);
  }
}

interface Used {
  readonly object: Dependent;
  readonly problem: WriteProblem;
}

/** Those that are in use are left. */
async function deleteUnused(
  dependents: readonly Dependent[],
  store: Services['store'],
  how: DeleteOptions,
): Promise<readonly Used[]> {
  const used: Used[] = [];
  for (const object of dependents) {
    const { kind, meta } = object;
    const place = { kind, namespace: meta.namespace, name: meta.name };
    const gone = await store.delete(place, isScimMade(meta) ? { ...how, force: true } : how);
    if (gone.ok || gone.error.kind === 'absent') continue;
    if (gone.error.kind === 'in-use') used.push({ object, problem: gone.error });
    else written(gone, keyOf(object));
  }
  return used;
}
