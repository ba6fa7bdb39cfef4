/** Objects of the API server as the management API reads them. */
import { KINDS, type KindName, parseResource, type ResourceOf } from '@gatehouse/crds/kinds';
import type { ObjectMeta } from '../../../runtime/index.ts';
import type { CustomObject } from '../../../world/index.ts';
import type { StoredMeta, StoredObject } from '../port.ts';
import { managedEntries } from './managed-fields.ts';

/** `kubectl apply` keeps a copy of the whole object in it. */
const COPY = 'kubectl.kubernetes.io/last-applied-configuration';

/** With the limits that the operator applies. */
export type ParseOptions = Parameters<typeof parseResource>[2];

/** With its spec in full, or without one where that does not have the schema of its Kind. */
export function readObject(kind: KindName, object: CustomObject, options?: ParseOptions): CustomObject {
  const parsed = parseResource(kind, toResource(object), options);
  const { apiVersion, metadata, status } = object;
  const { [COPY]: copy, ...annotations } = metadata.annotations ?? {};
  return {
    ...{ apiVersion, kind: object.kind },
    metadata: copy === undefined ? metadata : { ...metadata, annotations },
    spec: parsed.ok ? parsed.value.spec : undefined,
    ...(status === undefined ? {} : { status }),
  };
}

/** An object that has been read. Undefined without a spec, and for one that is being deleted. */
export function toStored<K extends KindName>(kind: K, read: CustomObject): StoredObject<K> | undefined {
  const { metadata, spec, status = {} } = read;
  if (spec === undefined || isBeingDeleted(metadata)) return undefined;
  return { kind, meta: metaOf(kind, metadata), spec: spec as ResourceOf<K>['spec'], status }; // readObject has parsed it
}

/** What somebody could have written: without status, and without what the API server keeps about writes. */
export function toResource({ apiVersion, kind, metadata, spec }: CustomObject): CustomObject {
  const { managedFields, specWrites, ...rest } = metadata as ObjectMeta & { readonly managedFields?: unknown }; // of each live object
  return { apiVersion, kind, metadata: rest, spec };
}

export const isBeingDeleted = ({ deletionTimestamp }: ObjectMeta): boolean => typeof deletionTimestamp === 'string';

function metaOf(kind: KindName, metadata: ObjectMeta): StoredMeta {
  const { name, uid = '', resourceVersion = '', creationTimestamp, labels = {}, annotations = {} } = metadata;
  const namespace = KINDS[kind].scope === 'Cluster' ? undefined : metadata.namespace;
  const createdAt = creationTimestamp ?? '';
  return { name, namespace, uid, resourceVersion, createdAt, updatedAt: updatedAtOf(metadata), labels, annotations };
}

/** Each manager has the time of its last change. */
function updatedAtOf(metadata: ObjectMeta): string {
  const times = (metadata.specWrites ?? managedEntries(metadata)).flatMap(({ time }) => time ?? []);
  return times.sort().at(-1) ?? metadata.creationTimestamp ?? '';
}
