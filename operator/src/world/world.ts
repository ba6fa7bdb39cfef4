import { isObject } from '@gatehouse/crds';
import type { KindName } from '@gatehouse/crds/kinds';
import { type KubeObject, type NamedWatches, namespaceOf, type ObjectKey, type Store } from '../runtime/index.ts';
import {
  type AccountReading,
  type ClusterIssuer,
  LayeredMap,
  type ManagedReading,
  type ReferenceGrant,
  type SecretReading,
  type ServiceReading,
  type World,
  type WorldObject,
  type WorldObjects,
  type WorldSettings,
} from '../translate/index.ts';
import type { CustomObject, ReferenceGrantObject, SecretObject } from './kind-refs.ts';
import { followStore, type LiveLayer } from './live-layer.ts';
import { toGrant, toLabels, toSecretData, toWorldObject } from './values.ts';

export type KindStores = ReadonlyMap<KindName, Store<CustomObject>>;

/** Readings of Services by key. */
interface ServiceSource {
  readonly objects: ReadonlyMap<ObjectKey, ServiceReading>;
  get(key: ObjectKey): ServiceReading | undefined;
  subscribe(listener: (change: { readonly key: ObjectKey }) => void): Disposable;
}

/** Values of SecretReferences by key. */
interface ManagedSource {
  readonly objects: ReadonlyMap<string, ManagedReading>;
  get(key: string): ManagedReading | undefined;
  subscribe(listener: (change: { readonly key: string }) => void): Disposable;
}

/** ServiceAccounts that are read one by one. */
type AccountSource = Pick<NamedWatches<KubeObject>, 'store' | 'isKnown' | 'isDenied' | 'beyond' | 'subscribe'>;

export interface WorldStores {
  readonly kinds: KindStores;
  readonly secrets: Pick<NamedWatches<SecretObject>, 'store' | 'isKnown' | 'isDenied' | 'beyond' | 'subscribe'>;
  readonly namespaces: Store<KubeObject>;
  /** Values of SecretReferences; absent: they are not fetched. */
  readonly managedSecrets?: ManagedSource | undefined;
  /** Absent: Services are not read. */
  readonly services?: Pick<ServiceSource, 'objects' | 'get' | 'subscribe'> | undefined;
  /** Absent: ServiceAccounts are not read. */
  readonly accounts?: AccountSource | undefined;
  /** Absent where references between namespaces are not allowed. */
  readonly grants: Store<ReferenceGrantObject> | undefined;
}

export interface LiveWorldOptions {
  readonly stores: WorldStores;
  readonly settings: WorldSettings;
  /** Who signs tokens of ServiceAccounts: the same object as long as its content is the same. */
  readonly clusterIssuer?: (() => ClusterIssuer | undefined) | undefined;
  /** The namespaces that this operator watches. */
  readonly namespaces: 'all' | ReadonlySet<string>;
  /** Something that a translation reads has changed; called often. */
  readonly onChange: () => void;
  /** How many bytes of an object a translation has to read; absent: few. */
  readonly bytesOf?: ((kind: KindName, key: ObjectKey) => number) | undefined;
}

export interface LiveWorld {
  /** The current world; costs what has changed since the last call. */
  take(): World;
  /** Marks an object that changed without a report of its store. */
  touch(kind: KindName, key: ObjectKey): void;
}

/** Keeps a world up to date with the stores. */
export function createLiveWorld(options: LiveWorldOptions): LiveWorld {
  const { stores, namespaces, onChange, bytesOf = () => 0 } = options;
  const kinds = new Map<KindName, LiveLayer<WorldObject>>();
  for (const [kind, store] of stores.kinds) {
    const toValue = (object: CustomObject, before: WorldObject | undefined): WorldObject | undefined =>
      isOurs(kind, object, namespaces) ? toWorldObject(object, before) : undefined;
    kinds.set(kind, followStore(store, { toValue, onChange }));
  }
  const secrets = followStore(stores.secrets.store, { toValue: toSecretData, onChange });
  stores.secrets.subscribe(secrets.touch); // eviction from a store is not reported
  const readings = followStore(readingsOf(stores.secrets), { toValue: (reading) => reading, onChange });
  const services = stores.services && followStore(stores.services, { toValue: (reading) => reading, onChange });
  const managed =
    stores.managedSecrets && followStore(stores.managedSecrets, { toValue: (reading) => reading, onChange });
  const accounts =
    stores.accounts && followStore(accountsOf(stores.accounts), { toValue: (reading) => reading, onChange });
  const labels = followStore(stores.namespaces, { toValue: toLabels, onChange });
  const grants = stores.grants && followStore(stores.grants, { toValue: toGrant, onChange });
  const byNamespace = groupGrants();
  let isFirst = true;
  const resources = (): World['resources'] => {
    const shares = isFirst ? undefined : createShares();
    isFirst = false;
    const isDue = (kind: KindName) => (key: string) => shares?.take(namespaceOf(key) ?? '', bytesOf(kind, key)) ?? true;
    return new Map<KindName, WorldObjects>([...kinds].map(([kind, layer]) => [kind, layer.take(isDue(kind))]));
  };
  return {
    touch: (kind, key) => kinds.get(kind)?.touch(key),
    take: () => ({
      resources: resources(),
      secrets: secrets.take(),
      secretReadings: readings.take(),
      namespaces: labels.take(),
      referenceGrants: byNamespace(grants?.take() ?? NO_GRANTS),
      ...(services === undefined ? {} : { services: services.take() }),
      ...(managed === undefined ? {} : { managedSecrets: managed.take() }),
      ...(accounts === undefined ? {} : { serviceAccounts: accounts.take() }),
      settings: settingsNow(options),
      served: 'all',
    }),
  };
}

