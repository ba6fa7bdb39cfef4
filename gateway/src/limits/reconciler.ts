import { type Change, WINDOW_MS } from './limiter.ts';
import type { MemoryLimiter } from './memory.ts';

/** Adds to shared counters what a limiter in memory has counted. */
export interface Reconciler {
  /** Resolves with whether something is left. Rejects when the shared counters could not be reached; what was not added is kept. */
  run(nowMs: number): Promise<boolean>;
  /** The last run: one try, if there is anything to add. */
  finish(nowMs: number): Promise<void>;
}

export interface ReconcilerOptions {
  readonly shared: {
    add(slot: string, id: string, changes: readonly Change[], nowMs: number): Promise<void>;
  };
  readonly local: Pick<MemoryLimiter, 'takeChanges' | 'hasChanges'>;
  /** Makes the ids of this process unique. */
  readonly processId: string;
}

interface Batch {
  readonly id: string;
  readonly slot: string;
  readonly changes: readonly Change[];
}

/** Counters of one call. */
const MAX_CHANGES = 200;
/** Batches that wait; of more than these the oldest are lost. */
const MAX_BATCHES = 2_000;
/** How often one run looks for what was counted while it added the rest. */
const MAX_ROUNDS = 5;

export function createReconciler({ shared, local, processId }: ReconcilerOptions): Reconciler {
  const waiting = new Set<Batch>();
  let lastId = 0;
  let running: Promise<boolean> | undefined;

  const collect = (nowMs: number): void => {
    const slots = Map.groupBy(local.takeChanges().filter(isCurrentAt(nowMs)), ({ counter }) => counter.slot);
    for (const [slot, changes] of slots) {
      for (let at = 0; at < changes.length; at += MAX_CHANGES) {
        lastId += 1;
        waiting.add({ id: `${processId}:${lastId}`, slot, changes: changes.slice(at, at + MAX_CHANGES) });
      }
    }
    for (const batch of waiting) {
      if (waiting.size > MAX_BATCHES || !batch.changes.some(isCurrentAt(nowMs))) waiting.delete(batch);
    }
  };
  const send = async (nowMs: number): Promise<boolean> => {
    collect(nowMs);
    if (waiting.size === 0) await shared.add('', `${processId}:probe`, [], nowMs);
    for (let round = 1; waiting.size > 0 && round <= MAX_ROUNDS; round += 1) {
      for (const batch of waiting) {
        await shared.add(batch.slot, batch.id, batch.changes, nowMs);
        waiting.delete(batch);
      }
      collect(nowMs);
    }
    return waiting.size > 0;
  };

  const run = (nowMs: number): Promise<boolean> => {
    running ??= send(nowMs).finally(() => {
      running = undefined;
    });
    return running;
  };

  return {
    run,
    finish: async (nowMs) => {
      await running;
      if (local.hasChanges() || waiting.size > 0) await run(nowMs);
    },
  };
}

/** What happened in a window that is over no longer matters. */
const isCurrentAt =
  (nowMs: number) =>
  ({ counter, startMs }: Change): boolean =>
    nowMs < startMs + WINDOW_MS[counter.window];
