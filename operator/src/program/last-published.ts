/** What fleets were told last, by whoever led then. */
import {
  type AnyEntry,
  assemble,
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

/**
 * The entries of the manifest of each fleet; of an entry that several have, the one of the highest generation. A fleet without a
 * manifest, or with one that cannot be read whole, adds nothing. Rejects with ApiError when the API server cannot be asked.
 */
export async function readPublished(
  fleets: readonly (ObjectName & { readonly namespace: string })[],
  options: ReaderOptions,
): Promise<readonly AnyEntry[]> {
  const entries = new Map<string, AnyEntry>();
  for (const fleet of fleets) {
    for (const entry of await readFleet(fleet, options)) {
      const known = entries.get(entry.id);
      if (known === undefined || known.generation < entry.generation) entries.set(entry.id, entry);
    }
  }
  return [...entries.values()];
}

async function readFleet(
  { namespace, name }: ObjectName & { readonly namespace: string },
  options: ReaderOptions,
): Promise<readonly AnyEntry[]> {
  const object = await find(CONFIG_MAPS, { namespace, name: manifestName(name) }, options);
  const text = object?.data?.[MANIFEST_KEY];
  if (text === undefined) return [];
  const manifest = parseManifest(text);
  if (!manifest.ok) return unreadable(options, `${namespace}/${name}`, manifest.error.code);
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
  return snapshot.ok ? snapshot.value.entries : unreadable(options, `${namespace}/${name}`, 'INCOMPLETE');
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
  return entries.ok ? entries.value : undefined;
}

function unreadable({ log }: ReaderOptions, fleet: string, code: string): readonly AnyEntry[] {
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
