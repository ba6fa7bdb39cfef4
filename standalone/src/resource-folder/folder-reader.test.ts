/** The clock is a number: what matters is how long a file has been seen as it is. */
import { rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { createFolderReader, type FolderScan } from './folder-reader.ts';

const NAMED = (name: string): string => `apiVersion: v1\nkind: Namespace\nmetadata: { name: ${name} }\n`;

const names = ({ files }: FolderScan): string[] =>
  [...files.values()].flatMap(({ content }) => content.objects.map(({ name }) => name));

describe('a folder', () => {
  test('is read at once the first time', async () => {
    using folder = tempFolder({ 'a.yaml': NAMED('a'), 'b.yaml': NAMED('b') });
    const look = await createFolderReader([folder.path]).scan(0);
    expect(names(look)).toEqual(['a', 'b']);
    expect(look.againInMs).toBeUndefined();
  });

  test('without changes is the same set of files', async () => {
    using folder = tempFolder({ 'a.yaml': NAMED('a') });
    const reader = createFolderReader([folder.path]);
    expect((await reader.scan(1_000)).files).toBe((await reader.scan(0)).files);
  });

  test('returns a changed file once it has settled', async () => {
    using folder = tempFolder({ 'a.yaml': NAMED('a'), 'b.yaml': NAMED('b') });
    const reader = createFolderReader([folder.path]);
    const first = await reader.scan(0);
    folder.write('a.yaml', NAMED('changed'));
    const seen = await reader.scan(100);
    expect(names(seen)).toEqual(['a', 'b']);
    expect(seen.againInMs).toBeGreaterThan(0);
    folder.write('a.yaml', NAMED('changed-again'));
    expect(names(await reader.scan(200))).toEqual(['a', 'b']);
    const taken = await reader.scan(300);
    expect(names(taken)).toEqual(['changed-again', 'b']);
    expect(taken.againInMs).toBeUndefined();
    const [, b] = [...taken.files.values()];
    expect(b).toBe([...first.files.values()][1]);
  });

  test.for([
    { rule: 'emptied', spoil: (file: string) => writeFileSync(file, '') },
    { rule: 'removed', spoil: (file: string) => unlinkSync(file) },
  ])('does not notice a file that is $rule for a moment', async ({ spoil }) => {
    using folder = tempFolder({ 'a.yaml': NAMED('a') });
    const reader = createFolderReader([folder.path]);
    await reader.scan(0);
    spoil(join(folder.path, 'a.yaml'));
    expect(names(await reader.scan(0))).toEqual(['a']);
    expect(names(await reader.scan(100))).toEqual(['a']);
    folder.write('a.yaml', NAMED('a2'));
    expect(names(await reader.scan(140))).toEqual(['a']);
    expect(names(await reader.scan(200))).toEqual(['a2']);
  });

  test('drops a file that stays removed', async () => {
    using folder = tempFolder({ 'a.yaml': NAMED('a') });
    const reader = createFolderReader([folder.path]);
    await reader.scan(0);
    unlinkSync(join(folder.path, 'a.yaml'));
    await reader.scan(0);
    expect(names(await reader.scan(200))).toEqual([]);
  });

  test('keeps everything while it cannot be read, and reports a problem', async () => {
    using folder = tempFolder({ 'resources/a.yaml': NAMED('a') });
    const root = join(folder.path, 'resources');
    const reader = createFolderReader([root]);
    await reader.scan(0);
    rmSync(root, { recursive: true });
    await reader.scan(0);
    const look = await reader.scan(10_000);
    expect(names(look)).toEqual(['a']);
    expect(look.problems).toMatchObject([{ file: root, line: 1 }]);
    folder.write('resources/a.yaml', NAMED('back'));
    await reader.scan(20_000);
    expect(names(await reader.scan(30_000))).toEqual(['back']);
  });

  test('follows the links of a mounted ConfigMap to their next version', async () => {
    using folder = tempFolder({ '..one/a.yaml': NAMED('one'), '..two/a.yaml': NAMED('two') });
    const data = join(folder.path, '..data');
    symlinkSync('..one', data);
    symlinkSync('..data/a.yaml', join(folder.path, 'a.yaml'));
    const reader = createFolderReader([folder.path]);
    expect(names(await reader.scan(0))).toEqual(['one']);
    unlinkSync(data);
    symlinkSync('..two', data);
    await reader.scan(0);
    expect(names(await reader.scan(100))).toEqual(['two']);
  });
});

describe('a file from Windows', () => {
  test('may begin with a byte order mark', async () => {
    using folder = tempFolder({ 'a.yaml': `\ufeff${NAMED('a').replaceAll('\n', '\r\n')}` });
    expect(names(await createFolderReader([folder.path]).scan(0))).toEqual(['a']);
  });

  test('in UTF-16 is refused with what to do', async () => {
    using folder = tempFolder();
    writeFileSync(join(folder.path, 'a.yaml'), Buffer.from(`\ufeff${NAMED('a')}`, 'utf16le'));
    const { files } = await createFolderReader([folder.path]).scan(0);
    const messages = [...files.values()].flatMap(({ problems }) => problems.map(({ problem }) => problem.message));
    expect(messages).toEqual([expect.stringContaining('UTF-8')]);
  });
});

describe('a broken file', () => {
  test('keeps its last valid content, with a problem at its position, until it is fixed', async () => {
    using folder = tempFolder({ 'a.yaml': `${NAMED('a')}---\n${NAMED('b')}`, 'new.yaml': 'a: [' });
    const reader = createFolderReader([folder.path]);
    expect(names(await reader.scan(0))).toEqual(['a', 'b']);
    folder.write('a.yaml', `${NAMED('a')}---\nkind: "Namespace\n`);
    await reader.scan(0);
    const broken = await reader.scan(100);
    expect(names(broken)).toEqual(['a', 'b']);
    const [problem] = [...broken.files.values()].flatMap(({ problems }) => problems);
    expect(problem).toMatchObject({ problem: { file: join(folder.path, 'a.yaml'), line: 6 } });
    folder.write('a.yaml', NAMED('a'));
    await reader.scan(200);
    expect(names(await reader.scan(300))).toEqual(['a']);
  });
});
