import { join } from 'node:path';
import { revisionOf, shardDigest } from '@gatehouse/crds/snapshot';
import { sleepUntilAborted } from '../backoff.ts';
import { createConnection } from '../connection.ts';
import type { Endpoint } from '../https.ts';
import type { SnapshotSource, SourceOptions } from '../source.ts';
import { createSnapshotApi, type SnapshotApi } from './api.ts';
import { createDiskCopy, type DiskCopy } from './disk-copy.ts';
import { createDiskCopyWriter } from './disk-copy-writer.ts';
import { loadDiskCopy } from './load-disk-copy.ts';
import { createLoader } from './loader.ts';
import { followManifest } from './manifest-follower.ts';
import { createShardCache, type ShardCache } from './shard-cache.ts';

export interface KubernetesSourceSettings {
  readonly api: Endpoint;
  readonly namespace: string;
  readonly fleet: string;
  /** Folder of the last good copy; undefined: none is kept. */
  readonly folder: string | undefined;
  /** Age since the last confirmation up to which a copy is served. */
  readonly maxAgeMs: number;
}

/** Wait for the API server before the copy on disk is served, in ms. */
const START_MS = 2_000;

/**
 * Follows the manifest of a fleet. The last good Snapshot keeps being served in any case; at the start its copy on disk is, if the
 * API server does not answer soon.
 */
export function createKubernetesSource(settings: KubernetesSourceSettings, options: SourceOptions): SnapshotSource {
  const { snapshots, log, random } = options;
  const closing = new AbortController();
  const { signal } = closing;
  const api = createSnapshotApi({ ...settings, endpoint: settings.api, random });
  const connection = createConnection('the API server', options);
  const copy = diskCopyOf(settings);
  let servedFrom: string | undefined;
  const shards = shardCacheOf(api, copy, () => servedFrom !== 'the API server');
  const saver = copy === undefined ? undefined : createDiskCopyWriter(copy, shards, log);
  let copyProblem: string | undefined;
  const loader = createLoader({
    ...{ snapshots, shards, log, random },
    onServing: (manifest, event) => {
      servedFrom = 'the API server';
      saver?.onServing(manifest, event);
    },
  });
  const unreachable = new AbortController();
  const fallBack = async (from: DiskCopy): Promise<void> => {
    await sleepUntilAborted(START_MS, AbortSignal.any([unreachable.signal, signal]));
    const isWanted = (): boolean => !loader.hasBegun && !signal.aborted;
    if (!isWanted()) return;
    copyProblem = await loadDiskCopy({ copy: from, snapshots, isWanted, signal }).catch(
      () => 'the copy cannot be read',
    );
    if (copyProblem === undefined) servedFrom ??= 'the copy on disk';
    log.warn({ problem: copyProblem }, 'API server did not answer in time, the copy on disk was taken');
  };
  const follow = (): Promise<void> =>
    followManifest({
      ...{ api, signal, random },
      onManifest: (object) => {
        connection.up();
        if (object !== undefined) loader.propose(object);
      },
      onFailure: (error) => {
        connection.down(error);
        unreachable.abort();
      },
    });
  /** A restarted container remembers its last revision, whatever the API server shows. */
  const recall = async (from: DiskCopy): Promise<void> => {
    const kept = await from.manifest().catch(() => undefined);
    if (kept?.ok === true) loader.remember(revisionOf(kept.value));
  };
  const begin = async (): Promise<void> => {
    if (copy !== undefined) await recall(copy);
    await Promise.all([follow(), loader.run(signal), copy === undefined ? undefined : fallBack(copy)]);
  };
  let running: Promise<unknown> | undefined;
  return {
    start: () => {
      running = begin();
    },
    status: () => ({
      source: 'kubernetes',
      connected: connection.connected,
      servedFrom,
      problem: loader.problem ?? connection.problem ?? copyProblem,
    }),
    close: async () => {
      closing.abort();
      await running;
      await saver?.close();
      await api.close();
    },
  };
}

function diskCopyOf({ folder, maxAgeMs, fleet }: KubernetesSourceSettings): DiskCopy | undefined {
  if (folder === undefined) return undefined;
  return createDiskCopy({ folder: join(folder, 'snapshot', fleet), maxAgeMs, now: Date.now });
}

/** A restarted container has most shards on its disk; later ones are new. */
function shardCacheOf(api: SnapshotApi, copy: DiskCopy | undefined, isStarting: () => boolean): ShardCache {
  return createShardCache(async (ref, options) => {
    const kept = isStarting() ? await copy?.shard(ref.digest).catch(() => undefined) : undefined;
    return kept !== undefined && shardDigest(kept) === ref.digest ? kept : api.shard(ref, options);
  });
}
