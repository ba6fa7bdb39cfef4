/** What every store of files and batches does: gateway/src/batches/job-store.ts. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  type BatchOrder,
  type BatchProgress,
  type JobStore,
  type Lease,
  LeaseLost,
  NOT_STARTED,
  type StoredFile,
} from '../../../gateway/src/batches/index.ts';
import { newId } from '../../../gateway/src/lib/random.ts';

export interface OpenedJobs extends AsyncDisposable {
  /** Another process with the same data; the test closes it. */
  open(): Promise<JobStore>;
}

/** Two processes with the same data, while the tests of a suite run. */
export function useStores(prepare: () => Promise<OpenedJobs>, open: (first: JobStore, second: JobStore) => void): void {
  const closing: (() => unknown)[] = [];
  beforeAll(async () => {
    const opened = await prepare();
    closing.unshift(() => opened[Symbol.asyncDispose]());
    const [first, second] = [await opened.open(), await opened.open()];
    closing.unshift(first.close, second.close);
    open(first, second);
  });
  afterAll(async () => {
    for (const close of closing) await close();
  });
}

const NOW = Date.UTC(2027, 0, 1);
const LEASE = { nowMs: NOW, leaseMs: 10_000 };
const MANY = 1_000;

let counter = 0;
const newWorkspace = (): string => {
  counter += 1;
  return `team-${counter}`;
};

const fileOf = (workspace: string, over: Partial<StoredFile> = {}): StoredFile => ({
  id: newId('gw_file_', 32),
  workspace,
  filename: 'rows "1" ü.jsonl',
  purpose: 'batch',
  bytes: 12,
  createdAt: NOW,
  expiresAt: NOW + 1_000,
  status: 'pending',
  ...over,
});

const orderOf = (workspace: string, over: Partial<BatchOrder> = {}): BatchOrder => ({
  id: newId('gw_batch_', 32),
  workspace,
  keyId: 'key/team/app',
  endpoint: '/v1/chat/completions',
  inputFileId: newId('gw_file_', 32),
  completionWindow: '24h',
  metadata: { a: 'ü"' },
  headers: { 'x-gw-provider': '@openai' },
  createdAt: NOW,
  expiresAt: NOW + 86_400_000,
  outputLifetimeMs: 1_000,
  ...over,
});

async function linesOf(lease: Lease, succeeded: boolean): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of lease.lines(succeeded)) lines.push(line);
  return lines;
}

