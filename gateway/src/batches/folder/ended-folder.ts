/** Batches at providers that were followed to their end: an empty file for each, with the name that its folder had and the time of its end. */
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, syncFolder } from '../../object-storage/index.ts';
import { namesIn } from './files.ts';
import { createTimedFile, isOver } from './lease-files.ts';

export interface EndedBatches {
  has(id: string): Promise<boolean>;
  /** Safe once it resolves. `name`: the id, `-`, and what its workspace is called, of which `max` are kept. */
  add(name: string, nowMs: number, max: number): Promise<void>;
  removeBefore(timeMs: number, limit: number): Promise<void>;
}

/** So many more than are kept may be there: looking for the oldest of many is not done for each. */
const SPARE = 0.1;

export function endedIn(folder: string): EndedBatches {
  const trim = async (workspace: string, max: number): Promise<void> => {
    const names = (await namesIn(folder)).filter((name) => name.endsWith(`-${workspace}`));
    if (names.length <= max * (1 + SPARE)) return;
    const times = await Promise.all(names.map(async (name) => ({ name, endedMs: await timeOf(join(folder, name)) })));
    const oldest = times.toSorted((a, b) => a.endedMs - b.endedMs);
    for (const { name } of oldest.slice(0, names.length - max)) await rm(join(folder, name), { force: true });
  };
  return {
    has: async (id) => (await namesIn(folder)).some((name) => name.startsWith(`${id}-`)),
    add: async (name, nowMs, max) => {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await createTimedFile(join(folder, name), nowMs);
      await syncFolder(folder);
      await trim(name.slice(name.indexOf('-') + 1), max);
    },
    removeBefore: async (timeMs, limit) => {
      let removed = 0;
      for (const name of await namesIn(folder)) {
        if (!(await isOver(join(folder, name), timeMs))) continue;
        await rm(join(folder, name), { force: true });
        removed += 1;
        if (removed >= limit) return;
      }
    },
  };
}

/** 0: it is gone. */
async function timeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return 0;
    throw error;
  }
}
