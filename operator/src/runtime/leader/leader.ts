import { type Clock, systemClock } from '../time/index.ts';
import { createCandidate, type LeaderOptions } from './candidate.ts';
import { LEASE_TIMING } from './election.ts';

/** `lost`: the process must end with an error, since another one may lead. */
export type Leadership = 'released' | 'lost';

export interface Leader {
  /**
   * Runs for election until the signal ends. Once elected, runs `lead` with a signal that ends with the given one or when the
   * lease is lost. After the given signal it keeps the lease until `lead` has finished, then releases it. Rejects with the
   * error of `lead`.
   */
  run(signal: AbortSignal, lead: (signal: AbortSignal) => Promise<void>): Promise<Leadership>;
  readonly leads: boolean;
}

export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}

/** Leader election by a Lease. */
export function createLeader(options: LeaderOptions): Leader {
  const { log, name, identity, onChange = () => {}, timing = LEASE_TIMING, clock = systemClock } = options;
  const place = { lease: name, identity };
  const candidate = createCandidate(options, timing, clock);
  let leads = false;
  const setLeads = (next: boolean): void => {
    leads = next;
    onChange(next);
  };

  return {
    get leads() {
      return leads;
    },
    run: async (signal, lead) => {
      const heldFromMs = await candidate.acquire(signal);
      if (heldFromMs === undefined) return 'released';
      log.info(place, 'Became leader');
      setLeads(true);
      const life = new AbortController();
      const finished = new AbortController();
      const onStop = (): void => life.abort(signal.reason);
      signal.addEventListener('abort', onStop, { once: true });
      if (signal.aborted) onStop();
      const work = lead(life.signal).finally(() => finished.abort());
      work.catch(() => {}); // awaited below, or abandoned with the lease
      const kept = await candidate.keep(heldFromMs, finished.signal);
      signal.removeEventListener('abort', onStop);
      setLeads(false);
      if (kept) {
        await candidate.release();
        await work;
        return 'released';
      }
      log.error(place, 'Lost the lease');
      life.abort(new LeaseLostError('the lease was lost'));
      // Other candidates wait this much longer; after it nothing may be written any more.
      await atMost(work, timing.durationMs - timing.renewDeadlineMs, clock);
      return 'lost';
    },
  };
}

/** Resolves when the work has settled, or the time is up. */
function atMost(work: Promise<unknown>, delayMs: number, clock: Clock): Promise<void> {
  return new Promise((resolve) => {
    const timer = clock.schedule(delayMs, resolve);
    const onSettled = (): void => {
      timer[Symbol.dispose]();
      resolve();
    };
    work.then(onSettled, onSettled);
  });
}
