/** Children as they are on the API server, and what must happen before they can be applied. */
import { isObject } from '@gatehouse/crds';
import { canonicalJson } from '@gatehouse/crds/snapshot';
import { hasReason, type KindRef, type KubeObject, keyOf } from '../../runtime/index.ts';
import { CHILD_KINDS, DEPLOYMENTS, type Manifest, ROLE_BINDINGS, SERVICES } from './kube-kinds.ts';
import type { FleetRun } from './ports.ts';

export type ChildState =
  | { readonly kind: 'free' }
  | { readonly kind: 'ours'; readonly object: KubeObject }
  /** Not owned by the fleet, or being deleted. */
  | { readonly kind: 'blocked'; readonly message: string };

export function kindOf({ kind }: KubeObject): KindRef {
  const found = CHILD_KINDS.find((ref) => ref.kind === kind);
  if (found === undefined) throw new TypeError(`${kind} is no Kind of a fleet's children`);
  return found;
}

/** Asks the API server when the cache has nothing: it holds labelled objects only, and may lag. */
export async function stateOf(run: FleetRun, manifest: KubeObject): Promise<ChildState> {
  const object = (await find(run, manifest)) ?? undefined;
  if (object === undefined) return { kind: 'free' };
  const { kind, metadata } = object;
  if (typeof metadata.deletionTimestamp === 'string') {
    return { kind: 'blocked', message: `The ${kind} ${metadata.name} is being deleted` };
  }
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner?.uid === run.fleet.metadata.uid) return { kind: 'ours', object };
  return { kind: 'blocked', message: `There is a ${kind} ${metadata.name} that does not belong to the fleet` };
}

async function find({ ports, signal }: FleetRun, manifest: KubeObject): Promise<KubeObject | undefined> {
  const cached = ports.stores.children.get(manifest.kind)?.get(keyOf(manifest.metadata));
  if (cached !== undefined) return cached;
  try {
    return await ports.client.get(kindOf(manifest), manifest.metadata, { signal });
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

const member = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);
const specOf = (object: KubeObject): unknown => ('spec' in object ? object.spec : undefined);

/** The immutable part of an object; undefined when there is none. */
const FIXED: ReadonlyMap<string, (object: KubeObject) => unknown> = new Map([
  [DEPLOYMENTS.kind, (object) => member(specOf(object), 'selector')],
  [ROLE_BINDINGS.kind, (object) => member(object, 'roleRef')],
  [
    SERVICES.kind,
    (object) => {
      const spec = specOf(object); // the class is immutable once a Service is a LoadBalancer
      return member(spec, 'type') === 'LoadBalancer' ? { of: member(spec, 'loadBalancerClass') ?? null } : undefined;
    },
  ],
]);

/** Whether the object has to be deleted and created again. */
export function mustBeReplaced(live: KubeObject, manifest: Manifest): boolean {
  const fixed = FIXED.get(manifest.kind) ?? (() => undefined);
  const [before, after] = [fixed(live), fixed(manifest)];
  return before !== undefined && after !== undefined && canonicalJson(before) !== canonicalJson(after);
}
