/** Keeps a number of workers running. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Logger, LogStore } from '@gatehouse/gateway';
import type { Child } from './children.ts';
import type { ListenFailure, WorkerSettings } from './messages.ts';
import { createRestarts } from './restarts.ts';
import type { StateServer } from './shared-state/index.ts';
import { createWorker, type Versioned, type Worker, type WorkerEvents } from './worker.ts';

export interface SupervisorOptions {
  readonly count: number;
  readonly settings: WorkerSettings;
  readonly state: StateServer;
  readonly logStore?: LogStore | undefined;
  readonly logger: Logger;
  /** Starts a worker process. Throws when the system starts none. */
  fork(): Child;
  /** Waits for so many ms before a replacement; in real time when absent. */
  readonly wait?: (ms: number) => Promise<void>;
  readonly events: Pick<WorkerEvents, 'onLog' | 'onReport' | 'onUsage' | 'onLimits' | 'onLogFailed' | 'metricsText'> & {
    /** What a worker has loaded, or which workers serve, has changed. */
    onChange(): void;
    /** After it has left the workers. */
    onExit(worker: Worker): void;
    onRestart(): void;
  };
}

export interface Supervisor {
  /** Those that run, serving or not. */
  readonly workers: ReadonlySet<Worker>;
  /** Starts all workers; resolves with their port once all serve. Rejects with an error of the system. */
  start(): Promise<number>;
  /** For all workers, those that start later included. */
  feed(next: Versioned): void;
  /** Stops replacing workers, calls `stop` for each and resolves when all have ended. */
  end(stop: (worker: Worker) => void): Promise<void>;
}

export function createSupervisor(options: SupervisorOptions): Supervisor {
  const { count, settings, state, logStore, logger, fork, events, wait = pause } = options;
  const workers = new Set<Worker>();
  const restarts = createRestarts(() => performance.now());
  const started = createStart(count);
  let current: Versioned | undefined;
  let ending = false;
  let onEmpty = (): void => undefined;

  const startOne = (): void => {
    const worker = createWorker({ child: fork(), state: state.connect(), settings, logStore, events: ofWorker });
    workers.add(worker);
    if (current !== undefined) worker.feed(current);
  };
  const replace = async (ended: Worker, reason: number | string): Promise<void> => {
    const restartInMs = Math.round(restarts.next());
    logger.error({ worker: ended.id, pid: ended.pid, reason, restartInMs }, 'Worker ended');
    events.onRestart();
    await startIn(restartInMs);
  };
  /** Again and again where the system starts no process: what it lacks may come back. */
  const startIn = async (ms: number): Promise<void> => {
    await wait(ms);
    if (ending) return;
    try {
      startOne();
    } catch (error) {
      const retryInMs = Math.round(restarts.next());
      logger.error({ err: error, retryInMs }, 'Worker could not be started');
      await startIn(retryInMs);
    }
  };
  const ofWorker: WorkerEvents = {
    ...events,
    onLoaded: (worker) => {
      if (hasSeen(worker, current)) worker.listen();
      events.onChange();
    },
    onListening: ({ id, pid }, port) => {
      logger.info({ worker: id, pid, port }, 'Worker listens');
      started.add(port);
      events.onChange();
    },
    onFailed: (failure) => started.fail(toError(failure)),
    onExit: (worker, reason) => {
      workers.delete(worker);
      events.onExit(worker);
      events.onChange();
      if (workers.size === 0) onEmpty();
      if (ending) return;
      if (started.isDone()) void replace(worker, reason);
      else started.fail(new Error(`A worker ended before it served (${reason})`));
    },
  };

  return {
    workers,
    start: () => {
      for (let i = 0; i < count; i += 1) startOne();
      return started.promise;
    },
    feed: (next) => {
      current = next;
      for (const worker of workers) worker.feed(next);
    },
    end: (stop) =>
      new Promise((resolve) => {
        ending = true;
        onEmpty = resolve;
        if (workers.size === 0) resolve();
        for (const worker of workers) stop(worker);
      }),
  };
}

/** Done once `count` workers listen. */
function createStart(count: number) {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  promise.catch(() => undefined); // a second worker may fail after nobody waits any longer
  let listening = 0;
  return {
    promise,
    isDone: () => listening >= count,
    add: (port: number): void => {
      listening += 1;
      if (listening === count) resolve(port);
    },
    fail: reject,
  };
}

/** Whether the worker has loaded or refused the version. */
const hasSeen = ({ status }: Worker, wanted: Versioned | undefined): boolean =>
  wanted !== undefined && (status?.version === wanted.version || status?.rejected?.version === wanted.version);

/** As the system call of this process would have thrown it. */
const toError = ({ message, ...parts }: ListenFailure): Error =>
  Object.assign(new Error(message), { ...parts, syscall: 'listen' });
