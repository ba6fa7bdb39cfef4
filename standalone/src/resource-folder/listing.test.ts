import { chmodSync, renameSync, symlinkSync } from 'node:fs';
import { join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { listFiles } from './listing.ts';

test('lists resource files in order, through folders and links, without hidden ones', async () => {
  using folder = tempFolder({
    'b.yaml': '',
    'a/c.yml': '',
    'a/d.JSON': '',
    'readme.md': '',
    '.git/x.yaml': '',
    'a/.e.yaml.swp': '',
    'node_modules/y.yaml': '',
    '..2026/mounted.yaml': 'x: 1',
  });
  symlinkSync('..2026', join(folder.path, '..data'));
  symlinkSync('..data/mounted.yaml', join(folder.path, 'mounted.yaml'));
  symlinkSync('.', join(folder.path, 'circle'));
  symlinkSync('nowhere.yaml', join(folder.path, 'broken.yaml'));
  const { files, folders, unreadable } = await listFiles([folder.path]);
  expect([...files.keys()].map((file) => relative(folder.path, file))).toEqual([
    'a/c.yml',
    'a/d.JSON',
    'b.yaml',
    'mounted.yaml',
  ]);
  expect(folders.map((name) => relative(folder.path, name))).toEqual(['', 'a']);
  expect(unreadable.size).toBe(0);
});

test('lists a named file whatever its extension, and reports a missing one', async () => {
  using folder = tempFolder({ 'resources.txt': '' });
  const named = join(folder.path, 'resources.txt');
  const gone = join(folder.path, 'gone');
  const { files, unreadable } = await listFiles([named, gone]);
  expect([...files.keys()]).toEqual([named]);
  expect([...unreadable]).toEqual([[gone, 'ENOENT']]);
});

test('detects a file replaced by one of the same size', async () => {
  using folder = tempFolder({ 'a.yaml': 'a: 1' });
  const before = await listFiles([folder.path]);
  folder.write('.new', 'a: 2');
  renameSync(join(folder.path, '.new'), join(folder.path, 'a.yaml'));
  const after = await listFiles([folder.path]);
  expect([...after.files.values()]).not.toEqual([...before.files.values()]);
});

test.skipIf(process.getuid?.() === 0)('names a folder that may not be read', async () => {
  using folder = tempFolder({ 'closed/a.yaml': '' });
  const closed = join(folder.path, 'closed');
  chmodSync(closed, 0);
  const { unreadable } = await listFiles([folder.path]);
  chmodSync(closed, 0o700);
  expect([...unreadable]).toEqual([[closed, 'EACCES']]);
});
