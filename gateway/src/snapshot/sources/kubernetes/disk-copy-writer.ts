/** Keeps the copy on disk up to date in the background: the newest manifest only, one write at a time. */
import type { Manifest } from '@gatehouse/crds/snapshot';
import { sleepUntilAborted } from '../backoff.ts';
import type { SourceLog } from '../source.ts';
import type { DiskCopy } from './disk-copy.ts';
import type { ShardCache } from './shard-cache.ts';

export interface DiskCopyWriter {
  onServing(manifest: Manifest, event: 'loaded' | 'confirmed'): void;
  /** Resolves when no write is in progress. */
  close(): Promise<void>;
}

/** Shortest time between two confirmations of an unchanged copy, in ms. */
const CONFIRM_EVERY_MS = 30_000;
/** Delay before a new Snapshot is written, in ms: edits come in bursts, and serving has priority. */
const SETTLE_MS = 3_000;

export function createDiskCopyWriter(
  copy: DiskCopy,
  shards: Pick<ShardCache, 'entriesOf'>,
  log: SourceLog,
): DiskCopyWriter {
  const closing = new AbortController();
  let wanted: Manifest | undefined;
  let confirmedMs = Number.NEGATIVE_INFINITY;
  let saved = false;
  let failed = false;
  let working: Promise<void> | undefined;

  const attempt = async (task: () => Promise<void>): Promise<void> => {
    try {
      await task();
      confirmedMs = performance.now();
      failed = false;
    } catch (error) {
      if (!failed) log.warn({ err: error }, 'Copy of the Snapshot could not be written');
      failed = true;
    }
  };
  const work = async (): Promise<void> => {
    while (wanted !== undefined) {
      await sleepUntilAborted(SETTLE_MS, closing.signal);
      const now: Manifest = wanted;
      wanted = undefined;
      await attempt(() => copy.save(now, shards.entriesOf));
      saved = !failed;
    }
  };
  return {
    onServing: (manifest, event) => {
      if (event === 'loaded' || !saved) wanted = manifest;
      else if (performance.now() - confirmedMs < CONFIRM_EVERY_MS) return;
      if (working !== undefined) return;
      const task = wanted === undefined ? attempt(copy.confirm) : work();
      working = task.finally(() => {
        working = undefined;
      });
    },
    close: async () => {
      closing.abort();
      await working;
    },
  };
}
