/** Where it is kept which files and batches there are, and how far batches are. */
import type { ClaimOptions } from './claims.ts';
import type { FollowedStore } from './followed-store.ts';
import type { BatchOrder, BatchProgress, StoredBatch, StoredFile } from './records.ts';

/** A part of a list, newest first unless it says otherwise. */
export interface PageRequest {
  readonly limit: number;
  /** The last id of the part before; one that is not there gives an empty part. */
  readonly after?: string | undefined;
  readonly order?: 'asc' | 'desc';
}

export interface Page<T> {
  readonly items: readonly T[];
  readonly hasMore: boolean;
}

/** The answer to one row. */
export interface RowAnswer {
  /** Place of the row in the input file, from 0. */
  readonly row: number;
  /** Whether it belongs into the output file; else into the file of errors. */
  readonly succeeded: boolean;
  /** One line of JSON, without its end. */
  readonly line: string;
}

/** All methods reject with StoreFailure when the store cannot be used. What is asked for in another workspace is not there. */
export interface JobStore extends FollowedStore {
  /** False: the workspace has `maxFiles` already, pending ones included. */
  addFile(file: StoredFile, maxFiles: number): Promise<boolean>;
  /** Makes a pending file visible. */
  completeFile(file: StoredFile): Promise<void>;
  file(workspace: string, id: string): Promise<StoredFile | undefined>;
  files(workspace: string, page: PageRequest & { readonly purpose?: string | undefined }): Promise<Page<StoredFile>>;
  /** False: there was none. */
  removeFile(workspace: string, id: string): Promise<boolean>;
  /** Files whose time is over, and pending ones that were begun before `pendingBefore` (Unix ms). */
  staleFiles(nowMs: number, pendingBefore: number, limit: number): Promise<readonly StoredFile[]>;

  /** False: so many batches of the workspace are under way already. */
  addBatch(order: BatchOrder, maxOpen: number): Promise<boolean>;
  batch(workspace: string, id: string): Promise<StoredBatch | undefined>;
  batches(workspace: string, page: PageRequest): Promise<Page<StoredBatch>>;
  /** Asks for the end of a batch; the first time counts. Undefined: there is none. */
  cancelBatch(workspace: string, id: string, nowMs: number): Promise<StoredBatch | undefined>;
  /** Removes batches that ended before that time (Unix ms). */
  removeBatchesEndedBefore(timeMs: number, limit: number): Promise<void>;

  /** Takes the oldest batch that has not ended and that nobody works on; undefined: there is none. */
  claim(options: ClaimOptions): Promise<Lease | undefined>;
  close(): Promise<void>;
}

/** The right to work on a batch. Methods reject with LeaseLost when somebody else has it by now. */
export interface Lease {
  readonly batch: StoredBatch;
  /** Keeps it; resolves with whether somebody has asked for the end of the batch. */
  renew(nowMs: number): Promise<{ readonly cancellingAt: number | undefined }>;
  /** The rows that have an answer, and whether they have succeeded. */
  answeredRows(): Promise<ReadonlyMap<number, boolean>>;
  /** Safe once it resolves. A row that has an answer keeps it. */
  addAnswer(answer: RowAnswer): Promise<void>;
  /** One line for each row, without its end. */
  lines(succeeded: boolean): AsyncIterable<string>;
  /** Replaces the progress. One that has ended gives the lease back, and answers are forgotten. */
  save(progress: BatchProgress): Promise<void>;
  /** Gives the lease back, so that others go on at once, or after that time (Unix ms). */
  release(atMs?: number): Promise<void>;
}
