/** The end of a process in good order; DESIGN section 6 "Drain", decision 2. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../../errors/index.ts';
import type { InFlight } from '../serve.ts';

export interface Drain {
  readonly inFlight: InFlight;
  isDraining(): boolean;
  /** Keeps accepting for a while, stops, then waits for what is in flight, until the deadline ends it. */
  run(stopAccepting: () => void): Promise<void>;
  /** Ends everything in flight now. */
  abort(reason: AppError): void;
}

/** How long the error events of what was ended may take to leave, in ms. */
const LAST_WORDS_MS = 1_000;

export function createDrain(options: { readonly acceptMs: number; readonly deadlineMs: number }): Drain {
  const controllers = new Set<AbortController>();
  let onEmpty: (() => void) | undefined;
  let draining = false;

  const abort = (reason: AppError): void => {
    for (const controller of controllers) controller.abort(reason);
  };
  /** Whether nothing is in flight within the time. */
  const emptyWithin = (ms: number): Promise<boolean> =>
    new Promise((resolve) => {
      if (controllers.size === 0) {
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
      add: (controller) => controllers.add(controller),
      remove: (controller) => {
        controllers.delete(controller);
        if (controllers.size === 0) onEmpty?.();
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
      await emptyWithin(LAST_WORDS_MS);
    },
  };
}
