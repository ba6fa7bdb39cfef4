/** Reads what fleets serve, as the leader before has published it. */
import {
  type AnyEntry,
  assembleSnapshot,
  isIntact,
  MANIFEST_KEY,
  manifestName,
  parseManifest,
  readShard,
  SHARD_KEY,
  type ShardRef,
} from '@gatehouse/crds/snapshot';
import { hasReason, type KindRef, type KubeClient, keyOf, type Log, type ObjectName } from '../../runtime/index.ts';
import { CONFIG_MAPS, type DataObject, SECRETS } from '../objects.ts';

const READ_AT_ONCE = 10;

interface ReaderOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

export type FleetName = ObjectName & { readonly namespace: string };

export interface LastPublished {
  readonly entries: readonly AnyEntry[];
  /** Fleets whose content may not be read: the rights were not granted. */
  readonly unread: readonly FleetName[];
}

/** The content of one fleet. */
interface PublishedContent {
  /** In ms since 1970. */
  readonly publishedAt: number;
  readonly entries: readonly AnyEntry[];
}

/**
 * The entries of the manifests of fleets. Of an entry that several have, that of the latest publication wins, then the highest
 * generation: generations start again with a new object of the same name, and a suspended fleet may still have those of the old
 * one. A fleet without a manifest, or with one that cannot be read whole, adds nothing, and neither does an entry whose digest
 * does not match. Only fleets of the organisation may be given: anyone who can write in their namespace is trusted. Rejects
 * with ApiError when the API server does not answer.
 */
export async function readPublished(fleets: readonly FleetName[], options: ReaderOptions): Promise<LastPublished> {
  const editions: PublishedContent[] = [];
  const unread: FleetName[] = [];
  for (const fleet of fleets.toSorted(byName)) {
    const read = await readPermitted(fleet, options);
    if (read === undefined) unread.push(fleet);
    else editions.push(...read);
  }
  const found = new Map<string, { readonly publishedAt: number; readonly entry: AnyEntry }>();
  for (const { publishedAt, entries } of editions.sort((a, b) => b.publishedAt - a.publishedAt)) {
    for (const entry of entries) {
      const known = found.get(entry.id);
      const isNewer = known?.publishedAt === publishedAt && known.entry.generation < entry.generation;
      if (known === undefined || isNewer) found.set(entry.id, { publishedAt, entry });
    }
  }
  return { entries: [...found.values()].map(({ entry }) => entry), unread };
}

const byName = (a: FleetName, b: FleetName): number => (keyOf(a) < keyOf(b) ? -1 : 1);

/**
 * Undefined without rights in the fleet's namespace: nothing can be published there either, and other fleets must not wait for
 * it.
 */
async function readPermitted(
  fleet: FleetName,
  options: ReaderOptions,
): Promise<readonly PublishedContent[] | undefined> {
  try {
    return await readFleet(fleet, options);
  } catch (error) {
    if (!hasReason(error, 'Forbidden')) throw error;
    return undefined;
  }
}

async function readFleet({ namespace, name }: FleetName, options: ReaderOptions): Promise<readonly PublishedContent[]> {
  const fleet = keyOf({ namespace, name });
  const object = await find(CONFIG_MAPS, { namespace, name: manifestName(name) }, options);
  const text = object?.data?.[MANIFEST_KEY];
  if (text === undefined) return [];
  const manifest = parseManifest(text);
  if (!manifest.ok) return unreadable(options, fleet, manifest.error.code);
  const shards = new Map<string, readonly AnyEntry[]>();
  const queue = [...manifest.value.shards];
  const read = async (): Promise<void> => {
    for (let ref = queue.pop(); ref !== undefined; ref = queue.pop()) {
      const entries = await readOne(namespace, ref, options);
      if (entries !== undefined) shards.set(ref.digest, entries);
    }
  };
  await Promise.all(Array.from({ length: READ_AT_ONCE }, read));
  const snapshot = assembleSnapshot(manifest.value, (digest) => shards.get(digest));
  if (!snapshot.ok) return unreadable(options, fleet, 'INCOMPLETE');
  return [{ publishedAt: manifest.value.publishedAt ?? 0, entries: snapshot.value.entries }];
}

async function readOne(
  namespace: string,
  { name, secret, digest }: ShardRef,
  options: ReaderOptions,
): Promise<readonly AnyEntry[] | undefined> {
  const object = await find(secret ? SECRETS : CONFIG_MAPS, { namespace, name }, options);
  const value = object?.data?.[SHARD_KEY];
  if (value === undefined) return undefined;
  const entries = readShard(secret ? Buffer.from(value, 'base64').toString('utf8') : value, digest);
  if (!entries.ok) return undefined;
  const intact = entries.value.filter(isIntact);
  const dropped = entries.value.length - intact.length;
  if (dropped > 0)
    options.log.warn(
      { shard: keyOf({ namespace, name }), entries: dropped },
      'Entries that are not what their digest says were dropped',
    );
  return intact;
}

function unreadable({ log }: ReaderOptions, fleet: string, code: string): readonly PublishedContent[] {
  log.warn({ fleet, code }, 'Could not read what was published before');
  return [];
}

async function find(
  kind: KindRef<DataObject>,
  name: ObjectName,
  { client, signal }: ReaderOptions,
): Promise<DataObject | undefined> {
  try {
    return await client.get(kind, name, { signal });
  } catch (error) {
    if (hasReason(error, 'NotFound')) return undefined;
    throw error;
  }
}
