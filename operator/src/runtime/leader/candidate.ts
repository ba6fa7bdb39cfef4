import { ApiError, type KubeClient } from '../client/index.ts';
import type { Log } from '../log.ts';
import { type Clock, sleep, startDeadline } from '../time/index.ts';
import type { LeaseTiming } from './election.ts';
import { type Claim, createLeaseHolder } from './lease-holder.ts';

/** Candidates wait up to this much longer, so that they do not act at the same time (as in client-go). */
const RETRY_JITTER = 0.2;

/** The loops around a lease. Times are of the monotonic clock and taken before a call, which is the safe side. */
export interface Candidate {
  /** Waits for the lease; returns when it was acquired, or undefined when the signal ended first. */
  acquire(signal: AbortSignal): Promise<number | undefined>;
  /** Renews until the signal ends: true. False as soon as another process holds the lease or it is too old. */
  keep(heldFromMs: number, signal: AbortSignal): Promise<boolean>;
  /** Best effort. */
  release(): Promise<void>;
}

export function createCandidate(options: LeaderOptions, timing: LeaseTiming, clock: Clock): Candidate {
  const { log, name, random = Math.random } = options;
  const holder = createLeaseHolder({ ...options, timing, clock });

  const pause = (signal: AbortSignal): Promise<void> =>
    sleep(timing.retryMs * (1 + RETRY_JITTER * random()), { signal, clock }).catch(() => {});
  let failure: string | undefined;
  const warn = (error: unknown): void => {
    const reason = error instanceof ApiError ? error.reason : String(error);
    if (reason !== failure) log.warn({ lease: name, reason }, 'Could not reach the lease');
    failure = reason; // one line per kind of failure
  };
  const claim = async (signal: AbortSignal): Promise<Claim | 'failed'> => {
    try {
      const claimed = await holder.claim(signal);
      failure = undefined;
      return claimed;
    } catch (error) {
      if (!signal.aborted) warn(error);
      return 'failed';
    }
  };
  /** When the lease was renewed; undefined when it cannot be, or the signal ended. */
  const renew = async (signal: AbortSignal): Promise<number | undefined> => {
    for (await pause(signal); !signal.aborted; await pause(signal)) {
      const startedMs = clock.monotonicMs();
      const claimed = await claim(signal);
      if (claimed === 'held') return startedMs;
      if (claimed === 'taken') return undefined;
    }
    return undefined;
  };

  return {
    acquire: async (signal) => {
      for (; !signal.aborted; await pause(signal)) {
        const startedMs = clock.monotonicMs();
        if ((await claim(signal)) === 'held') return startedMs;
      }
      return undefined;
    },
    keep: async (heldFromMs, signal) => {
      let sinceMs: number | undefined = heldFromMs;
      while (sinceMs !== undefined && !signal.aborted) {
        const timeoutMs = Math.max(0, timing.renewDeadlineMs - (clock.monotonicMs() - sinceMs));
        using deadline = startDeadline({ signal, timeoutMs, onTimeout: () => new Error('too old'), clock });
        sinceMs = await renew(deadline.signal);
      }
      return signal.aborted;
    },
    release: async () => {
      await holder.release(new AbortController().signal).catch(warn);
    },
  };
}

export interface LeaderOptions {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'update'>;
  readonly namespace: string;
  readonly name: string;
  /** Pod name and uid: unique, and the same after a restart of the container. */
  readonly identity: string;
  readonly log: Log;
  readonly onChange?: ((leads: boolean) => void) | undefined;
  readonly timing?: LeaseTiming;
  readonly clock?: Clock;
  readonly random?: () => number;
}
