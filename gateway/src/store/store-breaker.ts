import { err, ok, type Result } from '@gatehouse/crds';

/** Keeps a broken store from costing every request: after some failures in a row it is left alone for a while. */
export interface StoreBreaker {
  /** The value, or an error at once while the store is left alone. Never rejects. */
  attempt<T>(task: () => Promise<T>): Promise<Result<T, 'failed' | 'skipped'>>;
}

export interface StoreBreakerOptions {
  /** Called for every task that failed, not for those that were skipped. */
  readonly onError: (error: unknown) => void;
  /** Monotonic time in ms. */
  readonly now?: () => number;
  /** How long the store is left alone, in ms; then one task tries it again. */
  readonly pauseMs?: number;
  /** Failures in a row before that. */
  readonly maxFailures?: number;
}

const PAUSE_MS = 1_000;
const MAX_FAILURES = 3;

export function createStoreBreaker(options: StoreBreakerOptions): StoreBreaker {
  const { onError, now = () => performance.now(), pauseMs = PAUSE_MS, maxFailures = MAX_FAILURES } = options;
  let failures = 0;
  let pausedUntilMs = 0;

  /** Whoever comes first after a pause is the one that tries: it extends the pause for the others. */
  const mayTry = (): boolean => {
    if (failures < maxFailures) return true;
    if (now() < pausedUntilMs) return false;
    pausedUntilMs = now() + pauseMs;
    return true;
  };

  return {
    attempt: async (task) => {
      if (!mayTry()) return err('skipped');
      try {
        const value = await task();
        failures = 0;
        return ok(value);
      } catch (error) {
        failures += 1;
        pausedUntilMs = now() + pauseMs;
        onError(error);
        return err('failed');
      }
    },
  };
}
