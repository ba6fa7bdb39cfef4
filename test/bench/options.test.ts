import { unwrap } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { parseOptions } from './options.ts';
import { ROW_NAMES } from './rows/index.ts';

test('measures everything when no option is given', () => {
  expect(unwrap(parseOptions([]))).toMatchObject({ only: ROW_NAMES, write: false, profile: false, cpu: false });
});

test('all options are read', () => {
  const args = [
    '--only',
    'idle,keys',
    '--seconds',
    '2',
    '--rounds=3',
    '--without',
    'litellm',
    '--against',
    'v1',
    '--write',
    '--profile',
    '--ladder',
    '--cpu',
  ];
  expect(unwrap(parseOptions(args))).toEqual({
    only: ['idle', 'keys'],
    seconds: 2,
    rounds: 3,
    without: new Set(['litellm']),
    against: 'v1',
    write: true,
    profile: true,
    ladder: true,
    cpu: true,
  });
});

test.for([['--only', 'nothing'], ['--seconds', '0'], ['--rounds', '1.5'], ['--seconds', 'x'], ['--unknown'], ['word']])(
  '%s is refused',
  (args) => {
    expect(parseOptions(args).ok).toBe(false);
  },
);
