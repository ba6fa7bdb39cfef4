/** Files and batches as small files of a folder, for the processes of one machine. */
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { StoreFailure } from '../../object-storage/index.ts';
import type { JobStore, Page, PageRequest } from '../job-store.ts';
import {
  BATCH_ID,
  type BatchOrder,
  FILE_ID,
  hasEnded,
  type StoredBatch,
  type StoredFile,
  storedFile,
} from '../records.ts';
import { createBatchFolder } from './batch-folder.ts';
import { createRecord, namesIn, readRecord, writeRecord } from './files.ts';
import { followedIn } from './followed-folder.ts';

/** Of an open batch, so that those that have ended are not looked at again. */
const openBatch = z.object({ workspace: z.string(), createdAt: z.number() });

/** The folder appears with the first file. */
export function createJobFolder(folder: string): JobStore {
  return guarded({ ...filesIn(folder), ...batchesIn(folder), ...followedIn(folder), close: async () => undefined });
}

type FileCalls = Pick<JobStore, 'addFile' | 'completeFile' | 'file' | 'files' | 'removeFile' | 'staleFiles'>;

function filesIn(folder: string): FileCalls {
  const root = join(folder, 'files');
  const folderOf = (workspace: string): string => join(root, safe(workspace));
  const fileAt = (workspace: string, id: string): string => join(folderOf(workspace), `${safe(id)}.json`);
  const all = async (workspace: string): Promise<readonly StoredFile[]> => {
    const names = (await namesIn(folderOf(workspace))).filter((name) => FILE_ID.test(name.replace(/\.json$/, '')));
    const read = await Promise.all(names.map((name) => readRecord(join(folderOf(workspace), name), storedFile)));
    return read.filter((file) => file !== undefined);
  };
  const inTurn = createTurns();
  return {
    addFile: (file, maxFiles) =>
      inTurn(async () => {
        const { length } = await namesIn(folderOf(file.workspace));
        return length < maxFiles && (await createRecord(fileAt(file.workspace, file.id), file));
      }),
    completeFile: (file) => writeRecord(fileAt(file.workspace, file.id), { ...file, status: 'processed' }),
    file: async (workspace, id) => {
      if (!FILE_ID.test(id)) return undefined;
      const file = await readRecord(fileAt(workspace, id), storedFile);
      return file?.status === 'processed' ? file : undefined;
    },
    files: async (workspace, page) => {
      const shown = (await all(workspace)).filter(
        ({ status, purpose }) => status === 'processed' && (page.purpose === undefined || purpose === page.purpose),
      );
      return pageOf(shown, page, ({ id, createdAt }) => ({ id, createdAt }));
    },
    removeFile: (workspace, id) => removed(FILE_ID.test(id) ? fileAt(workspace, id) : undefined),
    staleFiles: async (nowMs, pendingBefore, limit) => {
      const files = await Promise.all((await namesIn(root)).map(all));
      return files
        .flat()
        .filter((file) => file.expiresAt <= nowMs || (file.status === 'pending' && file.createdAt < pendingBefore))
        .slice(0, limit);
    },
  };
}

/** The batches that have not ended, each as a file with its workspace. */
function openBatchesIn(folder: string) {
  const openAt = (id: string): string => join(folder, `${safe(id)}.json`);
  return {
    add: ({ id, workspace, createdAt }: BatchOrder) => writeRecord(openAt(id), { workspace, createdAt }),
    remove: (id: string) => rm(openAt(id), { force: true }),
    /** The oldest first. */
    all: async () => {
      const ids = (await namesIn(folder)).map((name) => name.replace(/\.json$/, '')).filter((id) => BATCH_ID.test(id));
      const read = await Promise.all(ids.map(async (id) => ({ id, open: await readRecord(openAt(id), openBatch) })));
      return read
        .flatMap(({ id, open }) => (open === undefined ? [] : [{ id, ...open }]))
        .toSorted((a, b) => a.createdAt - b.createdAt);
    },
  };
}

type BatchCalls = Pick<
  JobStore,
  'addBatch' | 'batch' | 'batches' | 'cancelBatch' | 'removeBatchesEndedBefore' | 'claim'
>;

