/** Objects as files of a folder. */
import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { CancelSignal } from '../lib/cancellation.ts';
import { hasCode, syncFolder } from './folder-sync.ts';
import { checkObjectKey, type ObjectStore, StoreFailure } from './object-store.ts';

/** Of what is not complete yet; no key begins so, because workspaces and ids have no dots. */
const DRAFTS = '.drafts';

/** The folder appears with the first object. Drafts that a killed process left are removed then. */
export function createObjectFolder(folder: string): ObjectStore {
  let prepared: Promise<void> | undefined;
  const prepare = (): Promise<void> => {
    prepared ??= prepareDrafts(join(folder, DRAFTS));
    return prepared;
  };
  const pathOf = (key: string): string => {
    checkObjectKey(key);
    return join(folder, key);
  };
  return {
    put: async (key, source, { signal }) => {
      const path = pathOf(key);
      const draft = join(folder, DRAFTS, randomUUID());
      await prepare().catch((cause: unknown) => {
        prepared = undefined;
        throw failure(cause);
      });
      try {
        const bytes = await writeDraft(draft, source, signal);
        await inStore(async () => {
          await mkdir(dirname(path), { recursive: true, mode: 0o700 });
          await rename(draft, path);
          await syncFolder(dirname(path));
        });
        return bytes;
      } catch (error) {
        await rm(draft, { force: true }).catch(() => undefined); // the disk may be what failed
        throw error;
      }
    },
    get: async (key) => {
      const path = pathOf(key);
      try {
        const file = await open(path, 'r');
        return createReadStream(path, { fd: file, highWaterMark: PIECE_BYTES });
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined;
        throw failure(error);
      }
    },
    delete: async (key) => {
      const path = pathOf(key);
      await inStore(() => rm(path, { force: true }));
    },
    close: async () => undefined,
  };
}

/** No upload lasts so long, in ms. */
const ABANDONED_MS = 24 * 60 * 60 * 1_000;

async function prepareDrafts(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder)) {
    const { mtimeMs } = await stat(join(folder, name));
    if (mtimeMs < Date.now() - ABANDONED_MS) await rm(join(folder, name), { force: true });
  }
}

/** Of one read. */
const PIECE_BYTES = 256 * 1024;

/** The number of bytes, which are on the disk then. */
async function writeDraft(path: string, source: AsyncIterable<Buffer>, signal: CancelSignal): Promise<number> {
  const file = await open(path, 'wx', 0o600).catch((cause: unknown) => Promise.reject(failure(cause)));
  let bytes = 0;
  try {
    for await (const piece of source) {
      if (signal.cancelled) throw signal.reason;
      await inStore(() => file.writeFile(piece));
      bytes += piece.length;
    }
    if (signal.cancelled) throw signal.reason;
    await inStore(() => file.sync());
    return bytes;
  } finally {
    await file.close();
  }
}

async function inStore<T>(task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw failure(error);
  }
}

const failure = (cause: unknown): StoreFailure => new StoreFailure('The folder of files cannot be used', { cause });
