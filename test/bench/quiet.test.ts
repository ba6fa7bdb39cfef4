import { expect, test } from 'vitest';
import { parseBusyMs } from './quiet.ts';

test('the busy time of the machine is what it neither idled nor waited for disks', () => {
  const stat = 'cpu  100 10 50 9999 888 1 2 3 4 5\ncpu0 1 1 1 1\n';
  expect(parseBusyMs(stat)).toBe(1_660);
});
