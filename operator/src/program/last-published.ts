/** What fleets were told last, by whoever led then. */
import {
  type AnyEntry,
  assemble,
  isIntact,
  MANIFEST_KEY,
  manifestName,
  parseManifest,
  readShard,
  SHARD_KEY,
  type ShardRef,
} from '@gatehouse/crds/snapshot';
import {
  hasReason,
  type KindRef,
  type KubeClient,
  type KubeObject,
  keyOf,
  type Log,
  type ObjectName,
} from '../runtime/index.ts';

interface DataObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>> | undefined;
}

const dataKind = (kind: string, plural: string): KindRef<DataObject> => ({
  group: '',
  version: 'v1',
  kind,
  plural,
  namespaced: true,
});

const CONFIG_MAPS = dataKind('ConfigMap', 'configmaps');
const SECRETS = dataKind('Secret', 'secrets');
const READ_AT_ONCE = 10;

interface ReaderOptions {
  readonly client: Pick<KubeClient, 'get'>;
  readonly log: Log;
  readonly signal: AbortSignal;
}

type FleetName = ObjectName & { readonly namespace: string };

/** What one fleet was told last. */
interface Edition {
  /** In ms since 1970. */
  readonly publishedAt: number;
  readonly entries: readonly AnyEntry[];
}

/**
 * The entries of the manifests of fleets; of an entry that several have, the one of the latest publication, then of the highest
 * generation: generations begin anew with an object of the same name, and a suspended fleet still has those of the one before.
 * A fleet without a manifest, with one that cannot be read whole, or in a namespace whose rights the platform has not granted, adds nothing, nor does an entry that is not what its digest
 * says. Only fleets in the organisation's hands may be asked: who can write beside their manifests is believed. Rejects with
 * ApiError when the API server cannot be asked.
 */
export async function readPublished(
  fleets: readonly FleetName[],
  options: ReaderOptions,
): Promise<readonly AnyEntry[]> {
  const editions: Edition[] = [];
  for (const fleet of fleets.toSorted(byName)) editions.push(...(await readPermitted(fleet, options)));
  const found = new Map<string, { readonly publishedAt: number; readonly entry: AnyEntry }>();
  for (const { publishedAt, entries } of editions.sort((a, b) => b.publishedAt - a.publishedAt)) {
    for (const entry of entries) {
      const known = found.get(entry.id);
      const isNewer = known?.publishedAt === publishedAt && known.entry.generation < entry.generation;
      if (known === undefined || isNewer) found.set(entry.id, { publishedAt, entry });
    }
  }
  return [...found.values()].map(({ entry }) => entry);
}

const byName = (a: FleetName, b: FleetName): number => (keyOf(a) < keyOf(b) ? -1 : 1);

/** An operator without rights where a fleet stands can publish nothing there either: the others must not wait for that. */
async function readPermitted(fleet: FleetName, options: ReaderOptions): Promise<readonly Edition[]> {
  try {
    return await readFleet(fleet, options);
  } catch (error) {
    if (!hasReason(error, 'Forbidden')) throw error;
    return unreadable(options, keyOf(fleet), error.reason);
  }
}

async function readFleet({ namespace, name }: FleetName, options: ReaderOptions): Promise<readonly Edition[]> {
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
  const snapshot = assemble(manifest.value, (digest) => shards.get(digest));
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

function unreadable({ log }: ReaderOptions, fleet: string, code: string): readonly Edition[] {
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
