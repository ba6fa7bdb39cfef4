import type { ObjectKey } from '../client/index.ts';
import { type BackoffBounds, type Clock, exponentialMs, systemClock } from '../time/index.ts';
import { createQueueState, type Lane, type Taken } from './queue-state.ts';

export interface AddOptions {
  /** Default `fresh`. */
  readonly lane?: Lane;
  readonly afterMs?: number;
}

export interface QueueOptions {
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
  /** For keys that fail repeatedly. Default 1 s to 5 min. */
  readonly backoff?: BackoffBounds | undefined;
}

/**
 * Keys of objects to process. A key waits once, however often it is added; added while it is processed, it waits again
 * afterwards. The earliest of several requests wins. Namespaces alternate.
 */
export interface Queue {
  add(key: ObjectKey, options?: AddOptions): void;
  /** Adds a failed key after a delay that doubles with each failure since `forget`; returns the delay in ms. */
  retry(key: ObjectKey): number;
  /** The key has succeeded, or its object is deleted: the next failure is a first one. */
  forget(key: ObjectKey): void;
  /** The next key, as soon as there is one; rejects with the reason of the signal. */
  take(signal: AbortSignal): Promise<Taken>;
  /** Must follow each take. */
  done(key: ObjectKey): void;
  /** Keys that are ready and not being processed. */
  readonly depth: number;
}

const BACKOFF: BackoffBounds = { minMs: 1_000, maxMs: 300_000 };
/** Spreads keys that failed together; upward only, so that no delay is shorter than requested. */
const JITTER = 0.1;

/** A queue in memory. It holds one entry per key, so the objects of the cluster bound it. */
export function createQueue(options: QueueOptions = {}): Queue {
  const { clock = systemClock, random = Math.random, backoff = BACKOFF } = options;
  const state = createQueueState();
  const failures = new Map<ObjectKey, number>();
  const waiters = new Set<(taken: Taken) => void>();
  let timer: { readonly dueMs: number; readonly handle: Disposable } | undefined;

  const serve = (): void => {
    for (const give of waiters) {
      const taken = state.take(clock.monotonicMs());
      if (taken === undefined) break;
      waiters.delete(give);
      give(taken);
    }
    setTimer(waiters.size === 0 ? undefined : state.nextDueMs());
  };
  const setTimer = (dueMs: number | undefined): void => {
    if (timer?.dueMs === dueMs) return;
    timer?.handle[Symbol.dispose]();
    timer = undefined;
    if (dueMs === undefined) return;
    const handle = clock.schedule(Math.max(0, dueMs - clock.monotonicMs()), () => {
      timer = undefined;
      serve();
    });
    timer = { dueMs, handle };
  };
  const add: Queue['add'] = (key, { lane = 'fresh', afterMs = 0 } = {}) => {
    const nowMs = clock.monotonicMs();
    const delayMs = afterMs * (1 + JITTER * random());
    state.add(key, { dueMs: nowMs + delayMs, lane }, nowMs);
    serve();
  };

  return {
    add,
    retry: (key) => {
      const failed = failures.get(key) ?? 0;
      failures.set(key, failed + 1);
      const afterMs = exponentialMs(failed, backoff);
      add(key, { afterMs });
      return afterMs;
    },
    forget: (key) => {
      failures.delete(key);
    },
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const onAbort = (): void => {
          waiters.delete(give);
          reject(signal.reason);
        };
        const give = (taken: Taken): void => {
          signal.removeEventListener('abort', onAbort);
          resolve(taken);
        };
        signal.addEventListener('abort', onAbort, { once: true });
        waiters.add(give);
        serve();
      }),
    done: (key) => {
      state.done(key, clock.monotonicMs());
      serve();
    },
    get depth() {
      return state.depth;
    },
  };
}
