/** Repairs and collects published objects: at once when a watch shows a change, and at intervals. */
import { type Clock, createRate, hasReason, type Log, sleep } from '../runtime/index.ts';
import type { Publisher, Repaired } from './publisher.ts';

export interface PublishMaintenanceOptions {
  readonly publisher: Pick<Publisher, 'repair' | 'collect'>;
  /** Nothing is written while it is true. */
  readonly isPaused: () => boolean;
  readonly onRepaired: (repaired: Repaired) => void;
  readonly log: Log;
  readonly clock: Clock;
}

export interface PublishMaintenance {
  /** To be called when something may have changed. */
  wake(): void;
  /** Runs until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** Interval of checks without a change, in ms. */
const TICK_MS = 15_000;
/** The operator's own writes also come through the watch: how long it waits for them, in ms. */
const SETTLE_MS = 250;
/** Limits the writes when objects are removed again and again: repairs per second in the long run, and at once. */
const REPAIRS = { perSecond: 0.2, burst: 20 };

export function createPublishMaintenance(options: PublishMaintenanceOptions): PublishMaintenance {
  const { publisher, isPaused, onRepaired, log, clock } = options;
  let woken = Promise.withResolvers<void>();
  const attempt = async (signal: AbortSignal, work: () => Promise<void>): Promise<void> => {
    if (signal.aborted || isPaused()) return;
    await work().catch((error: unknown) => {
      // Another write came first: the next round builds on it.
      if (hasReason(error, 'Conflict', 'AlreadyExists')) woken.resolve();
      else if (!signal.aborted) log.warn({ reason: reasonOf(error) }, 'Could not look after what is published');
    });
  };
  const repairOn = async (signal: AbortSignal): Promise<void> => {
    const rate = createRate({ ...REPAIRS, clock });
    while (!signal.aborted) {
      await untilNews(woken.promise, { signal, clock });
      woken = Promise.withResolvers();
      await attempt(signal, async () => {
        const repaired = await publisher.repair({ signal });
        onRepaired(repaired);
        if (repaired.restored > 0) await rate.turn(signal);
      });
    }
  };
  const collectOn = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      await sleep(TICK_MS, { signal, clock }).catch(() => undefined);
      await attempt(signal, async () => {
        await publisher.collect({ signal });
      });
    }
  };
  return {
    wake: () => woken.resolve(),
    run: async (signal) => {
      await Promise.all([repairOn(signal), collectOn(signal)]);
    },
  };
}

async function untilNews(
  news: Promise<void>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Clock },
): Promise<void> {
  const either = new AbortController();
  const both = AbortSignal.any([signal, either.signal]);
  await Promise.race([news, sleep(TICK_MS, { signal: both, clock }).catch(() => undefined)]);
  either.abort(new Error('woken by a change'));
  await sleep(SETTLE_MS, { signal, clock }).catch(() => undefined);
}

const reasonOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'reason' in error ? String(error.reason) : 'Other';
