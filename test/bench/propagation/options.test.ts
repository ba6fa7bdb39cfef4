import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { parseOptions } from './options.ts';

describe('options', () => {
  test('have the numbers of the goal by default', () => {
    const goal = { objects: 10_000, gateways: 20, edits: 200, keys: 100_000, write: false };
    expect(unwrap(parseOptions([]))).toMatchObject(goal);
  });

  test('are read', () => {
    const args = ['--objects=500', '--gateways', '2', '--edits', '0', '--keys=10', '--write', '--profile', '/p'];
    const want = { objects: 500, gateways: 2, edits: 0, keys: 10, write: true, profile: '/p' };
    expect(unwrap(parseOptions(args))).toEqual(want);
  });

  test.for(['--objects=99', '--gateways=0', '--edits=-1', '--keys=1e3', '--keys=', '--nope', 'x'])(
    'refuse %s',
    (arg) => {
      expect(parseOptions([arg]).ok).toBe(false);
    },
  );
});
