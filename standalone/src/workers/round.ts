/** One question to all workers. */
import type { Worker } from './worker.ts';

export interface Round {
  /** Asks all workers; resolves once each has answered or ended, or in two seconds. Callers at the same time share one round. */
  ask(): Promise<void>;
  /** The worker has answered, or has ended and will not. */
  settle(id: number): void;
}

/** Longest wait for the answers in ms. */
const ROUND_MS = 2_000;

export function createRound<W extends Pick<Worker, 'id'>>(
  workers: () => readonly W[],
  askOne: (worker: W) => void,
): Round {
  const missing = new Set<number>();
  let onComplete: (() => void) | undefined;
  let running: Promise<void> | undefined;

  const collect = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, ROUND_MS);
      onComplete = () => {
        clearTimeout(timer);
        resolve();
      };
      missing.clear();
      for (const worker of workers()) {
        missing.add(worker.id);
        askOne(worker);
      }
      if (missing.size === 0) onComplete();
    });
  const run = async (): Promise<void> => {
    await collect();
    running = undefined;
  };
  return {
    ask: () => {
      running ??= run();
      return running;
    },
    settle: (id) => {
      missing.delete(id);
      if (missing.size === 0) onComplete?.();
    },
  };
}
