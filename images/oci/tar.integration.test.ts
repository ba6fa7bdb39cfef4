import { execFile } from 'node:child_process';
import { mkdtemp, readFile, readlink, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { type TarEntry, tarBytes } from './tar.ts';

const execute = promisify(execFile);
const file = (path: string, content: string, mode = 0o644): TarEntry => ({
  path,
  type: 'file',
  mode,
  content: Buffer.from(content),
});

const collect = async (entries: readonly TarEntry[]): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  for await (const chunk of tarBytes(entries)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

async function unpacked(entries: readonly TarEntry[]): Promise<AsyncDisposable & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-tar-'));
  await writeFile(join(folder, 'archive.tar'), await collect(entries));
  await execute('tar', ['-xpf', 'archive.tar'], { cwd: folder });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}

describe('an archive', () => {
  test('is read by tar, with contents, modes and links', async () => {
    const deep = `${'a-long-folder-name/'.repeat(7)}file`;
    const source = new URL(import.meta.url).pathname;
    await using archive = await unpacked([
      { path: 'app', type: 'folder', mode: 0o755 },
      file('app/run', 'exact block'.padEnd(512, '!'), 0o755),
      file('app/empty', ''),
      file(deep, 'deep'),
      { path: 'app/copy', type: 'copy', mode: 0o600, source },
      { path: 'app/link', type: 'link', target: 'run' },
    ]);
    const at = (path: string): string => join(archive.folder, path);
    expect((await readFile(at('app/run'), 'utf8')).length).toBe(512);
    expect((await stat(at('app/run'))).mode & 0o777).toBe(0o755);
    expect(await readFile(at('app/empty'), 'utf8')).toBe('');
    expect(await readFile(at(deep), 'utf8')).toBe('deep');
    expect(await readFile(at('app/copy'))).toEqual(await readFile(source));
    expect((await stat(at('app/copy'))).mode & 0o777).toBe(0o600);
    expect(await readlink(at('app/link'))).toBe('run');
  });

  test('has the same bytes whatever the order of its entries', async () => {
    const entries = [file('b', '2'), file('a', '1'), file('c', '3')];
    expect(await collect(entries)).toEqual(await collect(entries.toReversed()));
  });

  test.for([
    { rule: 'a name that no header can hold', entry: file('x'.repeat(101), '') },
    { rule: 'folders that no header can hold', entry: file(`${'x'.repeat(99)}/`.repeat(2).concat('y'), '') },
    {
      rule: 'a link target that no header can hold',
      entry: { path: 'a', type: 'link', target: 'x'.repeat(101) } as const,
    },
  ])('refuses $rule', async ({ entry }) => {
    await expect(collect([entry])).rejects.toThrow();
  });
});
