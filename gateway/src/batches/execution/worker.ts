/** Works on what the store has to do for all workspaces, a few pieces at a time. */
import { Cancellation, type CancelSignal } from '../../lib/cancellation.ts';
import { type ClaimOptions, LeaseLost } from '../claims.ts';

/** What a lease is about. */
export interface Work {
  /** Its id, as whoever looks into the log knows it. */
  readonly batch: string;
  readonly workspace: string;
}

export interface WorkerOptions<L> {
  /** The next piece of work; undefined: there is none. */
  claim(options: ClaimOptions): Promise<L | undefined>;
  workOf(lease: L): Work;
  /** Whether providers can be called. */
  isReady(): boolean;
  run(lease: L, handOver: CancelSignal): Promise<void>;
  /** A piece could not go on, or the store cannot be asked: it is tried again later. */
  onFailure(error: unknown, work: Work | undefined): void;
  /** Pieces that one process works on: those of one workspace leave room for others. */
  readonly maxRuns: number;
  readonly maxRunsOfWorkspace: number;
  readonly leaseMs: number;
  /** How often it looks for work, in ms. */
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

export function createBatchWorker<L>(options: WorkerOptions<L>): BatchWorker {
  const { leaseMs, lookMs, now, onFailure, maxRuns, maxRunsOfWorkspace } = options;
  const handOver = new Cancellation();
  /** The workspaces of the runs. */
  const running = new Map<Promise<void>, string>();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isWoken = false;

  const withRuns = (least: number): ReadonlySet<string> => {
    const counts = Map.groupBy(running.values(), (workspace) => workspace);
    return new Set([...counts].filter(([, { length }]) => length >= least).map(([name]) => name));
  };
  /** Of a workspace without a run, if there is one: others may have any number of pieces, which take any time. */
  const claim = async (): Promise<L | undefined> => {
    const given = { nowMs: now(), leaseMs };
    const first = await options.claim({ ...given, except: withRuns(1) });
    if (first !== undefined || running.size === 0) return first;
    return await options.claim({ ...given, except: withRuns(maxRunsOfWorkspace) });
  };
  const run = async (lease: L): Promise<void> => {
    try {
      await options.run(lease, handOver);
    } catch (error) {
      if (!(error instanceof LeaseLost)) onFailure(error, options.workOf(lease));
    }
  };
  const begin = (lease: L): void => {
    const task = run(lease).finally(() => {
      running.delete(task);
      worker.wake();
    });
    running.set(task, options.workOf(lease).workspace);
  };
  const look = async (): Promise<void> => {
    while (!handOver.cancelled && options.isReady() && running.size < maxRuns) {
      const lease = await claim();
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
