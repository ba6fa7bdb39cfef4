/** Batches at providers that were followed to their end: an empty file for each, in a folder of its workspace, with the time of its end. */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, syncFolder } from '../../object-storage/index.ts';
import { namesIn } from './files.ts';
import { createTimedFile, isOver } from './lease-files.ts';

export interface EndedBatches {
  /** In whichever workspace. */
  has(id: string): Promise<boolean>;
  /** Safe once it resolves. Of a workspace, which has the name of a file, `max` are kept. */
  add(batch: { readonly id: string; readonly workspace: string }, nowMs: number, max: number): Promise<void>;
  removeBefore(timeMs: number, limit: number): Promise<void>;
}

const ID = /^[0-9a-f]{64}$/;
/** So many more than are kept may be there: looking for the oldest of many is not done for each. */
const SPARE = 0.1;

export function endedIn(folder: string): EndedBatches {
  const trim = async (workspace: string, max: number): Promise<void> => {
    const names = (await namesIn(workspace)).filter((name) => ID.test(name));
    if (names.length <= max * (1 + SPARE)) return;
    const times = await Promise.all(
      names.map(async (name) => ({ name, endedMs: (await timeOf(join(workspace, name))) ?? 0 })),
    );
    const oldest = times.toSorted((a, b) => a.endedMs - b.endedMs);
    for (const { name } of oldest.slice(0, names.length - max)) await rm(join(workspace, name), { force: true });
  };
  return {
    has: async (id) => {
      for (const workspace of await namesIn(folder))
        if ((await timeOf(join(folder, workspace, id))) !== undefined) return true;
      return false;
    },
    add: async ({ id, workspace }, nowMs, max) => {
      const own = join(folder, workspace);
      await mkdir(own, { recursive: true, mode: 0o700 });
      await createTimedFile(join(own, id), nowMs);
      for (const each of [own, folder]) await syncFolder(each);
      await trim(own, max);
    },
    removeBefore: async (timeMs, limit) => {
      let removed = 0;
      for (const workspace of await namesIn(folder)) {
        for (const name of await namesIn(join(folder, workspace))) {
          const path = join(folder, workspace, name);
          if (!(await isOver(path, timeMs))) continue;
          await rm(path, { force: true });
          removed += 1;
          if (removed >= limit) return;
        }
      }
    },
  };
}

/** In Unix time in ms; undefined: there is none. */
async function timeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}
