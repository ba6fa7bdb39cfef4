/**
 * What a newcomer types: the shell blocks of the README in their order, in a fresh copy of the repository without its packages, with the
 * Node of the machine. Blocks for a cluster or for containers are run by test/e2e and test/docs.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { capture } from '../../scripts/machine/index.ts';
import { freePort } from '../bench/ports.ts';
import { blocksOf, ROOT } from '../docs/documents.ts';

const blocks = blocksOf('README.md').filter(
  ({ language, text }) => language === 'sh' && !/^(?:helm|kubectl|docker) /.test(text),
);
const isServer = (text: string): boolean => /^make run$|\bgatehouse standalone\b/.test(text);

/** What a clone does not have. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'dist', '.gatehouse', '.cache']);
/** Ports that the README, the npm scripts and the examples name. */
const NAMED_PORTS = /\b(8787|8790)\b/g;

let folder: string;
let ports: ReadonlyMap<string, string>;
let env: NodeJS.ProcessEnv;
const running: ChildProcess[] = [];

const moved = (text: string): string => text.replaceAll(NAMED_PORTS, (port) => ports.get(port) ?? port);

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-newcomer-'));
  ports = new Map([
    ['8787', String(await freePort())],
    ['8790', String(await freePort())],
  ]);
  await cp(ROOT, folder, { recursive: true, filter: (path) => !LEFT_OUT.has(basename(path)) });
  await moveFile('package.json');
  const entries = await readdir(join(folder, 'examples'), { recursive: true, withFileTypes: true });
  for (const entry of entries) if (entry.isFile()) await moveFile(join(entry.parentPath, entry.name));
  env = environmentOfTheMachine({
    PORT: ports.get('8787'),
    GATEHOUSE_ADMIN_PORT: String(await freePort()),
    GATEHOUSE_DRAIN_ACCEPT_MS: '0',
    LANES: 'format',
  });
});

afterAll(async () => {
  for (const child of running) await stop(child);
  await rm(folder, { recursive: true, force: true });
});

async function moveFile(path: string): Promise<void> {
  const absolute = path.startsWith(folder) ? path : join(folder, path);
  await writeFile(absolute, moved(await readFile(absolute, 'utf8')));
}

/** Without what npm, Vitest and make add: no tool of this checkout is in reach, and no lane that make was asked for. */
function environmentOfTheMachine(more: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|NODE|VITEST|TEST$|CI$|INIT_CWD|MAKE|MFLAGS)/.test(name),
  );
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((entry) => !entry.includes('node_modules'));
  const trusted = process.env['NODE_EXTRA_CA_CERTS'];
  return {
    ...Object.fromEntries(kept),
    ...(trusted === undefined ? {} : { NODE_EXTRA_CA_CERTS: trusted }),
    PATH: path.join(delimiter),
    ...more,
  };
}

async function serve(text: string): Promise<void> {
  for (const earlier of running.splice(0)) await stop(earlier); // the next one wants the same port
  const child = spawn('bash', ['-c', moved(text)], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.push(child);
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      printed += chunk.toString();
    });
  }
  const url = `http://127.0.0.1:${ports.get('8787')}/v1/health`;
  await waitFor(
    async () => {
      if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}: ${printed}`);
      return (await fetch(url).catch(() => undefined))?.ok && printed.includes('curl ');
    },
    { what: 'the gateway and its line for curl', deadlineMs: 280_000 },
  );
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.pid === undefined) return;
  const closed = once(child, 'close');
  process.kill(-child.pid, 'SIGKILL'); // its group: the shell and what it started
  await closed;
}

describe('the README on a machine with Node and npm alone', () => {
  test.for(blocks)('line $line', async ({ text }) => {
    if (isServer(text)) return serve(text);
    const curl =
      'set -euo pipefail\ncurl() { command curl --silent --show-error --fail-with-body --max-time 30 "$@"; }\n';
    const { code, stdout, stderr } = await capture(['bash', '-c', curl + moved(text)], { cwd: folder, env });
    expect(code, stdout + stderr).toBe(0);
    if (text.startsWith('curl ')) expect(stdout).toContain('Mock answer to: Say hello');
    if (text.startsWith('make test')) expect(stdout).toMatch(/^ok +format: 1 passed/m);
  });
});
