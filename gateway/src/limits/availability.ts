import { err, ok, type Result } from '@gatehouse/crds';
import { StoreUnavailable, type UnavailableReason } from '../store/index.ts';

/** What happens while the shared counters are away: `open` counts in this process, `closed` refuses what has a limit. */
export type StoreFailurePolicy = 'open' | 'closed';

/** Where limits are counted now. */
export interface LimitsState {
  /** `shared`: with the other gateways; `local`: by this process alone; `refused`: requests with a limit get 503. */
  readonly counted: 'shared' | 'local' | 'refused';
  /** Unix time in ms. */
  readonly sinceMs: number;
  /** Why the shared counters are not used. */
  readonly reason?: UnavailableReason;
}

/** Whether shared counters are used: left after failures, used again once they take what was counted meanwhile. */
export interface Availability {
  state(): LimitsState;
  /** An error at once while the shared counters are left. Never rejects. */
  attempt<T>(call: () => Promise<T>): Promise<Result<T, 'away'>>;
  /** Reconciles soon. */
  retryLater(): void;
  close(): void;
}

export interface AvailabilityOptions {
  readonly policy: StoreFailurePolicy;
  readonly retryMs: number;
  /** Resolves with whether it is to be called again. Rejects while the shared counters cannot be written. */
  reconcile(): Promise<boolean>;
  watch(listener: (isConnected: boolean) => void): () => void;
  onState(state: LimitsState): void;
  onError(error: unknown): void;
  now(): number;
}

/** Calls without an answer, one after another, until the shared counters are left. Of those under way together the first counts. */
const MAX_FAILURES = 3;

export function createAvailability(options: AvailabilityOptions): Availability {
  const { policy, retryMs, reconcile, watch, onState, onError, now } = options;
  let state: LimitsState = { counted: 'shared', sinceMs: now() };
  let failures = 0;
  /** Failures that counted so far, for ever. */
  let round = 0;
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  /** While it starts, and after its end. */
  let isSilent = true;

  const enter = (next: LimitsState): void => {
    const isChange = next.counted !== state.counted;
    if (isChange) state = next;
    if (isChange && !isSilent) onState(next);
  };
  const leave = (reason: UnavailableReason): void => {
    enter({ counted: policy === 'open' ? 'local' : 'refused', sinceMs: now(), reason });
    retryLater();
  };
  const retry = async (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    try {
      const isMore = await reconcile();
      failures = 0;
      enter({ counted: 'shared', sinceMs: now() });
      if (isMore) retryLater();
    } catch (error) {
      onError(error);
      leave(reasonOf(error));
    }
  };
  const retryLater = (): void => {
    if (!isClosed) timer ??= setTimeout(() => void retry(), retryMs).unref(); // never rejects
  };
  const stopWatching = watch((isConnected) => {
    if (isConnected)
      void retry(); // never rejects
    else leave('disconnected');
  });
  isSilent = false;
  /** A call without an answer may be a hiccup; an answer that is an error is not. */
  const fail = (error: unknown, startedIn: number): void => {
    onError(error);
    const reason = reasonOf(error);
    if (startedIn === round) {
      failures += 1;
      round += 1;
    }
    if (reason === 'refused' || failures >= MAX_FAILURES) leave(reason);
    else retryLater();
  };
  return {
    state: () => state,
    attempt: async (call) => {
      if (state.counted !== 'shared') return err('away');
      const startedIn = round;
      try {
        const value = await call();
        failures = 0;
        return ok(value);
      } catch (error) {
        fail(error, startedIn);
        return err('away');
      }
    },
    retryLater,
    close: () => {
      isClosed = true;
      isSilent = true;
      clearTimeout(timer);
      stopWatching();
    },
  };
}

const reasonOf = (error: unknown): UnavailableReason => (error instanceof StoreUnavailable ? error.reason : 'failed');