function batchesIn(folder: string): BatchCalls {
  const root = join(folder, 'batches');
  const open = openBatchesIn(join(folder, 'open'));
  const folderOf = (workspace: string): string => join(root, safe(workspace));
  const batchAt = (workspace: string, id: string) =>
    createBatchFolder(join(folderOf(workspace), safe(id)), () => open.remove(id));
  const all = async (workspace: string): Promise<readonly StoredBatch[]> => {
    const ids = (await namesIn(folderOf(workspace))).filter((id) => BATCH_ID.test(id));
    const read = await Promise.all(ids.map((id) => batchAt(workspace, id).read()));
    return read.filter((batch) => batch !== undefined);
  };
  const inTurn = createTurns();
  return {
    addBatch: (order, maxOpen) =>
      inTurn(async () => {
        const { length } = (await open.all()).filter(({ workspace }) => workspace === order.workspace);
        if (length >= maxOpen) return false;
        await batchAt(order.workspace, order.id).create(order);
        await open.add(order);
        return true;
      }),
    batch: async (workspace, id) => (BATCH_ID.test(id) ? await batchAt(workspace, id).read() : undefined),
    batches: async (workspace, page) =>
      pageOf(await all(workspace), page, ({ order: { id, createdAt } }) => ({ id, createdAt })),
    cancelBatch: async (workspace, id, nowMs) =>
      BATCH_ID.test(id) ? await batchAt(workspace, id).cancel(nowMs) : undefined,
    removeBatchesEndedBefore: async (timeMs, limit) => {
      const batches = (await Promise.all((await namesIn(root)).map(all))).flat();
      const old = batches.filter(({ progress: { endedAt } }) => endedAt !== null && endedAt < timeMs);
      for (const { order } of old.slice(0, limit)) {
        await rm(join(folderOf(order.workspace), order.id), { recursive: true, force: true });
      }
    },
    claim: async (options) => {
      for (const { id, workspace } of await open.all()) {
        if (options.except?.has(workspace) === true) continue;
        const batch = batchAt(workspace, id);
        const known = await batch.read();
        const isOver = known === undefined || hasEnded(known.progress);
        if (isOver) await batch.forgetAnswers();
        const lease = isOver ? undefined : await batch.claim(known, options);
        if (lease !== undefined) return lease;
      }
      return undefined;
    },
  };
}

/** Names of workspaces and ids are checked where they come from; this is the last line. */
function safe(name: string): string {
  if (/^\w[\w.-]{0,252}$/.test(name)) return name;
  throw new Error('The name cannot be that of a file');
}

/** Calls that look before they write wait for each other. */
function createTurns(): <T>(task: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (task) => {
    const next = last.then(task);
    last = next.catch(() => undefined);
    return next;
  };
}

async function removed(path: string | undefined): Promise<boolean> {
  if (path === undefined) return false;
  const isThere = await stat(path).then(
    () => true,
    () => false,
  );
  await rm(path, { force: true });
  return isThere;
}

function pageOf<T>(
  all: readonly T[],
  { limit, after, order = 'desc' }: PageRequest,
  keyOf: (item: T) => { readonly id: string; readonly createdAt: number },
): Page<T> {
  const sign = order === 'asc' ? 1 : -1;
  const sorted = all.toSorted((a, b) => {
    const [first, second] = [keyOf(a), keyOf(b)];
    return sign * (first.createdAt - second.createdAt || (first.id < second.id ? -1 : 1));
  });
  const at = after === undefined ? -1 : sorted.findIndex((item) => keyOf(item).id === after);
  if (after !== undefined && at < 0) return { items: [], hasMore: false };
  const items = sorted.slice(at + 1, at + 1 + limit);
  return { items, hasMore: at + 1 + limit < sorted.length };
}

/** Errors of the file system are those of a store. */
function guarded(store: JobStore): JobStore {
  const guard = <A extends readonly unknown[], R>(call: (...args: A) => Promise<R>) => {
    return async (...args: A): Promise<R> => {
      try {
        return await call(...args);
      } catch (error) {
        if (error instanceof Error && 'syscall' in error) {
          throw new StoreFailure('The folder of batches cannot be used', { cause: error });
        }
        throw error;
      }
    };
  };
  return {
    addFile: guard(store.addFile),
    completeFile: guard(store.completeFile),
    file: guard(store.file),
    files: guard(store.files),
    removeFile: guard(store.removeFile),
    staleFiles: guard(store.staleFiles),
    addBatch: guard(store.addBatch),
    batch: guard(store.batch),
    batches: guard(store.batches),
    cancelBatch: guard(store.cancelBatch),
    removeBatchesEndedBefore: guard(store.removeBatchesEndedBefore),
    claim: guard(store.claim),
    follow: guard(store.follow),
    follows: guard(store.follows),
    claimFollowed: guard(store.claimFollowed),
    countedRows: guard(store.countedRows),
    countRows: guard(store.countRows),
    forgetBefore: guard(store.forgetBefore),
    close: store.close,
  };
}
