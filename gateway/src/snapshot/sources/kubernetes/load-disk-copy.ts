import { contentDigest, revisionOf } from '@gatehouse/crds/snapshot';
import type { SnapshotHolder } from '../../holder.ts';
import type { DiskCopy } from './disk-copy.ts';
import { createShardCache } from './shard-cache.ts';

export interface LoadDiskCopyOptions {
  readonly copy: DiskCopy;
  readonly snapshots: SnapshotHolder;
  /** False as soon as a Snapshot of the API server is being loaded. */
  readonly isWanted: () => boolean;
  readonly signal: AbortSignal;
}

/** Loads the copy on disk, completely or not at all. Returns why it is not served; undefined when it is, or is not wanted. */
export async function loadDiskCopy({
  copy,
  snapshots,
  isWanted,
  signal,
}: LoadDiskCopyOptions): Promise<string | undefined> {
  if (!isWanted()) return undefined;
  const manifest = await copy.manifest();
  if (!manifest.ok) return manifest.error;
  const shards = createShardCache(({ digest }) => copy.shard(digest));
  const whole = await shards.load(manifest.value, { signal });
  if (!whole.ok) return whole.error;
  if (!isWanted()) return undefined;
  const { epoch, version } = revisionOf(manifest.value);
  const digest = contentDigest(manifest.value);
  const { rejected } = await snapshots.load(version, whole.value, { epoch, digest });
  return rejected?.reason;
}
