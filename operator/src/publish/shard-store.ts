/**
 * Reads and writes the published objects of one fleet. Every write names the version it builds on, so that a deposed leader
 * fails.
 */
import {
  MANIFEST_KEY,
  type Manifest,
  manifestName,
  NO_REVISION,
  parseManifest,
  type Revision,
  revisionOf,
  type Shard,
  shardDigest,
  shardName,
} from '@gatehouse/crds/snapshot';
import { hasReason, type KubeClient, type KubeObject, type Log } from '../runtime/index.ts';
import { EMPTY_JOURNAL, JOURNAL_KEY, type Journal, type JournalRow, journalName, parseJournal } from './journal.ts';
import {
  CONFIG_MAPS,
  type DataObject,
  FIELD_MANAGER,
  FLEET_LABEL,
  type FleetIdentity,
  NAMED_BY,
  shardKind,
  shardText,
  toJournalObject,
  toManifestObject,
  toShardObject,
} from './objects.ts';

export type ShardStoreClient = Pick<KubeClient, 'get' | 'create' | 'update' | 'mergePatch' | 'delete'>;

/** A document as it was read or written; the resourceVersion is undefined when there is no object. */
export interface Stored<T> {
  readonly resourceVersion: string | undefined;
  readonly value: T;
}

/** The content of the manifest ConfigMap. `revision` is also known of a manifest that cannot be parsed otherwise. */
export interface ManifestState {
  readonly revision: Revision;
  readonly manifest: Manifest | undefined;
  /** Without the label of its fleet the watch does not show it. */
  readonly isLabelled: boolean;
}

/** A shard that nothing names, as it was when it was inspected. */
export interface UnusedShard {
  readonly row: JournalRow;
  readonly uid: string | undefined;
  readonly resourceVersion: string | undefined;
}

type Options = { readonly signal: AbortSignal };

/** All methods reject with ApiError; a write that came too late with `Conflict` or `AlreadyExists`. */
export interface ShardStore {
  readManifest(options: Options): Promise<Stored<ManifestState>>;
  readJournal(options: Options): Promise<Stored<Journal>>;
  writeManifest(manifest: Manifest, over: Stored<unknown>, options: Options): Promise<Stored<ManifestState>>;
  writeJournal(journal: Journal, over: Stored<unknown>, options: Options): Promise<Stored<Journal>>;
  /** Creates the shard, or touches it, so that it is newer than what a collector has seen; returns its uid. */
  putShard(shard: Shard, namedBy: string, options: Options): Promise<string>;
  /** The uid of a shard with the right content and label. */
  findShard(shard: Shard, options: Options): Promise<string | undefined>;
  /** A shard as it is now; undefined when it is gone or not of this fleet. */
  inspect(row: JournalRow, options: Options): Promise<UnusedShard | undefined>;
  /** False when it was changed since. */
  remove(unused: UnusedShard, options: Options): Promise<boolean>;
}

