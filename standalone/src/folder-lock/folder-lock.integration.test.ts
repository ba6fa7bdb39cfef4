import { spawn } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { addressOf, runGatehouse, startGatehouse, tempFolder } from '../testing/index.ts';
import { type FolderLock, type LockOptions, lockFolder } from './index.ts';
import { startTimeOf } from './start-time.ts';

const lock = (folder: string, over: Partial<LockOptions> = {}) => lockFolder({ folder, ...over });

async function held(folder: string, over?: Partial<LockOptions>): Promise<FolderLock & AsyncDisposable> {
  const result = await lock(folder, over);
  if (!result.ok) throw new Error(result.error);
  return { ...result.value, [Symbol.asyncDispose]: result.value.release };
}

/** As another process would have left it. */
const leave = (folder: string, holder: object): void => writeFileSync(join(folder, 'lock'), JSON.stringify(holder));

/** No process: larger than any system gives. */
const NOBODY = 2 ** 30;

describe('a folder', () => {
  test('belongs to one process at a time, which the refusal names', async () => {
    using folder = tempFolder({});
    const first = await held(folder.path);
    expect(await lock(folder.path)).toEqual({
      ok: false,
      error: expect.stringContaining(`${folder.path} belongs to process ${process.pid}, which keeps budgets there`),
    });
    await first.release();
    await using _second = await held(folder.path);
    expect(readdirSync(folder.path)).toEqual(['lock']);
  });

  test.for([
    { rule: 'of a process that was killed', holder: { pid: NOBODY, host: hostname() } },
    {
      rule: 'of an earlier process with the same number',
      holder: { pid: process.pid, host: hostname(), startedAt: 'before' },
    },
    { rule: 'that nobody can read', holder: { pid: 'x' } },
  ])('is taken over with a lock $rule', async ({ holder }) => {
    using folder = tempFolder({});
    leave(folder.path, holder);
    await using _own = await held(folder.path);
    expect(JSON.parse(readFileSync(join(folder.path, 'lock'), 'utf8'))).toMatchObject({ pid: process.pid });
  });

  test('is taken over from a process that was killed and that its parent does not wait for', async () => {
    using folder = tempFolder({});
    const parent = spawn('bash', ['-c', 'sleep 1000 & echo $!; exec sleep 1000'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [line] = await once(parent.stdout, 'data');
      const pid = Number(line);
      leave(folder.path, { pid, host: hostname(), startedAt: await startTimeOf(pid) });
      expect(await lock(folder.path)).toMatchObject({ ok: false });
      process.kill(pid, 'SIGKILL');
      await using _own = await waitFor(() => held(folder.path).catch(() => undefined), { what: 'the folder' });
    } finally {
      parent.kill('SIGKILL');
    }
  });

  test('belongs to a process of another machine as long as that touches the lock', async () => {
    using folder = tempFolder({});
    leave(folder.path, { pid: 1, host: 'elsewhere' });
    const found = await lock(folder.path);
    expect(found).toMatchObject({ ok: false, error: expect.stringContaining('process 1 on elsewhere') });
    const before = new Date(Date.now() - 60_000);
    utimesSync(join(folder.path, 'lock'), before, before);
    await using _own = await held(folder.path);
  });

  test('has one owner when many ask at once, also for a lock that was left', async () => {
    for (let round = 0; round < 50; round += 1) {
      using folder = tempFolder({});
      leave(folder.path, { pid: NOBODY, host: hostname() });
      const results = await Promise.all(Array.from({ length: 8 }, () => lock(folder.path)));
      const owners = results.filter((result) => result.ok);
      expect(owners, `round ${round}`).toHaveLength(1);
      expect(readdirSync(folder.path)).toEqual(['lock']);
      await owners[0]?.value.release();
    }
  });

  test('is taken over although a process was killed while it took it over', async () => {
    using folder = tempFolder({});
    const dead = { pid: NOBODY, host: hostname() };
    leave(folder.path, dead);
    const guard = join(folder.path, `lock.${hash('sha256', JSON.stringify(dead)).slice(0, 16)}`);
    mkdirSync(guard);
    expect(await lock(folder.path)).toMatchObject({ ok: false, error: expect.stringContaining('try again') });
    const before = new Date(Date.now() - 60_000);
    utimesSync(guard, before, before);
    await using _own = await held(folder.path);
    expect(readdirSync(folder.path)).toEqual(['lock']);
  });

  test('that does not exist is made, and goes again when nothing was kept there', async () => {
    using folder = tempFolder({});
    const data = join(folder.path, 'data');
    const own = await held(data);
    expect(existsSync(join(data, 'lock'))).toBe(true);
    await own.release();
    expect(existsSync(data)).toBe(false);
  });

  test('that cannot be written locks nobody out', async () => {
    using folder = tempFolder({ file: '' });
    for (let i = 0; i < 2; i += 1) expect((await lock(join(folder.path, 'file'))).ok).toBe(true);
  });
});

describe.for(['1', '2'])('gatehouse standalone --workers %s', (workers) => {
  test('refuses a data folder in use, and takes it over from one that was killed', async () => {
    using folder = tempFolder({});
    const data = join(folder.path, 'data');
    const args = ['standalone', '--data', data, '--workers', workers, '--port', '0', '--admin-port', '0'];
    await using first = startGatehouse(args);
    await addressOf(first);
    const second = await runGatehouse(args);
    expect(second.status).toBe(1);
    expect(second.err).toContain(`the data folder ${data} belongs to process ${first.pid}`);
    first.kill('SIGKILL');
    await first.ended;
    await using third = startGatehouse(args);
    await addressOf(third);
  });
});
