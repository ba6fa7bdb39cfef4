import { mkdtempSync } from 'node:fs';
import { cp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
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

test('a followed batch whose end was cut off is not taken again, and goes', async () => {
  const folder = newFolder();
  const [followed, before] = [join(folder, 'followed'), join(folder, 'before')];
  const jobs = createJobFolder(folder);
  const given = { id: 'a'.repeat(64), workspace: 'team-a', slug: 'openai', batch: 'b', metadata: '{}', traceId: 't' };
  await jobs.follow({ ...given, key: { id: 'key/team-a/app', name: 'app' }, createdAt: 1 }, 1);
  const lease = await jobs.claimFollowed({ nowMs: 2, leaseMs: 1_000 });
  await cp(followed, before, { recursive: true, preserveTimestamps: true });
  await lease?.end(3, 1);
  await cp(before, followed, { recursive: true, preserveTimestamps: true });
  expect(await jobs.claimFollowed({ nowMs: 10_000, leaseMs: 1_000 })).toBeUndefined();
  expect(await readdir(followed)).toEqual([]);
  await jobs.close();
  await rm(folder, { recursive: true, force: true });
});
