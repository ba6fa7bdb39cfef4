/** Works on batches of all workspaces, a few at a time. */
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import { type JobStore, type Lease, LeaseLost } from '../job-store.ts';

export interface WorkerOptions {
  readonly jobs: Pick<JobStore, 'claim'>;
  /** Whether rows can be asked for. */
  isReady(): boolean;
  run(lease: Lease, handOver: CancelSignal): Promise<void>;
  /** A batch could not go on, or the store cannot be asked: it is tried again later. */
  onFailure(error: unknown, batchId: string | undefined): void;
  readonly leaseMs: number;
  /** How often it looks for batches, in ms. */
  readonly lookMs: number;
  /** Unix time in ms. */
  now(): number;
}

export interface BatchWorker {
  start(): void;
  /** There may be work: looks at once. */
  wake(): void;
  /** Begins nothing more, and resolves once what is under way has been given back. */
  stop(): Promise<void>;
}

/** Batches that one process works on: those of one workspace leave room for others. */
const MAX_RUNS = 8;
const MAX_RUNS_OF_WORKSPACE = 3;

export function createBatchWorker(options: WorkerOptions): BatchWorker {
  const { jobs, leaseMs, lookMs, now, onFailure } = options;
  const handOver = new Cancellation();
  /** The workspaces of the runs. */
  const running = new Map<Promise<void>, string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isWoken = false;

  const busy = (): ReadonlySet<string> => {
    const counts = Map.groupBy(running.values(), (workspace) => workspace);
    return new Set([...counts].filter(([, { length }]) => length >= MAX_RUNS_OF_WORKSPACE).map(([name]) => name));
  };
  const run = async (lease: Lease): Promise<void> => {
    try {
      await options.run(lease, handOver);
    } catch (error) {
      if (!(error instanceof LeaseLost)) onFailure(error, lease.batch.order.id);
    }
  };
  const begin = (lease: Lease): void => {
    const task = run(lease).finally(() => {
      running.delete(task);
      worker.wake();
    });
    running.set(task, lease.batch.order.workspace);
  };
  const look = async (): Promise<void> => {
    while (!handOver.cancelled && options.isReady() && running.size < MAX_RUNS) {
      const lease = await jobs.claim({ nowMs: now(), leaseMs, except: busy() });
      if (lease === undefined) return;
      begin(lease);
    }
  };
  const next = (): void => {
    clearTimeout(timer);
    if (handOver.cancelled) return;
    timer = setTimeout(worker.wake, lookMs);
    timer.unref();
  };
  const worker: BatchWorker = {
    start: () => worker.wake(),
    wake: () => {
      if (looking !== undefined) {
        isWoken = true;
        return;
      }
      isWoken = false;
      looking = look()
        .catch((error: unknown) => onFailure(error, undefined))
        .finally(() => {
          looking = undefined;
          if (isWoken && !handOver.cancelled) worker.wake();
          else next();
        });
    },
    stop: async () => {
      handOver.cancel(undefined);
      clearTimeout(timer);
      await looking;
      await Promise.all(running.keys());
    },
  };
  return worker;
}
