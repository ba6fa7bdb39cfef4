/** The right of one process to work on a batch, and the answers that it writes. */
import { createReadStream } from 'node:fs';
import { open, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { parseJson } from '@gatehouse/crds';
import { z } from 'zod';
import { linesOf } from '../../lib/lines.ts';
import { hasCode, StoreFailure } from '../../object-storage/index.ts';
import { LeaseLost } from '../claims.ts';
import type { Lease, RowAnswer } from '../job-store.ts';
import { type BatchProgress, hasEnded, type StoredBatch } from '../records.ts';
import { namesIn, writeRecord } from './files.ts';
import { lastLease, leaseName, progressAt } from './lease-files.ts';

export interface FolderLeaseOptions {
  readonly folder: string;
  readonly number: number;
  readonly batch: StoredBatch;
  readonly leaseMs: number;
  cancellingAt(): Promise<number | undefined>;
  forgetAnswers(): Promise<void>;
}

const storedAnswer = z.object({ row: z.int().min(0), succeeded: z.boolean(), line: z.string() });

export function createFolderLease({ folder, number, batch, leaseMs, ...options }: FolderLeaseOptions): Lease {
  const path = join(folder, leaseName(number));
  let last: Promise<unknown> = Promise.resolve();
  /** The last line may have no end. */
  let isTorn = false;

  const check = async (): Promise<void> => {
    if ((await lastLease(folder)) !== number) throw new LeaseLost('Another process works on the batch');
  };
  const append = async (answer: RowAnswer): Promise<void> => {
    // Opened for each answer: a lease that is lost, or that nobody releases, has nothing to close.
    await using file = await open(join(folder, `answers-${number}.jsonl`), 'a', 0o600);
    const before = isTorn ? '\n' : '';
    isTorn = true;
    await file.appendFile(`${before}${JSON.stringify(answer)}\n`);
    await file.datasync();
    isTorn = false;
  };
  const touch = (ms: number): Promise<void> => utimes(path, ms / 1_000, ms / 1_000);
  return {
    batch,
    renew: (nowMs) =>
      guard(async () => {
        await check();
        await touch(nowMs);
        return { cancellingAt: await options.cancellingAt() };
      }),
    answeredRows: () =>
      guard(async () => {
        const rows = new Map<number, boolean>();
        for await (const { row, succeeded } of answersIn(folder)) if (!rows.has(row)) rows.set(row, succeeded);
        return rows;
      }),
    addAnswer: (answer) => {
      const next = last.then(() => guard(() => append(answer)));
      last = next.catch(() => undefined);
      return next;
    },
    lines: async function* (succeeded) {
      const seen = new Set<number>();
      for await (const answer of answersIn(folder)) {
        const isFirst = !seen.has(answer.row);
        seen.add(answer.row);
        if (isFirst && answer.succeeded === succeeded) yield answer.line;
      }
    },
    save: (progress: BatchProgress) =>
      guard(async () => {
        await check();
        await writeRecord(progressAt(folder), progress);
        if (!hasEnded(progress)) return;
        await last;
        await options.forgetAnswers();
      }),
    release: (atMs = 0) =>
      guard(async () => {
        await last;
        await touch(Math.max(0, atMs - leaseMs)).catch((error: unknown) => {
          if (!hasCode(error, 'ENOENT')) throw error; // it has ended
        });
      }),
  };
}

/** Of all leases, the oldest first; what a killed process did not write to its end is left out. */
async function* answersIn(folder: string): AsyncGenerator<RowAnswer> {
  const numbers = (await namesIn(folder))
    .map((name) => Number(/^answers-(\d+)\.jsonl$/.exec(name)?.[1] ?? 0))
    .filter((number) => number > 0)
    .toSorted((a, b) => a - b);
  for (const number of numbers) {
    const file = createReadStream(join(folder, `answers-${number}.jsonl`));
    for await (const line of linesOf(file, Number.POSITIVE_INFINITY)) {
      const answer = answerOf(line);
      if (answer !== undefined) yield answer;
    }
  }
}

function answerOf(line: Buffer): RowAnswer | undefined {
  try {
    return storedAnswer.safeParse(parseJson(line.toString())).data;
  } catch {
    return undefined;
  }
}

async function guard<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    throw new StoreFailure('The folder of batches cannot be used', { cause: error });
  }
}
