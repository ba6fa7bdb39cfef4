/**
 * Deletes shards that no manifest has named for long enough: few at a time, and only if they are unchanged since they were
 * selected.
 */
import type { Rate } from '../runtime/index.ts';
import { dueRows, type Journal, type JournalRow, MAX_ROWS, type NamedShard } from './journal.ts';
import { forEachConcurrently } from './parallel.ts';
import type { PublishedWatch } from './published-watch.ts';
import type { ShardStore, Stored, UnusedShard } from './shard-store.ts';

type Options = { readonly signal: AbortSignal };

export interface ShardCollectorOptions {
  readonly store: Pick<ShardStore, 'inspect' | 'remove'>;
  /** The prefix of the names of the fleet's shards. */
  readonly prefix: string;
  readonly watch: PublishedWatch | undefined;
  readonly rate: Rate;
}

export interface Selection {
  readonly unused: readonly UnusedShard[];
  /** The rows to write into the journal before the shards are deleted; undefined: they are unchanged. */
  readonly rows: readonly JournalRow[] | undefined;
}

/** Shards per round: at the pace of deletions that takes 20 s. */
const ROUND = 100;
const LOOKS_AT_ONCE = 16;
const SIDES = [{ secret: false }, { secret: true }] as const;

export class ShardCollector {
  readonly #options: ShardCollectorOptions;

  constructor(options: ShardCollectorOptions) {
    this.#options = options;
  }

  /**
   * Selects the shards to delete, and finds those that are not in the journal, as after restoring a backup: as many as the
   * journal has room for, the others in later rounds.
   */
  async choose(
    { value: journal }: Stored<Journal>,
    { named, nowMs }: { readonly named: readonly NamedShard[]; readonly nowMs: number },
    options: Options,
  ): Promise<Selection> {
    const room = Math.max(0, MAX_ROWS - journal.shards.length);
    const found = this.#unknown(journal.shards, named).slice(0, room);
    const due = dueRows(journal.shards, named, nowMs).slice(0, ROUND);
    const unused: UnusedShard[] = [];
    const gone = new Set<JournalRow>();
    await forEachConcurrently(due, LOOKS_AT_ONCE, async (row) => {
      const watched = await this.#look(row, options);
      if (watched === undefined) gone.add(row);
      else unused.push(watched);
    });
    if (due.length + found.length === 0) return { unused, rows: undefined };
    const fresh = found.map((shard) => ({ ...shard, sinceMs: nowMs }));
    return { unused, rows: [...journal.shards.filter((row) => !gone.has(row)), ...fresh] };
  }

  /** Returns how many were deleted; a shard that was changed since is skipped. */
  async remove(unused: readonly UnusedShard[], { signal }: Options): Promise<number> {
    const { rate, store } = this.#options;
    let removed = 0;
    for (const shard of unused) {
      await rate.turn(signal);
      if (await store.remove(shard, { signal })) removed += 1;
    }
    return removed;
  }

  /** A watch answers without a call. */
  async #look(row: JournalRow, options: Options): Promise<UnusedShard | undefined> {
    const { watch, store } = this.#options;
    if (!watch?.isLive) return store.inspect(row, options);
    const watched = watch.find(row, row.name);
    return watched === undefined || watched.isLeaving ? undefined : { row, ...watched };
  }

  #unknown(rows: readonly JournalRow[], named: readonly NamedShard[]): readonly NamedShard[] {
    const { watch, prefix } = this.#options;
    if (!watch?.isLive) return [];
    const known = new Set([...rows, ...named].map(({ name }) => name));
    return SIDES.flatMap((sort) =>
      [...watch.names(sort)]
        .filter((name) => name.startsWith(prefix) && !known.has(name))
        .map((name) => ({ name, ...sort })),
    );
  }
}
