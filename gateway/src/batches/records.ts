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

export const INPUT_GONE: BatchProblem = {
  code: 'input_file_missing',
  message: 'The input file is gone',
  param: 'input_file_id',
  line: null,
};

/** Why a batch fails whose key is gone. */
export const keyProblem = (code: 'key_revoked' | 'key_expired'): BatchProblem => ({
  code,
  message:
    code === 'key_revoked'
      ? 'The gateway key that has created the batch is gone, or no longer belongs to the workspace'
      : 'The gateway key that has created the batch has expired',
  param: null,
  line: null,
});

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
  /** For the provider's call that creates its batch. */
  providerOptions: z.record(z.string(), z.unknown()).optional(),
  createdAt: time,
  /** When rows that were not asked for are given up. */
  expiresAt: time,
  /** How long its output is kept, in ms. */
  outputLifetimeMs: z.int().min(0),
});
export type BatchOrder = Readonly<z.output<typeof batchOrder>>;

/** A gateway that does not know batches of providers reads neither of the two here, so that it asks for no row of theirs. */
export const BATCH_STATUSES = [
  'validating',
  /** A batch of a provider is being created. */
  'submitting',
  /** A provider runs the rows. */
  'at_provider',
  'in_progress',
  'finalizing',
  'completed',
  'failed',
  'expired',
  'cancelling',
  'cancelled',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];

const counts = z.object({ total: z.int().min(0), completed: z.int().min(0), failed: z.int().min(0) });

/** The batch of a provider that runs the rows. */
export const providerBatch = z.object({
  provider: text,
  /** Of the account in the workspace. */
  slug: text,
  /** Slug of a saved config; null: there is none. */
  config: text.nullable(),
  /** Random: rows are called by it and their place there, and the batch has it in its metadata where it has any. */
  marker: z.string().regex(/^gwb_[0-9A-Za-z]{24}$/),
  begunAt: time,
  /** Of the input at the provider. */
  file: text.nullable(),
  /** When the call that creates it was begun last; null: no such call may have reached the provider. */
  calledAt: time.nullable(),
  /** The provider's id. */
  id: text.nullable(),
  createdAt: time.nullable(),
  /** Of the lines that are sent. */
  bytes: z.int().min(0),
  /** In the provider's words. */
  status: text.nullable(),
  counts: counts.nullable(),
});
export type ProviderBatch = Readonly<z.output<typeof providerBatch>>;

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
  /** Absent: the gateway asks for the rows itself. */
  atProvider: providerBatch.optional(),
  /** Why it does; absent: it was not asked whether a provider could. */
  ownReason: text.optional(),
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
