/**
 * One batch as a folder. What does not change, the wish for its end, its progress and the answers of each lease are files of their
 * own: each is written by one process alone. A lease is a file with a number, and the highest number counts.
 */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { ClaimOptions } from '../claims.ts';
import type { Lease } from '../job-store.ts';
import { type BatchOrder, batchOrder, batchProgress, NOT_STARTED, type StoredBatch } from '../records.ts';
import { createRecord, namesIn, readRecord } from './files.ts';
import { createFolderLease } from './folder-lease.ts';
import { createTimedFile, isOver, lastLease, leaseName, progressAt } from './lease-files.ts';

const cancelWish = z.object({ at: z.int().min(0) });

export interface BatchFolder {
  create(order: BatchOrder): Promise<void>;
  read(): Promise<StoredBatch | undefined>;
  cancel(nowMs: number): Promise<StoredBatch | undefined>;
  claim(known: StoredBatch, options: ClaimOptions): Promise<Lease | undefined>;
  /** What is not needed once it has ended; then it is no longer open. */
  forgetAnswers(): Promise<void>;
}

/** `onEnd` takes it off the list of open ones. */
export function createBatchFolder(folder: string, onEnd: () => Promise<void>): BatchFolder {
  const at = (name: string): string => join(folder, name);
  const cancellingAt = async (): Promise<number | undefined> => (await readRecord(at('cancel.json'), cancelWish))?.at;
  const read = async (): Promise<StoredBatch | undefined> => {
    const order = await readRecord(at('order.json'), batchOrder);
    if (order === undefined) return undefined;
    const progress = (await readRecord(progressAt(folder), batchProgress)) ?? NOT_STARTED;
    return { order, progress, cancellingAt: await cancellingAt() };
  };
  const forgetAnswers = async (): Promise<void> => {
    const left = (await namesIn(folder)).filter((name) => /^(answers|lease)-\d+/.test(name));
    await Promise.all(left.map((name) => rm(at(name), { force: true })));
    await onEnd();
  };
  return {
    create: async (order) => void (await createRecord(at('order.json'), order)),
    read,
    cancel: async (nowMs) => {
      if ((await read()) === undefined) return undefined;
      await createRecord(at('cancel.json'), { at: nowMs });
      return await read();
    },
    claim: async (known, { nowMs, leaseMs }) => {
      const last = await lastLease(folder);
      if (last > 0 && !(await isOver(at(leaseName(last)), nowMs - leaseMs))) return undefined;
      const own = last + 1;
      if (!(await createTimedFile(at(leaseName(own)), nowMs))) return undefined;
      return createFolderLease({ folder, number: own, batch: known, leaseMs, cancellingAt, forgetAnswers });
    },
    forgetAnswers,
  };
}
