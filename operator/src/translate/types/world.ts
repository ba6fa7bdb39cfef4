/** What a translation looks at: everything, as plain values. Who keeps it up to date replaces objects, never changes them. */
import type { TargetCaps } from '@gatehouse/crds/config';
import type { KindName, ObjectMeta } from '@gatehouse/crds/kinds';
import type { OperatorAccount } from '../../rbac.ts';
import type { Weight } from './weight.ts';

/** A resource as it stands in a file or a store: frozen, and read no further than its identity. */
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
  /** What it weighs, where everything but its identity has been left out: see `weigh`. */
  readonly weight?: Weight | undefined;
  readonly [member: string]: unknown;
}

/** What stands behind the name of a Service: the same object as long as it says the same. */
export type ServiceReading =
  | { readonly kind: 'absent' }
  | { readonly kind: 'external' }
  /** Ready pods of the namespace by the port of the Service, as `ADDRESS:PORT`, sorted. */
  | { readonly kind: 'ports'; readonly endpoints: ReadonlyMap<number, readonly string[]> };

/** A Map, or anything that answers like one. The same object as long as its content is the same. */
export interface Lookup<T> {
  get(key: string): T | undefined;
}

/** The entries of a Secret, decoded to text. */
export interface SecretData extends Lookup<string> {
  /** UID of the object that controls the Secret and takes it along when it goes; absent: it is its author's alone. */
  readonly owner?: string | undefined;
}

/**
 * `known`: it exists or it does not, `secrets` says which. `beyond`: more are named than are read. `denied`: the platform has not
 * granted the right to read it.
 */
export type SecretReading = 'known' | 'beyond' | 'denied';

/**
 * Objects by `objectKey`. A changed object is a new object; an unchanged one stays the same. Any Map will do, and is gone
 * through with every translation; a LayeredMap tells by itself what has changed since the last one.
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
  /** How far reading a Secret has come, by `objectKey`: nothing for one that nobody has looked for yet. Absent: all are known. */
  readonly secretReadings?: Lookup<SecretReading> | undefined;
  /** Labels of every namespace. */
  readonly namespaces: Lookup<Lookup<string>>;
  /** ReferenceGrants by the namespace they stand in; absent: nothing is granted. */
  readonly referenceGrants?: Lookup<readonly ReferenceGrant[]> | undefined;
  /** Services by `objectKey`, as far as resources of workspaces name them; nothing for one that nobody has read yet. */
  readonly services?: Lookup<ServiceReading> | undefined;
  readonly settings: WorldSettings;
  /** The workspaces that are served; what others own is left out of the Snapshot, not of the verdicts. */
  readonly served: 'all' | ReadonlySet<string>;
}

/** What holds for the whole installation. */
export interface WorldSettings {
  readonly organisationNamespace: string;
  /** Where the organisation's own fleets are: what is published there holds everybody's credentials. */
  readonly fleetNamespaces?: readonly string[] | undefined;
  /** Whether a namespace must carry `CONSENT_LABEL` to be used by a Workspace (DESIGN section 4). */
  readonly consent: 'label' | 'implied';
  /** Whether somebody mints a key for an ApiKey that brings none. */
  readonly mintsKeys: boolean;
  /** Who needs the right to read Secrets; absent where nobody does. */
  readonly operatorAccount?: OperatorAccount | undefined;
  readonly caps: TargetCaps;
  /** Behind the names of Services; absent: there is no cluster, and hosts of workspaces lead as far as those of the organisation. */
  readonly clusterDomain?: string | undefined;
  /** Where resources may send requests to; absent or empty: anywhere. */
  readonly allowedHosts?: AllowedHosts | undefined;
}

/** Whether the namespace is in the organisation's hands, so that no Workspace can have it. */
export function isReservedNamespace(namespace: string, settings: WorldSettings): boolean {
  const { organisationNamespace, fleetNamespaces = [] } = settings;
  return namespace === organisationNamespace || fleetNamespaces.includes(namespace);
}

/** The label by which a namespace agrees to be used by the Workspace it names. */
export const CONSENT_LABEL = 'gatehouse.dev/workspace';

/** The label, with the value `enabled`, by which a namespace wants sidecars in its pods. */
export const INJECTION_LABEL = 'gatehouse.dev/injection';

/** `namespace/name`, or the name alone for a cluster-scoped object. */
export function objectKey(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`;
}

/** The entry of such a Secret that holds the key before the last one, for as long as it is still good. */
export const PREVIOUS_KEY = 'previous-key';

/** Where the operator puts the key it mints for an ApiKey: a Secret beside it that it owns. */
export function mintedSecret(apiKey: string): { readonly name: string; readonly key: string } {
  return { name: `${apiKey}-key`, key: 'key' };
}

/** Hosts as `parseHostPattern` gives them; empty: every host is allowed. */
export type AllowedHosts = readonly string[];

/** Who may read what, as it stands in `spec`: every member of `from` may read every member of `to`. */
export interface ReferenceGrant {
  readonly from: readonly { readonly group: string; readonly kind: string; readonly namespace: string }[];
  /** Without a name: every object of the kind in the namespace of the grant. */
  readonly to: readonly { readonly group: string; readonly kind: string; readonly name?: string | undefined }[];
}

interface Aged {
  readonly metadata: ObjectMeta;
}

/** Orders objects by creation, then by namespace and name. Files know no creation: there the name decides. */
export function byAge(a: Aged, b: Aged): number {
  return compare(ageOf(a), ageOf(b)) || compare(keyOf(a), keyOf(b));
}

const ageOf = ({ metadata }: Aged): string => metadata.creationTimestamp ?? '';

const keyOf = ({ metadata }: Aged): string => objectKey(metadata.namespace, metadata.name);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
