/** Everything the operator reads of the cluster. */
import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import { type FleetStores, watchFleets } from '../kinds/gateway-fleet/index.ts';
import {
  podsByProfile,
  PODS as SIDECAR_PODS,
  type SidecarPod,
  slimPod as slimSidecarPod,
} from '../kinds/sidecar-profile/index.ts';
import {
  type Cache,
  createCache,
  createNamedWatches,
  isAllowedTo,
  type KindRef,
  type KubeClient,
  type KubeObject,
  type Log,
  type NamedWatches,
  type Store,
} from '../runtime/index.ts';
import { PROFILE_LABEL } from '../webhook/index.ts';
import {
  type CustomObject,
  kindRefOf,
  NAMESPACES,
  REFERENCE_GRANTS,
  type ReferenceGrantObject,
  SECRETS,
  type SecretObject,
} from '../world/index.ts';
import { type GatewayPod, POD_SELECTOR, PODS, slimPod } from './pods.ts';

export interface Stores {
  readonly cache: Cache;
  readonly kinds: ReadonlyMap<KindName, Store<CustomObject>>;
  readonly fleets: FleetStores;
  readonly namespaces: Store<KubeObject>;
  /** Absent where references must not cross namespaces. */
  readonly grants: Store<ReferenceGrantObject> | undefined;
  readonly pods: Store<GatewayPod, 'fleet'>;
  /** Pods that asked for a sidecar. */
  readonly sidecarPods: Store<SidecarPod, 'profile'>;
  readonly secrets: NamedWatches<SecretObject>;
}

export interface StoresOptions {
  readonly client: KubeClient;
  readonly namespaces: 'all' | ReadonlySet<string>;
  readonly crossNamespaceRefs: boolean;
  readonly log: Log;
}

// The keys of the table are names of Kinds.
const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** Every Kind of ours. */
export const KIND_REFS: readonly KindRef[] = KIND_NAMES.map(kindRefOf);

/** Declares what is watched; nothing is read before the cache and the named watches run. */
export function createStores({ client, namespaces, crossNamespaceRefs, log }: StoresOptions): Stores {
  const cache = createCache({ client, log, namespaces: namespaces === 'all' ? 'all' : [...namespaces] });
  const fleets = watchFleets(cache);
  const kinds = new Map<KindName, Store<CustomObject>>();
  for (const kind of KIND_NAMES) {
    kinds.set(kind, kind === 'GatewayFleet' ? fleets.fleets : cache.watch(kindRefOf(kind)));
  }
  return {
    cache,
    kinds,
    fleets,
    namespaces: cache.watch(NAMESPACES, { transform: bareNamespace }),
    grants: crossNamespaceRefs ? cache.watch(REFERENCE_GRANTS, { optional: true }) : undefined,
    pods: cache.watch(PODS, {
      labelSelector: POD_SELECTOR,
      indexes: { fleet: fleetsOfPod },
      transform: slimPod,
    }),
    sidecarPods: cache.watch(SIDECAR_PODS, {
      labelSelector: PROFILE_LABEL,
      indexes: { profile: podsByProfile },
      transform: slimSidecarPod,
    }),
    secrets: createNamedWatches({
      client,
      kind: SECRETS,
      log,
      transform: bareSecret,
      isAllowed: (name, signal) => isAllowedTo(client, { verb: 'watch', kind: SECRETS, ...name }, signal),
    }),
  };
}

export function storeOf({ kinds }: Pick<Stores, 'kinds'>, kind: KindName): Store<CustomObject> {
  const store = kinds.get(kind);
  if (store === undefined) throw new TypeError(`${kind} is not watched`);
  return store;
}

const fleetsOfPod = ({ metadata: { namespace = '', labels = {} } }: GatewayPod): readonly string[] => {
  const fleet = labels['gatehouse.dev/fleet'];
  return fleet === undefined ? [] : [`${namespace}/${fleet}`];
};

/** Only labels decide. */
const bareNamespace = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({ apiVersion, kind, metadata });

/** A copy that `kubectl apply` keeps in an annotation would be a second place with the secret in it. */
const bareSecret = ({ metadata, ...rest }: SecretObject): SecretObject => {
  const { 'kubectl.kubernetes.io/last-applied-configuration': _, ...annotations } = metadata.annotations ?? {};
  return { ...rest, metadata: { ...metadata, annotations } };
};
