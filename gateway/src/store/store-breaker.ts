import { err, ok, type Result } from '@gatehouse/crds';

/** Circuit breaker of a store: after some failures in a row it is skipped for a while, so that requests do not wait for it. */
export interface StoreBreaker {
  /** The value, or an error at once while the store is skipped. Never rejects. */
  attempt<T>(task: () => Promise<T>): Promise<Result<T, 'failed' | 'skipped'>>;
}

export interface StoreBreakerOptions {
  /** Called for every task that failed, not for those that were skipped. */
  readonly onError: (error: unknown) => void;
  /** Monotonic time in ms. */
  readonly now?: () => number;
  /** Time for which the store is skipped, in ms; then one task tries it again. */
  readonly pauseMs?: number;
  /** Consecutive failures before that. */
  readonly maxFailures?: number;
}

const PAUSE_MS = 1_000;
const MAX_FAILURES = 3;

export function createStoreBreaker(options: StoreBreakerOptions): StoreBreaker {
  const { onError, now = () => performance.now(), pauseMs = PAUSE_MS, maxFailures = MAX_FAILURES } = options;
  let failures = 0;
  let pausedUntilMs = 0;

  /** The first task after a pause tries the store, and extends the pause for the others. */
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