const settingsNow = ({ settings, clusterIssuer }: LiveWorldOptions): WorldSettings => {
  const issuer = clusterIssuer?.();
  return issuer === undefined ? settings : { ...settings, clusterIssuer: issuer };
};

/** How many changed bytes of one namespace a translation reads: about as long as others wait for it. */
const SHARE_BYTES = 2 * 1024 * 1024;

/** Defers changes of a namespace with many of them to later translations, so that other namespaces need not wait. */
function createShares() {
  const taken = new Map<string, number>();
  return {
    take: (namespace: string, bytes: number): boolean => {
      const before = taken.get(namespace) ?? 0;
      if (bytes > 0 && before >= SHARE_BYTES) return false;
      taken.set(namespace, before + bytes);
      return true;
    },
  };
}

/** How far reading each Secret has come. */
function readingsOf({ isKnown, isDenied, beyond, subscribe }: WorldStores['secrets']) {
  return {
    objects: new Map<ObjectKey, SecretReading>(),
    get: (key: ObjectKey): SecretReading | undefined => {
      if (beyond.has(key)) return 'beyond';
      if (isDenied(key)) return 'denied';
      return isKnown(key) ? 'known' : undefined;
    },
    subscribe: (listener: (change: { readonly key: ObjectKey }) => void) => subscribe((key) => listener({ key })),
  };
}

const ABSENT: AccountReading = { kind: 'absent' };
const DENIED: AccountReading = { kind: 'denied' };
const BEYOND: AccountReading = { kind: 'beyond' };

/** What is known of each ServiceAccount. One that is being deleted is gone: its tokens must not outlive the decision. */
function accountsOf({ store, isKnown, isDenied, beyond, subscribe }: AccountSource) {
  const existing = new Map<string, AccountReading>();
  const exists = (key: ObjectKey, uid: string): AccountReading => {
    const known = existing.get(key);
    if (known?.kind === 'exists' && known.uid === uid) return known;
    const reading: AccountReading = { kind: 'exists', uid };
    existing.set(key, reading);
    return reading;
  };
  return {
    objects: new Map<ObjectKey, AccountReading>(),
    get: (key: ObjectKey): AccountReading | undefined => {
      const { uid, deletionTimestamp } = store.get(key)?.metadata ?? {};
      if (uid !== undefined && typeof deletionTimestamp !== 'string') return exists(key, uid);
      existing.delete(key);
      if (beyond.has(key)) return BEYOND;
      if (isDenied(key)) return DENIED;
      return isKnown(key) ? ABSENT : undefined;
    },
    subscribe: (listener: (change: { readonly key: ObjectKey }) => void): void => {
      store.subscribe(listener);
      subscribe((key) => listener({ key })); // eviction from a store is not reported
    },
  };
}

const NO_GRANTS = new LayeredMap<ReferenceGrant>();

/** An operator for some namespaces leaves Workspaces elsewhere to another operator. */
function isOurs(kind: KindName, { spec }: CustomObject, namespaces: LiveWorldOptions['namespaces']): boolean {
  if (namespaces === 'all' || kind !== 'Workspace') return true;
  const namespace = isObject(spec) ? spec['namespace'] : undefined;
  return typeof namespace === 'string' && namespaces.has(namespace);
}

/** Grants by their namespace; grouped again only when a grant has changed. */
function groupGrants(): (grants: LayeredMap<ReferenceGrant>) => ReadonlyMap<string, readonly ReferenceGrant[]> {
  let last: { readonly of: LayeredMap<ReferenceGrant>; readonly groups: Map<string, ReferenceGrant[]> } | undefined;
  return (grants) => {
    if (last?.of === grants) return last.groups;
    const groups = new Map<string, ReferenceGrant[]>();
    grants.forEach((grant, key) => {
      const namespace = namespaceOf(key);
      groups.set(namespace, [...(groups.get(namespace) ?? []), grant]);
    });
    last = { of: grants, groups };
    return groups;
  };
}
