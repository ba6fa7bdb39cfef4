/** The parent of the workers: what they share, and what is one for all of them. */
import { randomUUID } from 'node:crypto';
import type { Snapshot } from '@gatehouse/crds/snapshot';
import {
  type BudgetStore,
  type BudgetUsage,
  createAdmin,
  createMemoryState,
  createMetricsSum,
  type GatewaySettings,
  type Logger,
  type LogStore,
  type ManagementAddress,
} from '@gatehouse/gateway';
import { createBudgetsOfWorkers } from './budgets-of-workers.ts';
import type { Child } from './children.ts';
import { createLimitsOfWorkers } from './limits-of-workers.ts';
import type { WorkerSettings } from './messages.ts';
import { createScrape } from './scrape.ts';
import { createServed } from './served.ts';
import { createStateServer } from './shared-state/index.ts';
import { createSupervisor } from './supervisor.ts';
import type { Worker } from './worker.ts';

export interface PoolOptions {
  /** Workers that serve. */
  readonly count: number;
  readonly settings: GatewaySettings;
  readonly logger: Logger;
  /** Absent: in the memory of this process. Closed after the workers. */
  readonly budgetStore?: BudgetStore;
  /** Keeps the request log of all workers. Closed after them. */
  readonly logStore?: LogStore | undefined;
  /** Writes whole log lines of the workers. */
  writeLog(text: string): void;
  /** Starts a worker process. */
  fork(): Child;
  /** What the source of the Snapshot adds to /internal/status. */
  readonly sourceStatus: () => object | undefined;
  /** Where this process serves the management API. */
  readonly management?: ManagementAddress | undefined;
}

export interface WorkerPool {
  /** Sends a Snapshot to all workers; they load it in the background. */
  load(version: number, snapshot: Snapshot): void;
  /** Resolves once all workers serve; rejects with the error of the system when a port cannot be opened. */
  listen(): Promise<{ readonly port: number; readonly adminPort: number }>;
  /** What all workers know of budgets. */
  usage(): Promise<readonly BudgetUsage[]>;
  /** Finishes requests in flight, then ends all workers. */
  drain(): Promise<void>;
  /** Ends all workers immediately. */
  close(): Promise<void>;
}

/** What a worker may take longer for its drain than its own deadline, in ms. */
const LAST_WORK_MS = 10_000;

export function createWorkerPool({ settings, sourceStatus, ...options }: PoolOptions): WorkerPool {
  const metrics = createMetricsSum({
    service: settings.serviceName,
    environment: settings.environmentName,
    runtime: settings.metrics,
  });
  const memory = createMemoryState(settings);
  const state = { ...memory, budgetStore: options.budgetStore ?? memory.budgetStore };
  const served = createServed();
  let accepting = false;
  const scrape = createScrape(metrics, () => listening());
  const budgets = createBudgetsOfWorkers(() => listening());
  const limits = createLimitsOfWorkers(() => listening());
  const supervisor = createSupervisor({
    ...options,
    settings: { ...settingsOfWorkers(settings, options.count), management: options.management },
    state: createStateServer(state),
    events: {
      onLog: options.writeLog,
      onReport: scrape.onReport,
      onUsage: budgets.onUsage,
      onLimits: limits.update,
      onLogFailed: (error) => options.logger.debug({ err: error }, 'Request log of a worker could not be written'),
      metricsText: scrape.text,
      onChange: () => {
        metrics.workers.set(listening().length);
        served.update(supervisor.workers);
        limits.update();
      },
      onExit: (worker) => {
        metrics.end(worker.id);
        scrape.onExit(worker);
        budgets.onExit(worker);
      },
      onRestart: () => metrics.restarts.add({}),
    },
  });
  const listening = (): readonly Worker[] => [...supervisor.workers].filter(({ isListening }) => isListening);
  const admin = createAdmin(settings, {
    snapshots: served,
    budgets,
    limits,
    metrics: { text: scrape.text, contentType: metrics.contentType },
    isAccepting: () => accepting && listening().length > 0,
    sourceStatus: () => ({ ...sourceStatus(), workers: [...supervisor.workers].map(toStatus) }),
  });
  const end = async (stop: (worker: Worker) => void): Promise<void> => {
    accepting = false;
    await supervisor.end(stop);
    await Promise.all([state.budgetStore.close(), options.logStore?.close()]);
    await admin.closeNow();
  };

  return {
    load: (version, snapshot) => supervisor.feed({ version, snapshot }),
    usage: async () => budgets.usage(),
    listen: async () => {
      const adminPort = await admin.listen();
      const port = await supervisor.start();
      accepting = true;
      return { port, adminPort };
    },
    drain: async () => {
      const { acceptMs, deadlineMs } = settings.drain;
      const late = setTimeout(killAll, acceptMs + deadlineMs + LAST_WORK_MS);
      await end((worker) => (worker.mayServe ? worker.drain() : worker.kill()));
      clearTimeout(late);
    },
    close: () => end((worker) => worker.kill()),
  };

  function killAll(): void {
    for (const worker of supervisor.workers) worker.kill();
  }
}

const settingsOfWorkers = (settings: GatewaySettings, processes: number): WorkerSettings => ({
  listen: settings.listen,
  drain: settings.drain,
  logLevel: settings.logLevel,
  logReasons: settings.logReasons,
  batches: settings.batches,
  ...(settings.requestLog?.database.kind === 'process' ? { requestLog: settings.requestLog } : {}),
  fleetId: settings.fleetId ?? randomUUID(), // the same for all, so that a loop through another worker is seen
  processes,
});

const toStatus = ({ id, pid, isListening, status }: Worker): object => ({
  id,
  pid,
  listening: isListening,
  version: status?.version,
});
