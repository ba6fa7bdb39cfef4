/** One worker as its parent sees it. */
import type { Snapshot } from '@gatehouse/crds/snapshot';
import type {
  BudgetTotal,
  BudgetUsage,
  LimitsStatus,
  LogStore,
  MetricReport,
  SnapshotStatus,
} from '@gatehouse/gateway';
import type { Child } from './children.ts';
import { readLines } from './log-lines.ts';
import { executeLogCall } from './log-store.ts';
import type { ListenFailure, SnapshotPart, WorkerMessage, WorkerSettings } from './messages.ts';
import type { StateConnection } from './shared-state/index.ts';
import { toParts } from './snapshot-parts.ts';

/** A version of what is served. */
export interface Versioned {
  readonly version: number;
  readonly snapshot: Snapshot;
}

export interface WorkerEvents {
  /** Loaded or refused a version. */
  onLoaded(worker: Worker): void;
  onListening(worker: Worker, port: number): void;
  onFailed(failure: ListenFailure): void;
  onLog(text: string): void;
  onReport(worker: Worker, report: MetricReport): void;
  onUsage(worker: Worker, usage: readonly BudgetUsage[]): void;
  /** Where it counts limits has changed. */
  onLimits(worker: Worker): void;
  onExit(worker: Worker, reason: number | string): void;
  /** The request log could not be written. */
  onLogFailed(error: unknown): void;
  metricsText(): Promise<string>;
}

export interface Worker {
  readonly id: number;
  readonly pid: number;
  /** Whether it has been told to listen: it may serve from then on. */
  readonly mayServe: boolean;
  readonly isListening: boolean;
  /** Undefined before the first load. */
  readonly status: SnapshotStatus | undefined;
  /** Sends what differs from what was sent before; versions that were overtaken meanwhile are left out. */
  feed(next: Versioned): void;
  listen(): void;
  /** Where it counts limits; see `LimitsStatus`. */
  readonly limits: ReturnType<LimitsStatus['current']>;
  /** Asks for its metrics. */
  requestReport(): void;
  /** Asks what its budgets have used. */
  requestUsage(): void;
  /** See `Budgets` of the gateway. */
  seed(totals: readonly BudgetTotal[]): void;
  drain(): void;
  kill(): void;
}

export interface WorkerOptions {
  readonly child: Child;
  readonly settings: WorkerSettings;
  readonly state: StateConnection;
  /** Absent: workers keep no request log through this process. */
  readonly logStore?: LogStore | undefined;
  readonly events: WorkerEvents;
}

export function createWorker({ child, settings, state, logStore, events }: WorkerOptions): Worker {
  let status: SnapshotStatus | undefined;
  let limits: Worker['limits'];
  let [mayServe, isListening] = [false, false];
  const worker: Worker = {
    id: child.id,
    pid: child.pid,
    get mayServe() {
      return mayServe;
    },
    get isListening() {
      return isListening;
    },
    get status() {
      return status;
    },
    feed: createFeed((part) => child.send({ type: 'entries', part })),
    listen: () => {
      if (!mayServe) void child.send({ type: 'listen' });
      mayServe = true;
    },
    get limits() {
      return limits;
    },
    requestReport: () => void child.send({ type: 'report' }),
    requestUsage: () => void child.send({ type: 'usage' }),
    seed: (totals) => void child.send({ type: 'seed', totals }),
    drain: () => void child.send({ type: 'drain' }),
    kill: child.kill,
  };
  const take = async (message: WorkerMessage): Promise<void> => {
    switch (message.type) {
      case 'loaded':
        status = message.status;
        return events.onLoaded(worker);
      case 'listening':
        isListening = true;
        return events.onListening(worker, message.port);
      case 'failed':
        return events.onFailed(message.failure);
      case 'report':
        return events.onReport(worker, message.report);
      case 'usage':
        return events.onUsage(worker, message.usage);
      case 'limits':
        limits = message.limits;
        return events.onLimits(worker);
      case 'calls': {
        const results = await state.execute(message.calls);
        return results.length === 0 ? undefined : child.send({ type: 'results', results });
      }
      case 'log': {
        const result = await executeLogCall(logStore, message.call, events.onLogFailed);
        return child.send({ type: 'logged', id: message.id, result });
      }
      case 'scrape':
        return child.send({ type: 'scraped', text: await events.metricsText() });
    }
  };
  readLines(child.log, events.onLog);
  child.onMessage((message) => void take(message));
  child.onExit((reason) => {
    [mayServe, isListening] = [false, false];
    state.close();
    events.onExit(worker, reason);
  });
  void child.send({ type: 'start', settings });
  return worker;
}

/** One version after the other, part by part, so that a slow worker holds up its own parts only. */
function createFeed(send: (part: SnapshotPart) => Promise<void>): (next: Versioned) => void {
  let sent: Versioned | undefined;
  let wanted: Versioned | undefined;
  let sending = false;
  const run = async (): Promise<void> => {
    sending = true;
    while (wanted !== undefined && wanted !== sent) {
      const next: Versioned = wanted;
      for (const part of toParts(sent?.snapshot, next.snapshot, next.version)) await send(part);
      sent = next;
    }
    sending = false;
  };
  return (next) => {
    wanted = next;
    if (!sending) void run();
  };
}
