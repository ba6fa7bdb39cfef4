import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import packageJson from '../standalone/package.json' with { type: 'json' };
import { buildStandaloneArchive } from './standalone-archive.ts';

const run = promisify(execFile);
/** A system without Node and npm. */
const BARE = { PATH: '/usr/bin:/bin' };

let folder: string;
let path: string;
let command: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-archive-test-'));
  path = await buildStandaloneArchive(join(folder, 'out'));
  await run('tar', ['-xzf', path, '-C', folder]);
  command = join(folder, basename(path, '.tar.gz'), 'bin/gatehouse');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('the archive', () => {
  test('has version, system and architecture in its name, and in one folder of that name', async () => {
    const arch = process.arch === 'x64' ? 'amd64' : process.arch;
    expect(basename(path)).toBe(`gatehouse-${packageJson.version}-linux-${arch}.tar.gz`);
    expect((await readdir(folder)).toSorted()).toEqual([basename(path, '.tar.gz'), 'out']);
  });

  test('runs with its own Node, through a link, too', async () => {
    const link = join(folder, 'out/linked');
    await symlink(command, link);
    for (const name of [command, link]) {
      const { stdout } = await run(name, ['--version'], { env: BARE });
      expect(stdout).toContain(packageJson.version);
    }
  });

  test('brings the libraries of Node that small systems lack', async () => {
    const lib = join(folder, basename(path, '.tar.gz'), 'lib');
    const { stdout } = await run('ldd', [join(lib, 'node')], {
      env: { ...BARE, LD_LIBRARY_PATH: join(lib, 'system') },
    });
    const foreign = [...stdout.matchAll(/=> (\S+)/g)].flatMap(([, found = '']) =>
      found.startsWith(lib) ? [] : [basename(found)],
    );
    expect(stdout).not.toContain('not found');
    expect(foreign.filter((name) => !/^lib(?:c|m|dl|pthread|rt)\.so/.test(name))).toEqual([]); // glibc alone
  });

  test('serves its examples', async () => {
    const examples = join(folder, basename(path, '.tar.gz'), 'examples');
    const args = [
      'standalone',
      '--resources',
      examples,
      '--data',
      join(folder, 'data'),
      '--port',
      '0',
      '--admin-port',
      '0',
    ];
    const child = spawn(command, args, { env: BARE, stdio: ['ignore', 'ignore', 'pipe'] });
    let text = '';
    child.stderr.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    try {
      const url = await waitFor(() => /on (http:\/\/[^/\s]+)/.exec(text)?.[1], { what: 'the address' });
      expect((await fetch(`${url}/v1/health`)).status).toBe(200);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
});
