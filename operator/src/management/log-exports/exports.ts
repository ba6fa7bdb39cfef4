/** Exports of logs, which run in whichever process of the management API takes them up. */
import type { Database, LogTables } from '../database/index.ts';
import { createExportJobs, type ExportJobs } from './jobs.ts';
import { type ExportSource, type RunOptions, runExport } from './run-export.ts';

export interface LogExports {
  readonly jobs: ExportJobs;
  /** Looks for open exports now. */
  look(): void;
  /** Gives back what runs. */
  close(): Promise<void>;
}

export interface LogExportsOptions {
  readonly database: Database<LogTables>;
  readonly source: ExportSource;
  readonly now: () => number;
  /** Nothing is looked for while it is false. */
  readonly isEnabled: () => boolean;
  /** Told what failed; the export is taken up again. Must not throw. */
  readonly onFailure: (error: unknown) => void;
  readonly limits?: Partial<ExportLimits>;
}

export type ExportLimits = Pick<RunOptions, 'leaseMs' | 'turnMs' | 'partBytes' | 'batch' | 'maxBytes'> & {
  readonly lookMs: number;
};

/** The longest statement takes 15 s. */
const LIMITS: ExportLimits = {
  leaseMs: 60_000,
  turnMs: 10_000,
  partBytes: 2 ** 20,
  batch: 500,
  maxBytes: 4 * 2 ** 30,
  lookMs: 5_000,
};
const KEPT_MS = 7 * 86_400_000;
const DELETE_SLICE = 1;

export function createLogExports(options: LogExportsOptions): LogExports {
  const { database, source, now, isEnabled, onFailure } = options;
  const limits = { ...LIMITS, ...options.limits };
  const jobs = createExportJobs(database);
  const closing = new AbortController();
  const run = { jobs, source, now, onFailure, signal: closing.signal, ...limits };
  let running: Promise<void> | undefined;
  let isWanted = false;

  const work = async (): Promise<void> => {
    isWanted = false;
    for (
      let leased = await jobs.lease(limits.leaseMs);
      leased !== undefined;
      leased = await jobs.lease(limits.leaseMs)
    ) {
      await runExport(leased, run);
      if (closing.signal.aborted) return;
    }
    await deleteOld(jobs, now);
  };
  const look = (): void => {
    isWanted = true;
    if (closing.signal.aborted) return;
    running ??= work()
      .catch(onFailure)
      .finally(() => {
        running = undefined;
        if (isWanted) look(); // an export was started behind the last look
      });
  };
  const timer = setInterval(() => {
    if (isEnabled()) look();
  }, limits.lookMs).unref();
  return {
    jobs,
    look,
    close: async () => {
      closing.abort();
      clearInterval(timer);
      await running;
    },
  };
}

/** One by one: each may have thousands of parts. */
async function deleteOld(jobs: ExportJobs, now: () => number): Promise<void> {
  while ((await jobs.deleteBefore(new Date(now() - KEPT_MS), DELETE_SLICE)) === DELETE_SLICE);
}
