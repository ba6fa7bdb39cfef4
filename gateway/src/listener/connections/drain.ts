/** The graceful end of a process; docs/behaviour/requests.md. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../errors/index.ts';
import type { Cancellation } from '../../lib/cancellation.ts';
import type { InFlight } from '../serve.ts';

export interface Drain {
  readonly inFlight: InFlight;
  isDraining(): boolean;
  /** Accepts for `acceptMs` more, stops, then waits for what is in flight; at the deadline the rest is cancelled. */
  run(stopAccepting: () => void): Promise<void>;
  /** Cancels everything in flight. */
  abort(reason: AppError): void;
}

/** How long the error events of cancelled streams may take to be sent, in ms. */
const LAST_EVENTS_MS = 1_000;

export function createDrain(options: { readonly acceptMs: number; readonly deadlineMs: number }): Drain {
  const cancellations = new Set<Cancellation>();
  let onEmpty: (() => void) | undefined;
  let draining = false;

  const abort = (reason: AppError): void => {
    for (const cancellation of cancellations) cancellation.cancel(reason);
  };
  /** Whether nothing is in flight within the time. */
  const emptyWithin = (ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      if (cancellations.size === 0) {
        resolve(true);
        return;
      }
      const timer = setTimeout(() => resolve(false), ms);
      onEmpty = () => {
        clearTimeout(timer);
        resolve(true);
      };
    });

  return {
    inFlight: {
      add: (cancellation) => cancellations.add(cancellation),
      remove: (cancellation) => {
        cancellations.delete(cancellation);
        if (cancellations.size === 0) onEmpty?.();
      },
    },
    isDraining: () => draining,
    abort,
    run: async (stopAccepting) => {
      draining = true;
      await wait(options.acceptMs);
      stopAccepting();
      if (await emptyWithin(options.deadlineMs)) return;
      abort(new AppError('DRAINING'));
      await emptyWithin(LAST_EVENTS_MS);
    },
  };
}
