/** The shape that all objects of Kubernetes share, and their names in the runtime. */

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean | undefined;
  readonly blockOwnerDeletion?: boolean | undefined;
}

/** The last write of a manager to fields of the spec. */
export interface SpecWrite {
  readonly manager: string;
  /** RFC 3339, to the second. */
  readonly time: string;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly generation?: number | undefined;
  /** Opaque: compared for equality, never for order. */
  readonly resourceVersion?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly annotations?: Readonly<Record<string, string>> | undefined;
  readonly creationTimestamp?: string | null | undefined;
  readonly deletionTimestamp?: string | null | undefined;
  readonly finalizers?: readonly string[] | undefined;
  readonly ownerReferences?: readonly OwnerReference[] | undefined;
  /** What is left of `managedFields` in lists and watches of a client that keeps it; the API server does not know it. */
  readonly specWrites?: readonly SpecWrite[] | undefined;
}

export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
}

declare const shape: unique symbol;

/** The path of objects of one type, and their TypeScript type. */
export interface KindRef<T extends KubeObject = KubeObject> {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
  readonly [shape]?: T;
}

/** `namespace/name`, or the name alone for a cluster-scoped object. */
export type ObjectKey = string;

export interface ObjectName {
  readonly name: string;
  readonly namespace?: string | undefined;
}

/** The key of an object, from its metadata or any other name with a namespace. */
export function keyOf({ namespace, name }: ObjectName): ObjectKey {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** Name and namespace of a key. */
export function nameOf(key: ObjectKey): ObjectName {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

/** The namespace of a key; empty for a cluster-scoped object. */
export function namespaceOf(key: ObjectKey): string {
  return key.slice(0, Math.max(0, key.indexOf('/')));
}

/** The `apiVersion` of objects of a Kind. */
export function apiVersionOf({ group, version }: Pick<KindRef, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** How a Kind is named in messages and metrics, e.g. `deployments.apps`. */
export function resourceName({ group, plural }: Pick<KindRef, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}
