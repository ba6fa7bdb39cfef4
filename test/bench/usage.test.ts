import { expect, test } from 'vitest';
import { parseUsage } from './usage.ts';

test('memory and CPU time are read, also when the name of the process holds spaces and parentheses', () => {
  const status = 'Name:\tx\nVmHWM:\t  204800 kB\nVmRSS:\t  102400 kB\n';
  const stat = '42 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 150 50 0 0 20 0 1';
  expect(parseUsage(status, stat)).toEqual({ rssMb: 100, cpuMs: 2_000 });
});
