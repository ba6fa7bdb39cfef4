import { mkdtempSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createJobFolder } from '../../../gateway/src/batches/index.ts';
import { createObjectFolder } from '../../../gateway/src/object-storage/index.ts';
import { describeFollowedStore } from './followed-stores.ts';
import { describeJobStore } from './job-stores.ts';
import { describeObjectStore } from './object-stores.ts';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'gatehouse-batches-'));

describeObjectStore('a folder', async () => {
  const root = newFolder();
  const folder = join(root, 'objects');
  return {
    store: createObjectFolder(folder),
    kept: async () => {
      const all = await readdir(folder, { recursive: true, withFileTypes: true });
      return all
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => join(parentPath, name))
        .toSorted();
    },
    breakDown: async () => {
      await rm(folder, { recursive: true });
      await writeFile(folder, 'no folder');
    },
    [Symbol.asyncDispose]: () => rm(root, { recursive: true, force: true }),
  };
});

for (const describeStore of [describeJobStore, describeFollowedStore]) {
  describeStore('a folder', async () => {
    const folder = newFolder();
    return {
      open: async () => createJobFolder(folder),
      [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
    };
  });
}
