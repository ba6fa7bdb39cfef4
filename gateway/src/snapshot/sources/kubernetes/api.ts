/** The three requests a gateway sends to the API server; its Role allows no others. */
import { isObject, parseJson } from '@gatehouse/crds';
import { MANIFEST_KEY, manifestName, SHARD_KEY, type ShardRef } from '@gatehouse/crds/snapshot';
import { startIdleTimeout } from '../backoff.ts';
import { createHttpsClient, type Endpoint, type GetOptions } from '../https.ts';
import { readLines, readText } from '../lines.ts';

/** The manifest as an object of the API server. */
export interface ManifestObject {
  /** Of the object; differs after it was deleted and created again. */
  readonly uid: string;
  readonly text: string;
}

export interface CallOptions {
  readonly signal: AbortSignal;
}

/** All reject when the API server cannot be reached, refuses or takes too long. */
export interface SnapshotApi {
  /** Undefined when it does not exist. */
  manifest(options: CallOptions): Promise<ManifestObject | undefined>;
  /** The manifest now and after each change, until the server ends the watch. */
  watchManifest(options: CallOptions): AsyncGenerator<ManifestObject, void>;
  /** The text of a shard; undefined when it does not exist. */
  shard(ref: Pick<ShardRef, 'name' | 'secret'>, options: CallOptions): Promise<string | undefined>;
  close(): Promise<void>;
}

export interface SnapshotApiOptions {
  readonly endpoint: Endpoint;
  readonly namespace: string;
  readonly fleet: string;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

const CALL_MS = 10_000;
/** The API server sends a bookmark about once a minute; three missing ones mean a dead watch. */
const SILENCE_MS = 200_000;
/** Lifetime of a watch, in s. */
const WATCH_SECONDS = { min: 300, max: 600 };
/** Objects in etcd are at most 1.5 MiB; JSON escapes may double that. */
const MAX_OBJECT_BYTES = 4 * 1024 * 1024;

export function createSnapshotApi({ endpoint, namespace, fleet, random }: SnapshotApiOptions): SnapshotApi {
  const client = createHttpsClient(endpoint);
  const base = `/api/v1/namespaces/${encodeURIComponent(namespace)}`;
  const manifest = manifestName(fleet);

  const getObject = async (path: string, { signal, isOneOfMany = false }: GetOptions): Promise<unknown> => {
    using deadline = startIdleTimeout(signal, CALL_MS);
    const { status, body } = await client.get(path, { signal: deadline.signal, isOneOfMany });
    const text = await readText(body, MAX_OBJECT_BYTES);
    if (status === 404) return undefined;
    if (status !== 200) throw new Error(`the API server answered ${status}`);
    return decodeJson(text);
  };
  return {
    manifest: async (options) => toManifest(await getObject(`${base}/configmaps/${manifest}`, options)),
    watchManifest: async function* ({ signal }) {
      using silence = startIdleTimeout(signal, SILENCE_MS);
      const seconds = WATCH_SECONDS.min + Math.floor(random() * (WATCH_SECONDS.max - WATCH_SECONDS.min));
      const query = `watch=true&fieldSelector=metadata.name%3D${manifest}&allowWatchBookmarks=true&timeoutSeconds=${seconds}`;
      const { status, body } = await client.get(`${base}/configmaps?${query}`, silence);
      if (status !== 200) {
        body.destroy();
        throw new Error(`the API server answered ${status}`);
      }
      for await (const line of readLines(body, MAX_OBJECT_BYTES)) {
        silence.extend();
        const object = changedObject(line);
        if (object !== undefined) yield object;
      }
    },
    shard: async ({ name, secret }, options) => {
      const path = `${base}/${secret ? 'secrets' : 'configmaps'}/${encodeURIComponent(name)}`;
      const asked = { ...options, isOneOfMany: true };
      // First from the API server's watch cache, at half the cost: a shard is immutable, but may not be in the cache yet.
      const object = (await getObject(`${path}?resourceVersion=0`, asked)) ?? (await getObject(path, asked));
      const value = dataOf(object, SHARD_KEY);
      return secret && value !== undefined ? Buffer.from(value, 'base64').toString('utf8') : value;
    },
    close: () => client.close(),
  };
}

/** The manifest of an ADDED or MODIFIED event; undefined for bookmarks and deletion. */
function changedObject(line: string): ManifestObject | undefined {
  const event = decodeJson(line);
  if (!isObject(event)) throw new Error('a line of the watch is no event');
  switch (event['type']) {
    case 'ADDED':
    case 'MODIFIED':
      return toManifest(event['object']);
    // A deleted manifest stops no gateway: the current Snapshot is kept.
    case 'DELETED':
    case 'BOOKMARK':
      return undefined;
    default:
      throw new Error('the watch ended with an error'); // such as 410: the next watch starts from the current state
  }
}

function toManifest(object: unknown): ManifestObject | undefined {
  const text = dataOf(object, MANIFEST_KEY);
  const metadata = isObject(object) ? object['metadata'] : undefined;
  if (text === undefined || !isObject(metadata)) return undefined;
  return { uid: String(metadata['uid']), text };
}

function dataOf(object: unknown, key: string): string | undefined {
  const data = isObject(object) ? object['data'] : undefined;
  const value = isObject(data) ? data[key] : undefined;
  return typeof value === 'string' ? value : undefined;
}

function decodeJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    throw new Error('the answer of the API server is not JSON'); // without the cause, whose message quotes the text
  }
}
