/** Files and batches as they are stored. */
import { z } from 'zod';

/** Unix times are in ms, as text of JSON is compared and sorted by them. */
const time = z.int().min(0);
const text = z.string().max(65_536);

export const FILE_ID = /^gw_file_[0-9A-Za-z]{32}$/;
export const BATCH_ID = /^gw_batch_[0-9A-Za-z]{32}$/;

export const storedFile = z.object({
  id: z.string().regex(FILE_ID),
  workspace: text,
  filename: text,
  purpose: z.enum(['batch', 'batch_output']),
  bytes: z.int().min(0),
  createdAt: time,
  /** When it is deleted. */
  expiresAt: time,
  /** Pending: its bytes are still being received. Nobody sees it. */
  status: z.enum(['pending', 'processed']),
});
export type StoredFile = Readonly<z.output<typeof storedFile>>;

export const batchProblem = z.object({
  code: text,
  message: text,
  param: text.nullable(),
  /** From 1. */
  line: z.int().min(1).nullable(),
});
export type BatchProblem = Readonly<z.output<typeof batchProblem>>;

/** What does not change. */
export const batchOrder = z.object({
  id: z.string().regex(BATCH_ID),
  workspace: text,
  /** Id of the ApiKey that has created it: its rows run as that key. */
  keyId: text,
  endpoint: text,
  inputFileId: z.string().regex(FILE_ID),
  completionWindow: z.enum(['24h', 'immediate']),
  metadata: z.record(z.string(), z.string()).nullable(),
  /** Headers of its rows, by lower-case name. */
  headers: z.record(z.string(), z.string()),
  createdAt: time,
  /** When rows that were not asked for are given up. */
  expiresAt: time,
  /** How long its output is kept, in ms. */
  outputLifetimeMs: z.int().min(0),
});
export type BatchOrder = Readonly<z.output<typeof batchOrder>>;

export const BATCH_STATUSES = [
  'validating',
  'in_progress',
  'finalizing',
  'completed',
  'failed',
  'expired',
  'cancelling',
  'cancelled',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

/** How far it is. */
export const batchProgress = z.object({
  status: z.enum(BATCH_STATUSES),
  total: z.int().min(0),
  completed: z.int().min(0),
  failed: z.int().min(0),
  problems: z.array(batchProblem).max(100),
  outputFileId: z.string().regex(FILE_ID).nullable(),
  errorFileId: z.string().regex(FILE_ID).nullable(),
  inProgressAt: time.nullable(),
  finalizingAt: time.nullable(),
  /** When it got one of the last statuses. */
  endedAt: time.nullable(),
});
export type BatchProgress = Readonly<z.output<typeof batchProgress>>;

export interface StoredBatch {
  readonly order: BatchOrder;
  readonly progress: BatchProgress;
  /** When somebody asked for its end, in ms; undefined: nobody has. */
  readonly cancellingAt: number | undefined;
}

export const NOT_STARTED: BatchProgress = {
  status: 'validating',
  total: 0,
  completed: 0,
  failed: 0,
  problems: [],
  outputFileId: null,
  errorFileId: null,
  inProgressAt: null,
  finalizingAt: null,
  endedAt: null,
};

const ENDED: ReadonlySet<BatchStatus> = new Set(['completed', 'failed', 'expired', 'cancelled']);

export const hasEnded = ({ status }: Pick<BatchProgress, 'status'>): boolean => ENDED.has(status);
