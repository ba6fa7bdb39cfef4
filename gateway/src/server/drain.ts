/** The end of a process in good order; DESIGN section 6 "Drain", decision 2. */
import { setTimeout as wait } from 'node:timers/promises';
import { AppError } from '../errors/index.ts';
import type { InFlight } from './serve.ts';

export interface Drain {
  readonly inFlight: InFlight;
  isDraining(): boolean;
  /** Keeps accepting for a while, stops, then waits for what is in flight, until the deadline ends it. */
  run(stopAccepting: () => void): Promise<void>;
  /** Ends everything in flight now. */
  abort(reason: AppError): void;
}

export function createDrain(options: { readonly acceptMs: number; readonly deadlineMs: number }): Drain {
  const controllers = new Set<AbortController>();
  let onEmpty: (() => void) | undefined;
  let draining = false;

  const abort = (reason: AppError): void => {
    for (const controller of controllers) controller.abort(reason);
  };
  const empty = (): Promise<void> =>
    new Promise((resolve) => {
      if (controllers.size === 0) resolve();
      else onEmpty = resolve;
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
      const timer = setTimeout(() => abort(new AppError('DRAINING')), options.deadlineMs);
      await empty();
      clearTimeout(timer);
    },
  };
}