export function createShardStore(client: ShardStoreClient, fleet: FleetIdentity, log: Log): ShardStore {
  const { namespace } = fleet;
  const find = (kind: ReturnType<typeof shardKind>, name: string, options: Options): Promise<DataObject | undefined> =>
    client.get(kind, { namespace, name }, options).catch(ignoring('NotFound'));
  const write = (object: DataObject, { signal }: Options): Promise<DataObject> => {
    const options = { signal, fieldManager: FIELD_MANAGER };
    if (object.metadata.resourceVersion === undefined) return client.create(CONFIG_MAPS, object, options);
    return client.update(CONFIG_MAPS, object, options);
  };
  return {
    readManifest: async (options) => {
      const object = await find(CONFIG_MAPS, manifestName(fleet.name), options);
      return stored(object, { ...readManifestState(object, log), isLabelled: isOf(fleet, object) });
    },
    readJournal: async (options) => {
      const object = await find(CONFIG_MAPS, journalName(fleet.name), options);
      const journal = parseJournal(object?.data?.[JOURNAL_KEY] ?? '');
      if (object !== undefined && journal === undefined)
        log.warn({ fleet: fleet.name }, 'Shard journal was unreadable');
      return stored(object, journal ?? EMPTY_JOURNAL);
    },
    writeManifest: async (manifest, { resourceVersion }, options) => {
      const object = await write(toManifestObject(fleet, manifest, resourceVersion), options);
      return stored(object, { revision: revisionOf(manifest), manifest, isLabelled: true });
    },
    writeJournal: async (journal, { resourceVersion }, options) =>
      stored(await write(toJournalObject(fleet, journal, resourceVersion), options), journal),
    putShard: (shard, namedBy, options) =>
      putShard({ client, object: toShardObject(fleet, shard, namedBy), shard }, options),
    findShard: async (shard, options) => {
      const object = await find(shardKind(shard), shardName(fleet.name, shard.digest), options);
      return isOf(fleet, object) && holds(object, shard) ? (object?.metadata.uid ?? '') : undefined;
    },
    inspect: async (row, options) => {
      const object = await find(shardKind(row), row.name, options);
      if (object === undefined || !isOf(fleet, object)) return undefined;
      const { uid, resourceVersion } = object.metadata;
      return { row, uid, resourceVersion };
    },
    remove: async ({ row, uid, resourceVersion }, { signal }) => {
      const deleted = client.delete(shardKind(row), { namespace, name: row.name }, { signal, uid, resourceVersion });
      return deleted.then(
        () => true,
        (error: unknown) => {
          if (hasReason(error, 'NotFound')) return true;
          if (hasReason(error, 'Conflict')) return false;
          throw error;
        },
      );
    },
  };
}

const stored = <T>(object: KubeObject | undefined, value: T): Stored<T> => ({
  resourceVersion: object?.metadata.resourceVersion,
  value,
});

const ignoring =
  (...reasons: readonly string[]) =>
  (error: unknown): undefined => {
    if (!hasReason(error, ...reasons)) throw error;
  };

function readManifestState(object: DataObject | undefined, log: Log): Omit<ManifestState, 'isLabelled'> {
  if (object === undefined) return { revision: NO_REVISION, manifest: undefined };
  const parsed = parseManifest(object.data?.[MANIFEST_KEY] ?? '');
  if (parsed.ok) return { revision: revisionOf(parsed.value), manifest: parsed.value };
  log.warn({ problem: parsed.error.message }, 'Manifest was unreadable');
  return { revision: parsed.error.revision ?? NO_REVISION, manifest: undefined };
}

const isOf = ({ name }: FleetIdentity, object: DataObject | undefined): boolean =>
  object?.metadata.labels?.[FLEET_LABEL] === name;

const holds = (object: DataObject | undefined, { digest }: Shard): boolean =>
  object !== undefined && object.metadata.deletionTimestamp === undefined && shardDigest(shardText(object)) === digest;

/** Creates the shard, or touches an existing one, which makes a deletion by a collector fail. Returns its uid. */
async function putShard(
  { client, object, shard }: { readonly client: ShardStoreClient; readonly object: DataObject; readonly shard: Shard },
  { signal }: Options,
): Promise<string> {
  const kind = shardKind(shard);
  const create = (): Promise<DataObject | undefined> =>
    client.create(kind, object, { signal, fieldManager: FIELD_MANAGER }).catch(ignoring('AlreadyExists'));
  const created = await create();
  if (created !== undefined) return uidOf(created);
  const { annotations, labels } = object.metadata;
  const patch = { metadata: { labels, annotations: { [NAMED_BY]: annotations?.[NAMED_BY] } } };
  const touched = await client
    .mergePatch<DataObject>(kind, object.metadata, patch, { signal, fieldManager: FIELD_MANAGER })
    .catch(ignoring('NotFound'));
  if (touched !== undefined && holds(touched, shard)) return uidOf(touched);
  // Its content does not match its name, or it was deleted meanwhile: an immutable object can only be replaced.
  const { uid } = touched?.metadata ?? {};
  if (touched !== undefined) {
    await client.delete(kind, object.metadata, { signal, uid }).catch(ignoring('NotFound'));
  }
  return uidOf(await client.create(kind, object, { signal, fieldManager: FIELD_MANAGER }));
}

const uidOf = ({ metadata }: DataObject): string => metadata.uid ?? '';
