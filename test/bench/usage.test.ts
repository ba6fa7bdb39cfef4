import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseTreeCpuMs, parseUsage, treeCpuMs, usageOf } from './usage.ts';

let proc: string;
beforeEach(() => {
  proc = mkdtempSync(join(tmpdir(), 'gatehouse-proc-'));
});
afterEach(() => rmSync(proc, { recursive: true }));

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(proc, path)), { recursive: true });
  writeFileSync(join(proc, path), text);
};

/** The files of a process in /proc: 100 MB, and 1 s of CPU time. */
function addProcess(pid: number, children: readonly number[]): void {
  write(`${pid}/status`, 'VmRSS:\t  102400 kB\n');
  write(`${pid}/stat`, `${pid} (x) S 1 2 3 4 5 6 7 8 9 10 60 40 0 0 20 0 1`);
  write(`${pid}/task/${pid}/children`, children.map((child) => `${child} `).join(''));
}

test('counts a process and the children of all its threads', async () => {
  addProcess(1, [2]);
  write('1/task/11/children', '3 ');
  addProcess(2, []);
  addProcess(3, []);
  expect(await usageOf(1, proc)).toEqual({ rssMb: 300, cpuMs: 3_000 });
  expect(await treeCpuMs(1, proc)).toBe(3_000);
});

test('leaves out a child and a thread that ended after they were listed', async () => {
  addProcess(1, [2, 3]);
  addProcess(2, []);
  mkdirSync(join(proc, '1/task/12')); // a thread that has ended has no children file any more
  expect(await usageOf(1, proc)).toEqual({ rssMb: 200, cpuMs: 2_000 });
  expect(await treeCpuMs(1, proc)).toBe(2_000);
});

test('refuses to measure a process that has ended', async () => {
  await expect(usageOf(1, proc)).rejects.toMatchObject({ code: 'ENOENT' });
});

test('reads memory and CPU time of a process whose name has spaces and parentheses', () => {
  const status = 'Name:\tx\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n';
  const stat = '42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 1';
  expect(parseUsage(status, stat)).toEqual({ rssMb: 100, cpuMs: 2_000 });
});

test('adds the CPU time of the ended children of a process to its own', () => {
  expect(parseTreeCpuMs('42 (x) S 1 2 3 4 5 6 7 8 9 10 150 50 7 3 20 0 1')).toBe(2_100);
});
