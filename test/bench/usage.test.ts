import { expect, test } from 'vitest';
import { parseTreeCpuMs, parseUsage } from './usage.ts';

test('memory and CPU time are read, also when the name of the process holds spaces and parentheses', () => {
  const status = 'Name:\tx\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n';
  const stat = '42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 1';
  expect(parseUsage(status, stat)).toEqual({ rssMb: 100, cpuMs: 2_000 });
});

test('the CPU time of a process includes that of the children it has waited for', () => {
  expect(parseTreeCpuMs('42 (x) S 1 2 3 4 5 6 7 8 9 10 150 50 7 3 20 0 1')).toBe(2_100);
});
