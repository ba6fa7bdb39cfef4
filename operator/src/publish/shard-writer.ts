/** Ensures that the shards of a manifest exist, with few calls. */
import { type Shard, shardName } from '@gatehouse/crds/snapshot';
import { forEachConcurrently } from './parallel.ts';
import type { PublishedWatch } from './published-watch.ts';
import type { ShardStore } from './shard-store.ts';

type Options = { readonly signal: AbortSignal };

/** As many as the client has connections. */
const CALLS_AT_ONCE = 16;
/** Shards that are read again per round where there is no watch: all of a large fleet within some minutes. */
const CHECKED_SHARDS = 16;

export class ShardWriter {
  readonly #store: Pick<ShardStore, 'putShard' | 'findShard'>;
  readonly #fleet: string;
  /**
   * Uids of objects whose content was read or written, by digest: an immutable object with the same uid is unchanged.
   */
  #seen = new Map<string, string>();
  #checkedUpTo = 0;

  constructor(store: Pick<ShardStore, 'putShard' | 'findShard'>, fleet: string) {
    this.#store = store;
    this.#fleet = fleet;
  }

  put(shards: readonly Shard[], namedBy: string, options: Options): Promise<void> {
    return forEachConcurrently(shards, CALLS_AT_ONCE, async (shard) => {
      this.#seen.set(shard.digest, await this.#store.putShard(shard, namedBy, options));
    });
  }

  /** Creates missing shards among those that have not been seen; returns how many. */
  async restore(shards: readonly Shard[], namedBy: string, options: Options): Promise<number> {
    const absent: Shard[] = [];
    const unseen = shards.filter(({ digest }) => !this.#seen.has(digest));
    await forEachConcurrently(unseen, CALLS_AT_ONCE, async (shard) => {
      const uid = await this.#store.findShard(shard, options);
      if (uid === undefined) absent.push(shard);
      else this.#seen.set(shard.digest, uid);
    });
    await this.put(absent, namedBy, options);
    return absent.length;
  }

  /** Forgets all shards but these. */
  keepOnly(shards: readonly Shard[]): void {
    this.#seen = new Map(shards.flatMap(({ digest }) => pairOf(this.#seen, digest)));
  }

  /** Forgets shards that are missing or were replaced. */
  compare(shards: readonly Shard[], watch: PublishedWatch): void {
    for (const { digest, secret } of shards) {
      const watched = watch.find({ secret }, shardName(this.#fleet, digest));
      if (watched === undefined || watched.isLeaving || watched.uid !== this.#seen.get(digest))
        this.#seen.delete(digest);
    }
  }

  /** Forgets the next few, so that they are read again. */
  lookAgain(shards: readonly Shard[]): void {
    const from = this.#checkedUpTo < shards.length ? this.#checkedUpTo : 0;
    this.#checkedUpTo = from + CHECKED_SHARDS;
    for (const { digest } of shards.slice(from, this.#checkedUpTo)) this.#seen.delete(digest);
  }
}

function pairOf(seen: ReadonlyMap<string, string>, digest: string): [string, string][] {
  const uid = seen.get(digest);
  return uid === undefined ? [] : [[digest, uid]];
}
