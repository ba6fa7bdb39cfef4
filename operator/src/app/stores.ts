/** Everything that the operator reads from the cluster. */
import { KINDS, type KindName } from '@gatehouse/crds/kinds';
import { EMBEDDED_SERVERS } from '../embedded/index.ts';
import { MINTED_AT, PREVIOUS_UNTIL, ROTATE_ANNOTATION, ROTATED_FOR } from '../kinds/api-key/index.ts';
import { type FleetStores, isOfOrganisation, watchFleets } from '../kinds/gateway-fleet/index.ts';
import {
  PROFILE_LABEL,
  podsByProfile,
  PODS as SIDECAR_PODS,
  type SidecarPod,
  slimPod as slimSidecarPod,
} from '../kinds/sidecar-profile/index.ts';
import {
  bareMetadata,
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
import { CONSENT_LABEL, INJECTION_LABEL } from '../translate/index.ts';
import { USER_RANGE_ANNOTATION } from '../webhook/index.ts';
import {
  type ContentCache,
  type CustomObject,
  contentLimits,
  createContentCache,
  kindRefOf,
  NAMESPACES,
  REFERENCE_GRANTS,
  type ReferenceGrantObject,
  SECRETS,
  SERVICE_ACCOUNTS,
  type SecretObject,
} from '../world/index.ts';
import { type GatewayPod, POD_SELECTOR, PODS, slimPod } from './pods.ts';

export interface Stores {
  readonly cache: Cache;
  readonly kinds: ReadonlyMap<KindName, Store<CustomObject>>;
  readonly fleets: FleetStores;
  readonly namespaces: Store<KubeObject>;
  /** Absent where references between namespaces are not allowed. */
  readonly grants: Store<ReferenceGrantObject> | undefined;
  readonly pods: Store<GatewayPod, 'fleet'>;
  /** Pods with the label of a SidecarProfile. */
  readonly sidecarPods: Store<SidecarPod, 'profile' | 'namespace'>;
  readonly secrets: NamedWatches<SecretObject>;
  /** ServiceAccounts that Workspaces name. */
  readonly accounts: NamedWatches<KubeObject>;
  readonly contentCache: ContentCache;
}

export interface StoresOptions {
  readonly client: KubeClient;
  readonly namespaces: 'all' | ReadonlySet<string>;
  readonly crossNamespaceRefs: boolean;
  readonly organisationNamespace: string;
  readonly fleetNamespaces: ReadonlySet<string>;
  readonly log: Log;
}

// The keys of the table are names of Kinds.
const KIND_NAMES = Object.keys(KINDS) as KindName[];

/** The annotation that requests a reconciliation. */
export const REQUESTED_AT = 'gatehouse.dev/requestedAt';

/** Every Kind of the group. */
export const KIND_REFS: readonly KindRef[] = KIND_NAMES.map(kindRefOf);

/** Declares the watches; nothing is read before the cache and the named watches run. */
export function createStores(options: StoresOptions): Stores {
  const { client, namespaces, crossNamespaceRefs, log } = options;
  const cache = createCache({ client, log, namespaces: namespaces === 'all' ? 'all' : [...namespaces] });
  const kinds = new Map<KindName, Store<CustomObject>>();
  const labels = cache.watch(NAMESPACES, { transform: bareNamespace, first: true });
  const contentCache = createContentCache({
    client,
    log,
    annotations: [REQUESTED_AT, ROTATE_ANNOTATION],
    contentLimitOf: contentLimits(
      {
        organisations: { get: (key) => kinds.get('Organisation')?.get(key) },
        workspaces: { get: (key) => kinds.get('Workspace')?.get(key) },
        namespaces: labels,
      },
      (namespace) => isOfOrganisation(namespace, options),
    ),
  });
  const fleets = watchFleets(cache, contentCache.transformOf('GatewayFleet'));
  for (const kind of KIND_NAMES) {
    if (kind === 'GatewayFleet') kinds.set(kind, fleets.fleets);
    else kinds.set(kind, watchKind(kind, cache, contentCache));
  }
  return {
    cache,
    kinds,
    fleets,
    contentCache,
    namespaces: labels,
    grants: crossNamespaceRefs ? cache.watch(REFERENCE_GRANTS, { optional: true, transform: bareGrant }) : undefined,
    pods: cache.watch(PODS, {
      labelSelector: POD_SELECTOR,
      indexes: { fleet: fleetsOfPod },
      transform: slimPod,
    }),
    sidecarPods: cache.watch(SIDECAR_PODS, {
      labelSelector: PROFILE_LABEL,
      indexes: { profile: podsByProfile, namespace: ({ metadata }) => [metadata.namespace ?? ''] },
      transform: slimSidecarPod,
    }),
    accounts: createNamedWatches({
      client,
      kind: SERVICE_ACCOUNTS,
      log,
      transform: bareAccount,
      isAllowed: (name, signal) => isAllowedTo(client, { verb: 'watch', kind: SERVICE_ACCOUNTS, ...name }, signal),
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

/** Objects per page of a list: with the largest possible objects the API server answers with 225 MiB. */
const PAGE_SIZE = 150;
/** As long as they are as small as most. */
const MAX_PAGE_SIZE = 1_500;
/** They are read first: they decide how much is kept of all others. */
const FIRST_KINDS: ReadonlySet<KindName> = new Set<KindName>(['Organisation', 'Workspace']);

function watchKind(kind: KindName, cache: Cache, contentCache: ContentCache): Store<CustomObject> {
  const store = cache.watch(kindRefOf(kind), {
    pageSize: PAGE_SIZE,
    maxPageSize: MAX_PAGE_SIZE,
    first: FIRST_KINDS.has(kind),
    transform: contentCache.transformOf(kind),
  });
  contentCache.follow(kind, store);
  return store;
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

/** Metadata of Secrets that the operator owns. */
const SECRET_LABELS: readonly string[] = EMBEDDED_SERVERS.map(({ label }) => label);
const SECRET_ANNOTATIONS: readonly string[] = [MINTED_AT, PREVIOUS_UNTIL, ROTATED_FOR];

/** Nothing else of a namespace is used. */
const bareNamespace = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: bareMetadata(metadata, {
    labels: [CONSENT_LABEL, INJECTION_LABEL],
    annotations: [USER_RANGE_ANNOTATION],
  }),
});

const bareGrant = ({ apiVersion, kind, metadata, spec }: ReferenceGrantObject): ReferenceGrantObject => ({
  apiVersion,
  kind,
  metadata: bareMetadata(metadata),
  spec,
});

/** Only which one it is matters. */
const bareAccount = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => ({
  apiVersion,
  kind,
  metadata: bareMetadata(metadata),
});

/** `kubectl apply` keeps a copy in an annotation, which would be a second place with the secret. */
const bareSecret = ({ apiVersion, kind, metadata, type, data }: SecretObject): SecretObject => ({
  apiVersion,
  kind,
  metadata: bareMetadata(metadata, { labels: SECRET_LABELS, annotations: SECRET_ANNOTATIONS, owner: true }),
  type,
  data,
});
