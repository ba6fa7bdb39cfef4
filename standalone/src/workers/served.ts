/** What all workers serve at least: an edit counts as served when no worker answers from before it. */
import { NO_SNAPSHOT, type SnapshotStatus } from '@gatehouse/gateway';
import type { Worker } from './worker.ts';

export interface Served {
  readonly status: SnapshotStatus;
  onChange(listener: (status: SnapshotStatus) => void): () => void;
  /** Looks at the workers again. */
  update(workers: Iterable<Pick<Worker, 'mayServe' | 'status'>>): void;
}

const isSame = (one: SnapshotStatus, other: SnapshotStatus): boolean =>
  one.version === other.version && one.rejected?.version === other.rejected?.version;

export function createServed(): Served {
  const listeners = new Set<(status: SnapshotStatus) => void>();
  let status = NO_SNAPSHOT;
  return {
    get status() {
      return status;
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    update: (workers) => {
      const serving = [...workers].filter(({ mayServe }) => mayServe).flatMap((worker) => worker.status ?? []);
      const oldest = serving.toSorted((a, b) => (a.version ?? 0) - (b.version ?? 0))[0];
      if (oldest === undefined || isSame(oldest, status)) return; // without workers, what was served last
      status = oldest;
      for (const tell of listeners) tell(status);
    },
  };
}
