/** Unmodified clients of many authors against the standalone process: each runs its program, and each check is a test. */
import { cp, mkdir, readdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { capture } from '../../scripts/machine/index.ts';
import { CHECKS, CLIENTS, type Client, collectionOf } from './clients.ts';
import { folderOf, pythonOf } from './install.ts';
import { versionOf } from './versions.ts';
import { type ClientWorld, KEY, LIMITED_KEY, startClientWorld } from './world.ts';

const REPORT = z.object({ versions: z.record(z.string(), z.string()), results: z.record(z.string(), z.string()) });
type Report = z.infer<typeof REPORT>;

/** Models whose answers do not end. */
const ENDLESS = /mock-(?:stall-900|delay-600000)/;
const SOURCE = fileURLToPath(new URL('.', import.meta.url));

let world: ClientWorld;
let scripts: string;

beforeAll(async () => {
  world = await startClientWorld();
  // Modules are found from where a program is: the programs get a folder beside a link to the installed packages.
  scripts = join(world.folder, 'javascript');
  await mkdir(scripts, { recursive: true });
  for (const name of await readdir(join(SOURCE, 'javascript'))) {
    if (name.endsWith('.mjs')) await cp(join(SOURCE, 'javascript', name), join(scripts, name));
  }
  await symlink(join(folderOf('javascript'), 'node_modules'), join(scripts, 'node_modules'));
});

afterAll(() => world[Symbol.asyncDispose]());

async function runProgram(client: Client): Promise<Report> {
  const { language, program } = client;
  const command =
    language === 'javascript'
      ? [process.execPath, join(scripts, program)]
      : [pythonOf(collectionOf(client)), join(SOURCE, 'python', program)];
  const env = {
    PATH: process.env['PATH'],
    HOME: world.folder,
    PYTHONDONTWRITEBYTECODE: '1',
    GATEWAY_URL: world.url,
    GATEWAY_KEY: KEY,
    GATEWAY_LIMITED_KEY: LIMITED_KEY,
  };
  const { stdout, stderr } = await capture(command, { cwd: world.folder, env });
  const last = stdout.trim().split('\n').at(-1) ?? '';
  expect(last, `the report of ${program}: ${stderr.slice(-2_000)}`).toMatch(/^\{/);
  return REPORT.parse(JSON.parse(last));
}

describe.for(CLIENTS)('$title of $language', (client) => {
  let report: Report;
  let before: number;

  beforeAll(async () => {
    before = world.mock.requests.at(-1)?.sequence ?? 0;
    report = await runProgram(client);
  });

  test.for(client.checks)('%s', (check) => {
    expect(report.results[check]).toBe('passed');
  });

  test('does every check that it has, in the versions of the lock file', () => {
    expect(Object.keys(report.results).sort()).toEqual([...client.checks].sort());
    const locked = client.packages.map((name) => [name, versionOf(collectionOf(client), name)]);
    expect(report.versions).toEqual(Object.fromEntries(locked));
  });

  test('sent no gateway key to a provider', () => {
    const received = world.mock.requests.filter(({ sequence }) => sequence > before);
    expect(received.length).toBeGreaterThan(0);
    const leaked = received.filter(({ headers, search }) => JSON.stringify([headers, search]).includes('gwk_'));
    expect(leaked.map(({ path }) => path)).toEqual([]);
  });

  test('ended the calls to the provider that it cancelled', async () => {
    const endless = world.mock.requests.filter(
      ({ sequence, path, body }) => sequence > before && ENDLESS.test(`${path}${body}`),
    );
    expect(endless.length).toBeGreaterThan(0);
    await waitFor(() => endless.every(({ outcome }) => outcome === 'broken'), { what: 'the end of cancelled calls' });
  });
});

test('every check is done by a client of each language', () => {
  for (const language of ['javascript', 'python']) {
    const done = CLIENTS.filter((client) => client.language === language).flatMap(({ checks }) => checks);
    expect(CHECKS.filter((check) => !done.includes(check))).toEqual([]);
  }
});
