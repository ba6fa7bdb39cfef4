import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { waitFor } from '../kit/wait-for.ts';
import { identityOf, isAlive } from './identity.ts';
import { createStateFolder, reclaim, recordedProcesses, recordProcess } from './state-folder.ts';

const dead = { pid: process.pid, startedAt: 'another time' }; // the number is in use again
const children: ChildProcess[] = [];

function idle(): number {
  const child = spawn('sleep', ['600'], { stdio: 'ignore' });
  children.push(child);
  return child.pid ?? 0;
}

describe('a state folder', () => {
  let temporary: string;
  beforeEach(async () => {
    temporary = await mkdtemp(join(tmpdir(), 'gatehouse-state-'));
    vi.stubEnv('TMPDIR', temporary);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    for (const child of children.splice(0)) child.kill('SIGKILL');
    await rm(temporary, { recursive: true });
  });

  test('goes with all that was started for it', async () => {
    const folder = await createStateFolder();
    const pid = idle();
    recordProcess(folder.path, pid);
    const [recorded] = recordedProcesses(folder.path);
    expect(recorded).toEqual(identityOf(pid));
    await reclaim(folder);
    expect(existsSync(folder.path)).toBe(false);
    await waitFor(() => recorded !== undefined && !isAlive(recorded));
  });

  test('of an owner that has ended is removed by the next start, and no other is', async () => {
    const kept = await createStateFolder();
    const abandoned = join(temporary, 'gatehouse-cluster-00000000');
    await mkdir(abandoned);
    await writeFile(join(abandoned, 'owner.json'), JSON.stringify(dead));
    const [left, other] = [idle(), idle()];
    recordProcess(abandoned, left);
    await appendFile(join(abandoned, 'processes.jsonl'), `${JSON.stringify({ pid: other, startedAt: 'before' })}\n`);

    await createStateFolder();
    expect(existsSync(abandoned)).toBe(false);
    expect(existsSync(kept.path)).toBe(true);
    await waitFor(() => identityOf(left) === undefined);
    expect(identityOf(other)).toBeDefined(); // its number was that of a process long gone
  });
});

test('a process that has ended has no identity', async () => {
  const child = spawn('true', { stdio: 'ignore' });
  const pid = child.pid ?? 0;
  await once(child, 'exit');
  expect(identityOf(pid)).toBeUndefined();
  expect(identityOf(process.pid)).toEqual(identityOf(process.pid));
});
