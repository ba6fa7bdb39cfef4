/** Where the workers count limits, as one: that of the worker that is worst off. */
import type { LimitsStatus } from '@gatehouse/gateway';
import type { Worker } from './worker.ts';

export interface LimitsOfWorkers extends LimitsStatus {
  /** To be called when that of a worker has changed, or the workers have. */
  update(): void;
}

const ORDER = ['refused', 'local', 'shared'] as const;

export function createLimitsOfWorkers(workers: () => readonly Pick<Worker, 'limits'>[]): LimitsOfWorkers {
  const listeners = new Set<() => void>();
  const current = (): ReturnType<LimitsStatus['current']> => {
    const all = workers().flatMap(({ limits }) => limits ?? []);
    return ORDER.map((counted) => all.find((limits) => limits.counted === counted)).find(
      (found) => found !== undefined,
    );
  };
  let told: string | undefined;
  return {
    current,
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    update: () => {
      const now: string | undefined = JSON.stringify(current());
      if (now === told) return;
      told = now;
      for (const listener of listeners) listener();
    },
  };
}
