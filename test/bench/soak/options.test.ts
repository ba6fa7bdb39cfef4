import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { parseOptions } from './options.ts';

test('an hour with 50 changes and 3 rollouts when no option is given', () => {
  expect(unwrap(parseOptions([]))).toEqual({ minutes: 60, changes: 50, rollouts: 3 });
});

test('all options are read', () => {
  const args = ['--minutes', '5', '--changes=0', '--rollouts', '1'];
  expect(unwrap(parseOptions(args))).toEqual({ minutes: 5, changes: 0, rollouts: 1 });
});

test.for([
  ['--minutes', '0'],
  ['--minutes', 'x'],
  ['--changes', '1.5'],
  ['--rollouts', '1001'],
  ['--unknown'],
  ['word'],
])('%s is refused', (args) => {
  expect(parseOptions(args).ok).toBe(false);
});
