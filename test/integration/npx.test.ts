/** The command as npm links it. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import packageJson from '../../standalone/package.json' with { type: 'json' };
import { tempFolder } from '../../standalone/src/testing/index.ts';

const LAUNCHER = fileURLToPath(new URL('../../standalone/bin/gatehouse.cjs', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));

interface Outcome {
  readonly code: unknown;
  readonly out: string;
  readonly err: string;
}

const run = (command: string, args: readonly string[], options: object = {}): Promise<Outcome> =>
  promisify(execFile)(command, args, options).then(
    ({ stdout, stderr }) => ({ code: 0, out: String(stdout), err: String(stderr) }),
    ({ code, stdout, stderr }) => ({ code, out: String(stdout), err: String(stderr) }),
  );

/** Runs a launcher on a Node that calls itself old. */
const runOnOldNode = (launcher: string): Promise<Outcome> => {
  const script = `Object.defineProperty(process, 'version', { value: 'v20.20.2' }); require(${JSON.stringify(launcher)})`;
  return run(process.execPath, ['-e', script, 'x', '--version']);
};

test('npx finds the command in a checkout, and asks no registry for it', async () => {
  const env = { ...process.env, npm_config_registry: 'http://127.0.0.1:1' };
  expect(await run('npx', ['gatehouse', '--version'], { cwd: ROOT, env })).toMatchObject({
    code: 0,
    out: expect.stringContaining(packageJson.version),
  });
});

test('before npm ci, npx does not fetch the package of that name, which is not ours', async () => {
  using folder = tempFolder({
    '.npmrc': readFileSync(join(ROOT, '.npmrc'), 'utf8'),
    'package.json': '{"private":true}',
  });
  const asked: string[] = [];
  const registry = createServer((request, response) => {
    asked.push(request.url ?? '');
    const dist = { tarball: `http://${request.headers.host}/gatehouse.tgz`, integrity: 'sha512-AAAA' };
    const version = { name: 'gatehouse', version: '9.9.9', bin: { gatehouse: 'foreign.js' }, dist };
    response.setHeader('content-type', 'application/json');
    response.end(
      JSON.stringify({ name: 'gatehouse', 'dist-tags': { latest: '9.9.9' }, versions: { '9.9.9': version } }),
    );
  });
  registry.listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const { port } = registry.address() as AddressInfo; // listening on TCP
  try {
    const own = { HOME: folder.path, npm_config_cache: folder.path, npm_config_registry: `http://127.0.0.1:${port}` };
    const env = { PATH: process.env['PATH'], ...own };
    const { code, err } = await run('npx', ['gatehouse', '--version'], { cwd: folder.path, env });
    expect([code, err]).toEqual([1, expect.stringContaining('gatehouse@9.9.9')]);
    expect(err).not.toContain('will be installed');
    expect(asked.filter((path) => path.endsWith('.tgz'))).toEqual([]);
  } finally {
    registry.closeAllConnections();
    registry.close();
  }
});

test('it runs on the Node of the project, whatever the machine has', async () => {
  expect(await runOnOldNode(LAUNCHER)).toMatchObject({ code: 0, out: expect.stringContaining(packageJson.version) });
});

test('it runs on every Node of the PATH', async () => {
  const folders = [...new Set([...(process.env['PATH'] ?? '').split(delimiter), dirname(process.execPath)])];
  const withNode = folders.filter((folder) => existsSync(join(folder, 'node')));
  expect(withNode).not.toEqual([]);
  for (const folder of withNode) {
    const PATH = [folder, ...folders].join(delimiter);
    expect(await run(LAUNCHER, ['--version'], { env: { PATH } }), folder).toMatchObject({
      code: 0,
      out: expect.stringContaining(packageJson.version),
    });
  }
});

test('it passes on the exit status', async () => {
  expect(await run(process.execPath, [LAUNCHER, 'nonsense'])).toMatchObject({ code: 2 });
});

test.for([
  { rule: 'the packages are not installed', installed: false, sentence: 'run npm ci' },
  { rule: 'the only Node is too old', installed: true, sentence: 'needs Node 22.19 or newer, and this is v20.20.2' },
])('where $rule, it says so in one line', async ({ installed, sentence }) => {
  using folder = tempFolder({ 'standalone/src/main.ts': 'throw new Error()', 'standalone/bin/x': '' });
  const bin = join(folder.path, 'standalone/bin');
  cpSync(LAUNCHER, join(bin, 'gatehouse.cjs'));
  folder.write('standalone/package.json', readFileSync(join(dirname(LAUNCHER), '../package.json'), 'utf8'));
  if (installed) mkdirSync(join(folder.path, 'node_modules'));
  const { code, out, err } = await runOnOldNode(join(bin, 'gatehouse.cjs'));
  expect([code, out]).toEqual([1, '']);
  expect(err.trimEnd().split('\n')).toEqual([expect.stringContaining(sentence)]);
});
