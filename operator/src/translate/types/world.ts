/** The input of a translation, as plain values. Callers replace objects and never change them. */
import type { TargetCaps } from '@gatehouse/crds/config';
import type { KindName, ObjectMeta, PublicJwk } from '@gatehouse/crds/kinds';
import type { OperatorAccount } from '../../rbac.ts';
import type { ManagedReading } from './managed.ts';
import type { Weight } from './weight.ts';

/** A resource as it is in a file or a store: frozen, and checked no further than its identity. */
export interface WorldObject {
  readonly apiVersion: string;
  readonly kind: KindName;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string | undefined;
    readonly generation?: number | undefined;
    readonly creationTimestamp?: string | null | undefined;
    readonly deletionTimestamp?: string | null | undefined;
    readonly [member: string]: unknown;
  };
  /** The weight of an object whose content was left out: see `weigh`. */
  readonly weight?: Weight;
  readonly [member: string]: unknown;
}

/** What the name of a Service leads to: the same object as long as its content is the same. */
export type ServiceReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'external' }
  /** Ready pods of the namespace by the port of the Service, as `ADDRESS:PORT`, sorted. */
  | { readonly kind: 'ports'; readonly endpoints: ReadonlyMap<number, readonly string[]> };

/**
 * What is known of a ServiceAccount: the same object as long as its content is the same. `denied`: the right to read it is not
 * granted. `beyond`: more are named than are read.
 */
export type AccountReading =
  | { readonly kind: 'exists'; readonly uid: string }
  | { readonly kind: 'absent' | 'denied' | 'beyond' };

/** A Map, or anything with its `get`. The same object as long as its content is the same. */
export interface Lookup<T> {
  get(key: string): T | undefined;
}

/** The entries of a Secret, decoded to text. */
export interface SecretData extends Lookup<string> {
  /** UID of the object that controls the Secret; absent: the Secret is on its own. */
  readonly owner?: string | undefined;
}

/**
 * `known`: it exists or not, see `secrets`. `beyond`: more Secrets are named than are read. `denied`: the right to read it is
 * not granted.
 */
export type SecretReading = 'known' | 'beyond' | 'denied';

/**
 * Objects by `objectKey`. A changed object is a new object; an unchanged one stays the same. A plain Map is compared whole with
 * every translation; a LayeredMap knows what has changed since the last one.
 */
export interface WorldObjects {
  readonly size: number;
  get(key: string): WorldObject | undefined;
  forEach(visit: (object: WorldObject, key: string) => void): void;
}

export interface World {
  readonly resources: ReadonlyMap<KindName, WorldObjects>;
  /** By `objectKey`. */
  readonly secrets: Lookup<SecretData>;
  /**
   * How far reading a Secret has come, by `objectKey`; undefined for one that was not looked up yet. Absent: all are known.
   */
  readonly secretReadings?: Lookup<SecretReading> | undefined;
  /** Labels of every namespace. */
  readonly namespaces: Lookup<Lookup<string>>;
  /** ReferenceGrants by their namespace; absent: nothing is granted. */
  readonly referenceGrants?: Lookup<readonly ReferenceGrant[]> | undefined;
  /** Services by `objectKey`, as far as resources of workspaces name them; undefined for one that was not read yet. */
  readonly services?: Lookup<ServiceReading> | undefined;
  /**
   * ServiceAccounts by `objectKey`, as far as Workspaces name them; undefined for one that was not read yet. Absent: there is no
   * cluster.
   */
  readonly serviceAccounts?: Lookup<AccountReading> | undefined;
  /** Values of SecretReferences by `objectKey`; undefined for one that was not fetched yet. */
  readonly managedSecrets?: Lookup<ManagedReading> | undefined;
  readonly settings: WorldSettings;
  /** The workspaces that are served; entries of others are left out of the Snapshot, not their verdicts. */
  readonly served: 'all' | ReadonlySet<string>;
}

/** Who signs the tokens of ServiceAccounts. */
export interface ClusterIssuer {
  /** Their `iss` claim. */
  readonly issuer: string;
  readonly keys: readonly PublicJwk[];
}

/** Settings of the whole installation. */
export interface WorldSettings {
  readonly organisationNamespace: string;
  /** Namespaces of the organisation's own fleets: what is published there holds credentials of everybody. */
  readonly fleetNamespaces?: readonly string[] | undefined;
  /** Whether a namespace must carry `CONSENT_LABEL` to be owned by a Workspace. */
  readonly consent: 'label' | 'implied';
  /** Whether keys are minted for ApiKeys that name none. */
  readonly mintsKeys: boolean;
  /** No admission sees which objects are new: rules for new ones hold for all. */
  readonly withoutAdmission?: boolean | undefined;
  /** The account that needs the right to read Secrets; absent where none does. */
  readonly operatorAccount?: OperatorAccount | undefined;
  readonly caps: TargetCaps;
  /**
   * The suffix of the names of Services; absent: there is no cluster, and hosts of workspaces lead as far as those of the
   * organisation.
   */
  readonly clusterDomain?: string | undefined;
  /** The issuer of ServiceAccount tokens; absent: there is no cluster, or it does not say. */
  readonly clusterIssuer?: ClusterIssuer | undefined;
  /** Hosts that resources may send requests to; absent or empty: any. */
  readonly allowedHosts?: AllowedHosts | undefined;
}

/** Whether the namespace belongs to the organisation, so that no Workspace can own it. */
export function isReservedNamespace(namespace: string, settings: WorldSettings): boolean {
  const { organisationNamespace, fleetNamespaces = [] } = settings;
  return namespace === organisationNamespace || fleetNamespaces.includes(namespace);
}

/** The label of a namespace that names the Workspace that may own it. */
export const CONSENT_LABEL = 'gatehouse.dev/workspace';

/** The label of a namespace that, with the value `enabled`, lets its pods get sidecars. */
export const INJECTION_LABEL = 'gatehouse.dev/injection';

/** Whether pods of the namespace get sidecars; everywhere where namespaces have no labels. */
export const isLabelledForInjection = (
  namespace: string,
  { namespaces, settings }: Pick<World, 'namespaces' | 'settings'>,
): boolean => settings.consent === 'implied' || namespaces.get(namespace)?.get(INJECTION_LABEL) === 'enabled';

/** `namespace/name`, or the name alone for a cluster-scoped object. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The entry of a minted Secret that holds the previous key as long as it is valid. */
export const PREVIOUS_KEY = 'previous-key';

/** The Secret of a minted key: in the namespace of the ApiKey, and owned by it. */
export function mintedSecret(apiKey: string): { readonly name: string; readonly key: string } {
  return { name: `${apiKey}-key`, key: 'key' };
}

/** Hosts as `parseHostPattern` gives them; empty: every host is allowed. */
export type AllowedHosts = readonly string[];

/** Who may refer to what, as in `spec`: every member of `from` to every member of `to`. */
export interface ReferenceGrant {
  readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
  /** Without a name: every object of the kind in the namespace of the grant. */
  readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string | undefined }[];
}

interface Aged {
  readonly metadata: ObjectMeta;
}

/**
 * Orders objects by creation, then by namespace and name. Objects in files have no creation time and are ordered by name.
 */
export function byAge(a: Aged, b: Aged): number {
  return compare(ageOf(a), ageOf(b)) || compare(keyOf(a), keyOf(b));
}

const ageOf = ({ metadata }: Aged): string => metadata.creationTimestamp ?? '';

const keyOf = ({ metadata }: Aged): string => objectKey(metadata.namespace, metadata.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
