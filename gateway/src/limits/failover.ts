import { randomBytes } from 'node:crypto';
import { AppError } from '../errors/index.ts';
import { createAvailability, type LimitsState, type StoreFailurePolicy } from './availability.ts';
import type { Change, Demand, Denial, LimitDecision, Limiter, Reservation } from './limiter.ts';
import { createMemoryLimiter, type MemoryLimiterOptions } from './memory.ts';
import { createReconciler } from './reconciler.ts';

/** Counters that other gateways use, too. All methods reject with StoreUnavailable. */
export interface SharedCounters extends Limiter {
  ask(demands: readonly Demand[], nowMs: number): Promise<LimitDecision>;
  reserve(demands: readonly Demand[], nowMs: number): Promise<Reservation | Denial>;
  /** Adds units of counters of one owner, once for each id. Nothing to add tells whether the store takes writes. */
  add(slot: string, id: string, changes: readonly Change[], nowMs: number): Promise<void>;
  /** Whether there is a connection: now, and after each change. Returns the function that ends this. */
  watch(listener: (isConnected: boolean) => void): () => void;
}

export interface FailoverOptions {
  readonly shared: SharedCounters;
  readonly policy: StoreFailurePolicy;
  /** Called when the shared counters are used again, and when they no longer are. */
  onState(state: LimitsState): void;
  /** Called for each call that failed. */
  onError(error: unknown): void;
  /** Unix time in ms. */
  now(): number;
  readonly memory?: MemoryLimiterOptions;
  /** How often shared counters that are away are tried, in ms. */
  readonly retryMs?: number;
}

export interface FailoverLimiter extends Limiter {
  state(): LimitsState;
}

const RETRY_MS = 500;

/**
 * A limiter that is never in the way: while the shared counters are away it counts alone, from where they were last seen, and
 * adds what it counted when they are back; or it throws LIMITS_UNAVAILABLE, by policy.
 */
export function createFailoverLimiter(options: FailoverOptions): FailoverLimiter {
  const { shared, policy, now, retryMs = RETRY_MS } = options;
  // Reservations that were made here are also settled here, when the shared counters have long been back.
  const local = createMemoryLimiter({ ...options.memory, onChange: () => availability.retryLater() });
  const reconciler = createReconciler({ shared, local, processId: randomBytes(9).toString('base64url') });
  const availability = createAvailability({
    ...options,
    retryMs,
    watch: shared.watch,
    reconcile: () => reconciler.run(now()),
  });
  /** Requests do not try shared counters that are away: a retry in the background does. */
  const attempt = async <T, L extends T>(call: () => Promise<T>, alone: () => L): Promise<T> => {
    const answered = await availability.attempt(call);
    if (answered.ok) return answered.value;
    if (policy === 'closed') throw new AppError('LIMITS_UNAVAILABLE', { retryAfterMs: retryMs });
    return alone();
  };
  const learn = (demands: readonly Demand[], result: Reservation | Denial, nowMs: number): void => {
    if (result.allowed) local.learn(demands, result.windows, nowMs);
    else local.learn([result.demand], [{ remaining: result.remaining, resetMs: result.retryAfterMs }], nowMs);
  };

  return {
    state: availability.state,
    ask: (demands, nowMs) =>
      attempt(
        () => shared.ask(demands, nowMs),
        () => local.ask(demands, nowMs),
      ),
    reserve: (demands, nowMs) =>
      attempt(
        async () => {
          const reserved = await shared.reserve(demands, nowMs);
          if (policy === 'open') learn(demands, reserved, nowMs);
          return reserved;
        },
        () => local.reserve(demands, nowMs),
      ),
    close: async () => {
      availability.close();
      await reconciler.finish(now()).catch(options.onError);
      await Promise.all([local.close(), shared.close()]);
    },
  };
}
