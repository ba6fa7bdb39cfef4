import { availableParallelism } from 'node:os';
import { describe, expect, test } from 'vitest';
import { workersOf } from './standalone.ts';

describe('the number of workers', () => {
  test.for([
    { text: '1', want: 1 },
    { text: '64', want: 64 },
    { text: 'auto', want: Math.min(64, availableParallelism()) },
  ])('is $want for $text', ({ text, want }) => {
    expect(workersOf(text)).toBe(want);
  });

  test.for(['', '0', '65', '-1', '2.5', '1e1', '0x2', ' 2', 'all'])(
    'is refused as "%s", with the name of the option',
    (text) => {
      expect(() => workersOf(text)).toThrow('--workers takes a number from 1 to 64 or auto');
    },
  );
});
