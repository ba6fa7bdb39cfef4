/** The shards of the manifest, each loaded once: their content is immutable. */

import { err, ok, type Result } from '@gatehouse/crds';
import {
  type AnyEntry,
  assembleSnapshot,
  type Manifest,
  readShard,
  type ShardRef,
  type Snapshot,
} from '@gatehouse/crds/snapshot';

export interface ShardCache {
  /**
   * The complete Snapshot of a manifest; loads missing shards. The error names the shard that is missing or invalid and why; loaded
   * shards are kept for the next try.
   */
  load(manifest: Manifest, options: { readonly signal: AbortSignal }): Promise<Result<Snapshot, string>>;
  /** Drops all shards but those of the manifest. */
  keepOnly(manifest: Manifest): void;
  entriesOf(digest: string): readonly AnyEntry[] | undefined;
}

/** Resolves with undefined when the shard does not exist; rejects when that is not known. */
export type FetchShard = (ref: ShardRef, options: { readonly signal: AbortSignal }) => Promise<string | undefined>;

const FETCHES_AT_ONCE = 8;

export function createShardCache(fetchShard: FetchShard): ShardCache {
  const shards = new Map<string, readonly AnyEntry[]>();

  const fetchOne = async (ref: ShardRef, signal: AbortSignal): Promise<string | undefined> => {
    const text = await fetchShard(ref, { signal }).catch((error: unknown) => {
      throw new Error(`shard ${ref.name}: ${error instanceof Error ? error.message : 'cannot be read'}`);
    });
    if (text === undefined) return `shard ${ref.name} is missing`;
    const entries = readShard(text, ref.digest);
    if (!entries.ok) return `shard ${ref.name}: ${entries.error}`;
    shards.set(ref.digest, entries.value);
    return undefined;
  };
  const fetchAll = async (refs: readonly ShardRef[], signal: AbortSignal): Promise<string | undefined> => {
    const queue = [...refs];
    let problem: string | undefined;
    const work = async (): Promise<void> => {
      for (let ref = queue.shift(); ref !== undefined && problem === undefined; ref = queue.shift()) {
        problem = (await fetchOne(ref, signal).catch((error: unknown) => String(error))) ?? problem;
      }
    };
    await Promise.all(Array.from({ length: FETCHES_AT_ONCE }, work));
    return problem;
  };
  return {
    load: async (manifest, { signal }) => {
      const lacking = manifest.shards.filter(({ digest }) => !shards.has(digest));
      const problem = await fetchAll(lacking, signal);
      if (problem !== undefined) return err(problem);
      const whole = assembleSnapshot(manifest, (digest) => shards.get(digest));
      return whole.ok ? ok(whole.value) : err(`${whole.error.length} shards are missing`);
    },
    keepOnly: ({ shards: refs }) => {
      const named = new Set(refs.map(({ digest }) => digest));
      for (const digest of shards.keys()) if (!named.has(digest)) shards.delete(digest);
    },
    entriesOf: (digest) => shards.get(digest),
  };
}
