/** What is kept of a resource: what is read of it, with the parts that it has in common with others. */
import { isObject } from '@gatehouse/crds';
import { CONDITION_TYPES } from '@gatehouse/crds/conditions';
import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import { bareMetadata, type ObjectMeta } from '../runtime/index.ts';
import { createInterner, type Interner } from './interning.ts';
import type { CustomObject } from './kind-refs.ts';

/** Values that objects have in common: more than there are in use, and a few MiB at most. */
const INTERNED = 1_000;
/** Kinds of which there may be a hundred thousand small objects; their schema bounds size and depth. */
const NUMEROUS: ReadonlySet<KindName> = new Set<KindName>(['ApiKey']);
const OWN_TYPES: ReadonlySet<string> = new Set(CONDITION_TYPES);

/**
 * Drops what others may put into metadata and status: `kubectl apply` alone keeps a copy of the whole object in an annotation.
 * Cluster-scoped kinds are written by administrators only, and fleets select Workspaces by their labels, so that these are
 * kept. `before` has the same content, so that its parts are used again: a translation keeps them, too.
 */
export function createSlimmer(
  annotations: readonly string[],
): (kind: KindName, object: CustomObject, before: CustomObject | undefined) => CustomObject {
  const interner = createInterner(INTERNED);
  return (kind, object, before) => {
    const { apiVersion, spec, status, weight } = object;
    const { labels } = object.metadata;
    const metadata = sharedMetadata(bareMetadata(object.metadata, { annotations }), before, interner);
    const shared = NUMEROUS.has(kind) ? sharedMembers(spec, interner) : spec;
    return {
      apiVersion: interner.text(apiVersion),
      kind: interner.text(object.kind),
      metadata: KINDS[kind].scope === 'Cluster' && labels !== undefined ? { ...metadata, labels } : metadata,
      spec: before === undefined ? shared : before.spec,
      ...(status === undefined ? {} : { status: interner.value(ownStatus(status)) }),
      ...(weight === undefined ? {} : { weight }),
    };
  };
}

/** The metadata with texts that other objects, or the same one before, have. */
function sharedMetadata(metadata: ObjectMeta, before: CustomObject | undefined, interner: Interner): ObjectMeta {
  const { name, uid } = before?.metadata ?? metadata;
  const { namespace, creationTimestamp } = metadata;
  return {
    ...metadata,
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(namespace === undefined ? {} : { namespace: interner.text(namespace) }),
    ...(typeof creationTimestamp === 'string' ? { creationTimestamp: interner.text(creationTimestamp) } : {}),
  };
}

/** The content with members that other objects have. */
function sharedMembers(spec: unknown, interner: Interner): unknown {
  if (!isObject(spec)) return spec;
  const share = (value: unknown): unknown =>
    typeof value === 'object' && value !== null ? interner.value(value) : value;
  return Object.fromEntries(Object.entries(spec).map(([name, value]) => [name, share(value)]));
}

function ownStatus(status: NonNullable<CustomObject['status']>): NonNullable<CustomObject['status']> {
  const { conditions } = status;
  if (!Array.isArray(conditions)) return status;
  return { ...status, conditions: conditions.filter((one) => isObject(one) && OWN_TYPES.has(String(one['type']))) };
}
