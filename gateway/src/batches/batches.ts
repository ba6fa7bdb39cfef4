/** Files and batches that the gateway keeps itself: docs/behaviour/managed-batches.md. */
import { AppError } from '../errors/index.ts';
import type { JsonLimits } from '../lib/json/index.ts';
import type { ObjectStore } from '../object-storage/index.ts';
import type { FollowedBatches, OwnResourceCall, OwnResources } from '../pipeline/index.ts';
import type { RowMarks } from '../store/index.ts';
import { withStores } from './api/answers.ts';
import { type BatchPorts, cancelBatch, createBatch, getBatch, getBatchOutput, listBatches } from './api/batches.ts';
import { createFile, deleteFile, findFile, getFile, getFileContent, listFiles, openContent } from './api/files.ts';
import { createHandedContents } from './at-provider/index.ts';
import { type RunTiming, runBatch } from './execution/batch-run.ts';
import { createRowCall, createRowPlans, type PlanRow, type RowCallPorts } from './execution/row-call.ts';
import { createSlots } from './execution/slots.ts';
import { sweep } from './execution/sweep.ts';
import { createBatchWorker, type Work } from './execution/worker.ts';
import {
  createFollowedBatches,
  createStoredMarks,
  FOLLOW_TIMING,
  type FollowTiming,
  type SettlePorts,
  settleFollowed,
} from './followed/index.ts';
import type { JobStore } from './job-store.ts';
import type { BatchSettings } from './settings.ts';

export interface Batches extends OwnResources {
  /** Begins to work on batches. */
  start(): void;
  /** Begins no more rows, and resolves once those under way have ended. */
  stop(): Promise<void>;
  /** Closes the stores; after `stop`. */
  close(): Promise<void>;
  /** Those at providers. */
  readonly followed: FollowedBatches;
  /** Which rows of outputs were counted, as the store knows it, and as `otherwise` does while it is away or where there is none. */
  rowMarks(otherwise: RowMarks): RowMarks;
}

export interface BatchesOptions
  extends RowCallPorts,
    Pick<BatchPorts, 'checkHeaders'>,
    Pick<SettlePorts, 'openCharges'> {
  /** Whether rows may run in a batch of a provider. */
  readonly planRow: PlanRow;
  readonly settings: BatchSettings;
  readonly objects: ObjectStore;
  readonly jobs: JobStore;
  readonly json: JsonLimits;
  readonly timing?: Partial<BatchTiming>;
  readonly logger: BatchLogger;
  /** Unix time in ms. */
  now(): number;
}

export interface BatchLogger {
  warn(facts: object, message: string): void;
}

/** All in ms. */
export interface BatchTiming extends RunTiming, FollowTiming {
  readonly lookMs: number;
  readonly sweepMs: number;
}

/** Of the batches of the gateway's own that one process works on, and of those of one workspace. */
const OWN_RUNS = { maxRuns: 8, maxRunsOfWorkspace: 3 } as const;
/** Of those at providers. */
const FOLLOWED_RUNS = { maxRuns: 8, maxRunsOfWorkspace: 2 } as const;

export const BATCH_TIMING: BatchTiming = {
  ...FOLLOW_TIMING,
  renewMs: 3_000,
  leaseMs: 15_000,
  retryMs: 1_000,
  maxPauseMs: 60_000,
  lookMs: 2_000,
  sweepMs: 600_000,
  pollMs: 5_000,
  maxPollMs: 60_000,
  settleMs: 60_000,
};

type Call = (ports: BatchPorts, request: Parameters<OwnResources['answer']>[1]) => ReturnType<OwnResources['answer']>;

const CALLS: Readonly<Record<OwnResourceCall, Call>> = {
  createFile,
  listFiles,
  getFile,
  getFileContent,
  deleteFile,
  createBatch,
  listBatches,
  getBatch,
  getBatchOutput,
  cancelBatch,
};

export function createBatches(options: BatchesOptions): Batches {
  const { settings, objects, jobs, now, logger, snapshots } = options;
  const timing = { ...BATCH_TIMING, ...options.timing };
  const stores = { settings, objects, jobs, now };
  const handed = createHandedContents();
  const followed = createFollowedBatches(options);
  const runPorts = {
    ...stores,
    timing,
    json: options.json,
    openMemory: options.openMemory,
    call: createRowCall(options),
    atProvider: { ...options, handed, followed, plan: createRowPlans(options, options.planRow) },
    slots: createSlots(settings.rowsPerProcess),
  };
  const working = {
    ...{ now, leaseMs: timing.leaseMs, lookMs: timing.lookMs },
    isReady: () => snapshots.current !== undefined,
    onFailure: (error: unknown, work: Work | undefined) =>
      logger.warn({ err: error, ...work }, 'Batch could not go on, it is tried again'),
  };
  const worker = createBatchWorker({
    ...{ ...working, ...OWN_RUNS },
    claim: jobs.claim,
    workOf: ({ batch: { order } }) => ({ batch: order.id, workspace: order.workspace }),
    run: (lease, handOver) => runBatch(lease, runPorts, handOver),
  });
  const follower = createBatchWorker({
    ...{ ...working, ...FOLLOWED_RUNS },
    claim: jobs.claimFollowed,
    workOf: ({ followed: { batch, workspace } }) => ({ batch, workspace }),
    run: (lease, handOver) => settleFollowed(lease, { ...options, timing }, handOver),
  });
  const isWorking = settings.rowsPerProcess > 0;
  const workers = isWorking ? [worker, follower] : [];
  const ports: BatchPorts = {
    ...stores,
    checkHeaders: options.checkHeaders,
    onCreated: () => {
      if (isWorking) worker.wake();
    },
  };
  const removeOld = (): void =>
    void sweep(stores).catch((error: unknown) => logger.warn({ err: error }, 'Old files and batches were not removed'));
  let sweeping: NodeJS.Timeout | undefined;
  return {
    answer: (call, request) => withStores(() => CALLS[call](ports, request)),
    content: (workspace, id) =>
      withStores(
        async () => handed.open(workspace, id) ?? (await openContent(ports, await findFile(ports, workspace, id))),
      ),
    start: () => {
      for (const each of workers) each.start();
      sweeping = setInterval(removeOld, timing.sweepMs);
      sweeping.unref();
    },
    stop: async () => {
      clearInterval(sweeping);
      await Promise.all([worker.stop(), follower.stop()]);
    },
    followed,
    rowMarks: (otherwise) => createStoredMarks(options, otherwise),
    close: async () => {
      await Promise.all([objects.close(), jobs.close()]);
    },
  };
}

const OWN_FILE = /^gw_file_\w{1,64}$/;

/** A gateway without stores. `missing`: what it lacks, and how to get it. */
export const withoutBatches = (missing: string): Batches => ({
  answer: async () => {
    throw new AppError('FEATURE_UNSUPPORTED', {
      param: 'x-gw-provider',
      detail: `The request names no provider, and this gateway keeps no files and batches itself: ${missing}. Or name a provider: x-gw-provider: @SLUG`,
    });
  },
  content: async (_workspace, id) => {
    throw new AppError('FEATURE_UNSUPPORTED', {
      detail: `This gateway keeps no files itself, and ${OWN_FILE.test(id) ? id : 'the file'} would be one of them: ${missing}`,
    });
  },
  start: () => undefined,
  stop: async () => undefined,
  close: async () => undefined,
  followed: { add: async () => undefined, has: async () => false },
  rowMarks: (otherwise) => otherwise,
});
