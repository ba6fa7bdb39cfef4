/** The objects that a publish writes. */
import { GROUP } from '@gatehouse/crds/kinds';
import {
  MANIFEST_KEY,
  type Manifest,
  manifestName,
  renderManifest,
  renderShard,
  SHARD_KEY,
  type Shard,
  shardName,
} from '@gatehouse/crds/snapshot';
import type { KindRef, KubeObject, ObjectMeta } from '../runtime/index.ts';
import { JOURNAL_KEY, type Journal, journalName, renderJournal } from './journal.ts';

/** The fleet to publish for, as its pods and owner references name it. */
export interface FleetIdentity {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

export interface DataObject extends KubeObject {
  readonly immutable?: boolean | undefined;
  readonly data?: Readonly<Record<string, string>> | undefined;
}

const kindOf = (kind: string, plural: string): KindRef<DataObject> => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});

export const CONFIG_MAPS: KindRef<DataObject> = kindOf('ConfigMap', 'configmaps');
export const SECRETS: KindRef<DataObject> = kindOf('Secret', 'secrets');

export const shardKind = ({ secret }: { readonly secret: boolean }): KindRef<DataObject> =>
  secret ? SECRETS : CONFIG_MAPS;

export const FLEET_LABEL = 'gatehouse.dev/fleet';
/** The version that used the shard last: changing it tells a collector that the shard is needed again. */
export const NAMED_BY = 'gatehouse.dev/named-by';

/** One field manager for all children; it never changes. */
export const FIELD_MANAGER = 'gatehouse-operator';

function metaOf({ namespace, name: fleet, uid }: FleetIdentity, name: string): ObjectMeta {
  return {
    namespace,
    name,
    labels: {
      'app.kubernetes.io/name': 'gatehouse-gateway',
      'app.kubernetes.io/instance': fleet,
      'app.kubernetes.io/component': 'gateway',
      'app.kubernetes.io/part-of': 'gatehouse',
      'app.kubernetes.io/managed-by': 'gatehouse-operator',
      [FLEET_LABEL]: fleet,
    },
    ownerReferences: [{ apiVersion: `${GROUP}/v1alpha1`, kind: 'GatewayFleet', name: fleet, uid, controller: true }],
  };
}

/** A shard, which is immutable. */
export function toShardObject(fleet: FleetIdentity, shard: Shard, namedBy: string): DataObject {
  const text = renderShard(shard.entries);
  const { labels = {}, ...meta } = metaOf(fleet, shardName(fleet.name, shard.digest));
  return {
    apiVersion: 'v1',
    kind: shardKind(shard).kind,
    metadata: { ...meta, labels, annotations: { [NAMED_BY]: namedBy } },
    immutable: true,
    data: { [SHARD_KEY]: shard.secret ? Buffer.from(text).toString('base64') : text },
  };
}

/** The text of a shard as it is stored. */
export function shardText({ kind, data }: DataObject): string {
  const value = data?.[SHARD_KEY] ?? '';
  return kind === 'Secret' ? Buffer.from(value, 'base64').toString('utf8') : value;
}

/** With the resourceVersion of the object that it replaces; without one, the object must not exist yet. */
export function toManifestObject(
  fleet: FleetIdentity,
  manifest: Manifest,
  resourceVersion: string | undefined,
): DataObject {
  return toConfigMap(
    fleet,
    { name: manifestName(fleet.name), key: MANIFEST_KEY, text: renderManifest(manifest) },
    resourceVersion,
  );
}

/** As with the manifest. */
export function toJournalObject(
  fleet: FleetIdentity,
  journal: Journal,
  resourceVersion: string | undefined,
): DataObject {
  return toConfigMap(
    fleet,
    { name: journalName(fleet.name), key: JOURNAL_KEY, text: renderJournal(journal) },
    resourceVersion,
  );
}

function toConfigMap(
  fleet: FleetIdentity,
  { name, key, text }: { readonly name: string; readonly key: string; readonly text: string },
  resourceVersion: string | undefined,
): DataObject {
  const meta = metaOf(fleet, name);
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: resourceVersion === undefined ? meta : { ...meta, resourceVersion },
    data: { [key]: text },
  };
}
