/** Where resources are kept: the API server, or a folder of YAML files. Services know this port only. */
import type { Issue, Result } from '@gatehouse/crds';
import type { KindName, ResourceOf } from '@gatehouse/crds/kinds';

/** The place of an object; without namespace for cluster-scoped Kinds. */
export interface Place<K extends KindName = KindName> {
  readonly kind: K;
  readonly namespace: string | undefined;
  readonly name: string;
}

export interface StoredMeta {
  readonly name: string;
  readonly namespace: string | undefined;
  /** A UUID that stays the same while the object exists. */
  readonly uid: string;
  /** Opaque: changes with every change of the object. */
  readonly resourceVersion: string;
  /** RFC 3339. */
  readonly createdAt: string;
  /** When what somebody wrote changed last, RFC 3339: writes of the status do not count. */
  readonly updatedAt: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export interface StoredObject<K extends KindName = KindName> {
  readonly kind: K;
  readonly meta: StoredMeta;
  readonly spec: ResourceOf<K>['spec'];
  /** As the operator has written it. */
  readonly status: Readonly<Record<string, unknown>>;
}

/** What a new object or a change consists of. Members of the spec that are undefined are taken away. */
export interface Draft {
  readonly spec: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, string | undefined>>;
  /** Those that are not named stay; undefined takes one away. */
  readonly labels?: Readonly<Record<string, string | undefined>>;
  /** Entries of the Secret that belongs to the object: written beside it, never read. */
  readonly secret?: SecretDraft | undefined;
  /** Names of Secrets of the object that it does not use any more: what is in them goes after the write. */
  readonly retired?: readonly string[] | undefined;
}

export interface SecretDraft {
  readonly name: string;
  /** Undefined takes an entry away. */
  readonly entries: Readonly<Record<string, string | undefined>>;
}

export interface WriteOptions {
  /** Also what another tool owns. */
  readonly force: boolean;
  /** Says what would happen, and changes nothing. */
  readonly dryRun?: boolean;
  /** Refuses a new object that names what it is not permitted to name, instead of making one that waits for the permission. */
  readonly permittedOnly?: boolean;
}

export interface DeleteOptions extends WriteOptions {
  /** Users of the object that may well be there: where there are no others, the answer does not wait for them to be gone. */
  readonly expects?: (user: string) => boolean;
}

/** Why a write did not happen; nothing has changed. */
export type WriteProblem =
  | { readonly kind: 'exists' }
  | { readonly kind: 'absent' }
  /** Others changed the object each time the change was tried. */
  | { readonly kind: 'contended' }
  /** Another tool owns what would change. */
  | { readonly kind: 'owned'; readonly owner: string; readonly fields: readonly string[] }
  /** Paths begin at the object. */
  | { readonly kind: 'invalid'; readonly issues: readonly Issue[] }
  | { readonly kind: 'in-use'; readonly users: readonly string[] }
  /** The store may not write there. */
  | { readonly kind: 'forbidden'; readonly message: string };

export type Written<T> = Promise<Result<T, WriteProblem>>;

export interface ResourceStore {
  get<K extends KindName>(place: Place<K>): Promise<StoredObject<K> | undefined>;
  /** Of one namespace, or of all; in the order of their creation. */
  list<K extends KindName>(kind: K, namespace?: string): Promise<readonly StoredObject<K>[]>;
  /** By its UUID. */
  find<K extends KindName>(kind: K, uid: string): Promise<StoredObject<K> | undefined>;
  create<K extends KindName>(place: Place<K>, draft: Draft, options: WriteOptions): Written<StoredObject<K>>;
  /** `change` gets the object as it is, again when another write came between. */
  update<K extends KindName>(
    place: Place<K>,
    change: (current: StoredObject<K>) => Draft,
    options: WriteOptions,
  ): Written<StoredObject<K>>;
  /** One that others use is tried again for as long as their end may not be known everywhere: a few seconds. */
  delete(place: Place, options: DeleteOptions): Written<undefined>;
}