export function describeJobStore(name: string, prepare: () => Promise<OpenedJobs>): void {
  describe(`files and batches in ${name}`, () => {
    let jobs: JobStore;
    let other: JobStore;
    useStores(prepare, (first, second) => {
      [jobs, other] = [first, second];
    });

    const claimOf = async (order: BatchOrder, store: JobStore, nowMs = NOW): Promise<Lease | undefined> => {
      const lease = await store.claim({ ...LEASE, nowMs });
      if (lease !== undefined && lease.batch.order.id !== order.id) throw new Error('another batch was left over');
      return lease;
    };
    const endOf = async (lease: Lease): Promise<void> =>
      lease.save({ ...NOT_STARTED, status: 'completed', endedAt: NOW });

    test('show a file once it is complete, in its workspace alone', async () => {
      const [workspace, stranger] = [newWorkspace(), newWorkspace()];
      const file = fileOf(workspace);
      expect(await jobs.addFile(file, MANY)).toBe(true);
      expect(await other.file(workspace, file.id)).toBeUndefined();
      expect((await other.files(workspace, { limit: 10 })).items).toEqual([]);
      const complete: StoredFile = { ...file, bytes: 99, status: 'processed' };
      await jobs.completeFile(complete);
      expect(await other.file(workspace, file.id)).toEqual(complete);
      expect(await jobs.file(stranger, file.id)).toBeUndefined();
      expect(await jobs.removeFile(stranger, file.id)).toBe(false);
      expect(await jobs.removeFile(workspace, file.id)).toBe(true);
      expect(await jobs.removeFile(workspace, file.id)).toBe(false);
      expect(await other.file(workspace, file.id)).toBeUndefined();
    });

    test('list files by time, part by part', async () => {
      const workspace = newWorkspace();
      const files = [3, 1, 2].map((at) =>
        fileOf(workspace, { createdAt: NOW + at, status: 'processed', purpose: at === 2 ? 'batch_output' : 'batch' }),
      );
      for (const file of files) {
        await jobs.addFile(file, MANY);
        await jobs.completeFile(file);
      }
      const [third, first, second] = files;
      expect(await jobs.files(workspace, { limit: 2 })).toEqual({ items: [third, second], hasMore: true });
      expect(await jobs.files(workspace, { limit: 2, after: second?.id })).toEqual({ items: [first], hasMore: false });
      expect((await jobs.files(workspace, { limit: 3, order: 'asc' })).items).toEqual([first, second, third]);
      expect((await jobs.files(workspace, { limit: 3, purpose: 'batch' })).items).toEqual([third, first]);
      expect(await jobs.files(workspace, { limit: 3, after: 'gw_file_nobody' })).toEqual({ items: [], hasMore: false });
    });

    test('hold no more files than a workspace may have', async () => {
      const workspace = newWorkspace();
      expect(await jobs.addFile(fileOf(workspace), 2)).toBe(true);
      const asked = await Promise.all([1, 2, 3].map(() => jobs.addFile(fileOf(workspace), 2)));
      expect(asked.filter(Boolean)).toHaveLength(1);
      expect(await jobs.addFile(fileOf(newWorkspace()), 2)).toBe(true);
    });

    test('name files whose time is over', async () => {
      const workspace = newWorkspace();
      const old = fileOf(workspace, { expiresAt: NOW - 5, status: 'processed' });
      const fresh = fileOf(workspace, { expiresAt: NOW + 5, status: 'processed' });
      const abandoned = fileOf(workspace, { createdAt: NOW - 100 });
      for (const file of [old, fresh, abandoned]) await jobs.addFile(file, MANY);
      await jobs.completeFile(old);
      await jobs.completeFile(fresh);
      const stale = (await jobs.staleFiles(NOW, NOW - 50, 100)).filter((file) => file.workspace === workspace);
      expect(stale.map(({ id }) => id).toSorted()).toEqual([old.id, abandoned.id].toSorted());
      expect(await jobs.staleFiles(NOW, NOW - 50, 1)).toHaveLength(1);
    });

    test('give a batch to one process at a time, until its lease is over', async () => {
      const order = orderOf(newWorkspace());
      expect(await jobs.addBatch(order, MANY)).toBe(true);
      expect(await other.batch(order.workspace, order.id)).toEqual({
        order,
        progress: NOT_STARTED,
        cancellingAt: undefined,
      });
      const claims = await Promise.all([claimOf(order, jobs), claimOf(order, other), claimOf(order, jobs)]);
      const [lease, ...more] = claims.filter((claim) => claim !== undefined);
      expect(more).toEqual([]);
      await lease?.renew(NOW + 5_000);
      expect(await claimOf(order, other, NOW + 14_000)).toBeUndefined();
      const next = await claimOf(order, other, NOW + 16_000);
      expect(next?.batch.order).toEqual(order);
      await expect(lease?.renew(NOW + 16_001)).rejects.toBeInstanceOf(LeaseLost);
      await expect(lease?.save(NOT_STARTED)).rejects.toBeInstanceOf(LeaseLost);
      await next?.release();
      const last = await claimOf(order, jobs, NOW + 16_002);
      expect(last).toBeDefined();
      if (last !== undefined) await endOf(last);
      expect(await claimOf(order, jobs, NOW + 90_000)).toBeUndefined();
    });

    test('give back a batch until a time, with what is known of the batch of a provider', async () => {
      const order = orderOf(newWorkspace(), { providerOptions: { metadata: { a: 'ü' } } });
      await jobs.addBatch(order, MANY);
      const lease = await claimOf(order, jobs);
      const progress: BatchProgress = {
        ...{ ...NOT_STARTED, status: 'submitting', total: 2, inProgressAt: NOW },
        atProvider: {
          ...{ provider: 'openai', slug: 'openai', config: null, marker: newId('gwb_', 24), begunAt: NOW, bytes: 5 },
          ...{ file: 'file-1', calledAt: NOW, id: null, createdAt: null, status: null, counts: null },
        },
      };
      await lease?.save(progress);
      await lease?.release(NOW + 60_000);
      expect(await claimOf(order, other, NOW + 59_000)).toBeUndefined();
      const next = await claimOf(order, other, NOW + 60_001);
      expect(next?.batch).toEqual({ order, progress, cancellingAt: undefined });
      await expect(lease?.save(progress)).rejects.toBeInstanceOf(LeaseLost);
      if (next !== undefined) await endOf(next);
    });

    test('keep one answer for each row, whoever wrote it', async () => {
      const order = orderOf(newWorkspace());
      await jobs.addBatch(order, MANY);
      const first = await claimOf(order, jobs);
      const rows = Array.from({ length: 20 }, (_, row) => row);
      await Promise.all(
        rows.map((row) => first?.addAnswer({ row, succeeded: row % 2 === 0, line: `{"row":${row},"text":"\u2028ü"}` })),
      );
      const second = await claimOf(order, other, NOW + 20_000);
      if (first === undefined || second === undefined) throw new Error('there was no lease');
      expect(await second.answeredRows()).toEqual(new Map(rows.map((row) => [row, row % 2 === 0])));
      await first.addAnswer({ row: 20, succeeded: true, line: '"late"' }).catch(() => undefined);
      await second.addAnswer({ row: 20, succeeded: true, line: '"second"' });
      await second.addAnswer({ row: 3, succeeded: true, line: '"again"' });
      const [good, bad] = [await linesOf(second, true), await linesOf(second, false)];
      expect(good).toHaveLength(11);
      expect(bad.toSorted()).toEqual(
        [1, 3, 5, 7, 9, 11, 13, 15, 17, 19].map((row) => `{"row":${row},"text":"\u2028ü"}`).toSorted(),
      );
      await endOf(second);
    });

    test('remember progress, and the wish for an end', async () => {
      const order = orderOf(newWorkspace());
      await jobs.addBatch(order, MANY);
      const lease = await claimOf(order, jobs);
      const progress = { ...NOT_STARTED, status: 'in_progress' as const, total: 7, completed: 2, inProgressAt: NOW };
      await lease?.save(progress);
      expect(await lease?.renew(NOW)).toEqual({ cancellingAt: undefined });
      expect(await other.cancelBatch(newWorkspace(), order.id, NOW + 1)).toBeUndefined();
      expect(await other.cancelBatch(order.workspace, order.id, NOW + 1)).toEqual({
        order,
        progress,
        cancellingAt: NOW + 1,
      });
      await other.cancelBatch(order.workspace, order.id, NOW + 2);
      expect(await lease?.renew(NOW)).toEqual({ cancellingAt: NOW + 1 });
      const problems = [{ code: 'a', message: 'b', param: null, line: 3 }];
      const ended = { ...progress, status: 'cancelled' as const, problems, endedAt: NOW + 3 };
      await lease?.save(ended);
      expect((await other.batch(order.workspace, order.id))?.progress).toEqual(ended);
    });

    test('bound the batches of a workspace that have not ended, and leave out workspaces that are busy', async () => {
      const workspace = newWorkspace();
      const order = orderOf(workspace);
      expect(await jobs.addBatch(order, 1)).toBe(true);
      expect(await jobs.addBatch(orderOf(workspace), 1)).toBe(false);
      expect(await jobs.claim({ ...LEASE, except: new Set([workspace]) })).toBeUndefined();
      const lease = await claimOf(order, jobs);
      if (lease !== undefined) await endOf(lease);
      const next = orderOf(workspace, { createdAt: NOW + 1 });
      expect(await jobs.addBatch(next, 1)).toBe(true);
      const last = await claimOf(next, jobs);
      if (last !== undefined) await endOf(last);
      const { items, hasMore } = await jobs.batches(workspace, { limit: 1 });
      expect([items.map((batch) => batch.order.id), hasMore]).toEqual([[next.id], true]);
      const rest = await jobs.batches(workspace, { limit: 5, after: next.id });
      expect([rest.items.map((batch) => batch.order.id), rest.hasMore]).toEqual([[order.id], false]);
      expect(await jobs.batches(newWorkspace(), { limit: 5 })).toEqual({ items: [], hasMore: false });
    });

    test('give the oldest batch first', async () => {
      const young = orderOf(newWorkspace(), { createdAt: NOW + 10 });
      const old = orderOf(newWorkspace(), { createdAt: NOW + 1 });
      await jobs.addBatch(young, MANY);
      await jobs.addBatch(old, MANY);
      for (const order of [old, young]) {
        const lease = await claimOf(order, jobs);
        if (lease !== undefined) await endOf(lease);
      }
    });

    test('forget batches that ended long ago', async () => {
      const order = orderOf(newWorkspace());
      await jobs.addBatch(order, MANY);
      const lease = await claimOf(order, jobs);
      await lease?.save({ ...NOT_STARTED, status: 'failed', endedAt: NOW - 100 });
      await jobs.removeBatchesEndedBefore(NOW - 200, MANY);
      expect(await jobs.batch(order.workspace, order.id)).toBeDefined();
      await jobs.removeBatchesEndedBefore(NOW - 50, MANY);
      expect(await jobs.batch(order.workspace, order.id)).toBeUndefined();
    });

    test.for(['', '../x', "gw_file_' or true", 'gw_batch_x'])('have nothing of the id "%s"', async (id) => {
      const workspace = newWorkspace();
      expect(await jobs.file(workspace, id)).toBeUndefined();
      expect(await jobs.batch(workspace, id)).toBeUndefined();
      expect(await jobs.removeFile(workspace, id)).toBe(false);
      expect(await jobs.cancelBatch(workspace, id, NOW)).toBeUndefined();
    });
  });
}
