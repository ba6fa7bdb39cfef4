import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { parseAnswer } from '../acknowledge/answer.ts';
import type { Acknowledgement } from '../index.ts';
import { countedLimits, countersOf } from './counted-limits.ts';
import { stage, target, translated } from './testing.ts';

const row = (limits?: object, { ready = true, reachable = true } = {}): Acknowledgement => ({
  pod: { name: 'pod', uid: 'u', ip: '127.0.0.1', ready },
  answer: parseAnswer(JSON.stringify({ version: 1, limits })),
  atMs: 0,
  reachable,
});

describe('the answers of pods', () => {
  test('are counted by where they count limits, for ready pods that answer', () => {
    const table = [
      row({ counted: 'shared', sinceMs: 1, store: 'a' }),
      row({ counted: 'shared', store: 'a' }),
      row({ counted: 'local', reason: 'disconnected', store: 'b' }),
      row({ counted: 'refused', reason: 'disconnected' }),
      row(),
      row(undefined, { ready: false }),
      row(undefined, { reachable: false }),
    ];
    expect(countedLimits(table)).toEqual({
      ...{ ready: 5, shared: 2, refused: 1, alone: 1 },
      ...{ reasons: ['disconnected'], stores: ['a', 'b'] },
    });
  });

  test('are not accepted with texts of any length', () => {
    expect(parseAnswer(JSON.stringify({ limits: { counted: 'shared', store: 'x'.repeat(129) } }))).toBeUndefined();
  });

  test.for([
    { rule: 'its Redis', table: [row({ counted: 'shared', store: 'a' })], want: 'a' },
    { rule: 'its Redis, also while that is away', table: [row({ counted: 'local', store: 'a' })], want: 'a' },
    { rule: 'its pods', table: [row(), row()], want: 'pods of f/one' },
    { rule: 'what is not known before an answer', table: [], want: undefined },
    {
      rule: 'what is not known while its pods differ',
      table: [row(), row({ counted: 'shared', store: 'a' })],
      want: undefined,
    },
  ])('say that the fleet counts in $rule', ({ table, want }) => {
    expect(countersOf('f/one', countedLimits(table))).toBe(want);
  });
});

describe('a workspace', () => {
  const other = target({ key: 'fleets/other', identity: { namespace: 'fleets', name: 'other', uid: 'u2' } });
  const shared = (store: string) => ({ version: 1, limits: { counted: 'shared', store } });

  test('is told which of its fleets count apart, and when they no longer do', async () => {
    await using given = stage();
    const { fleets, answer, counted } = given;
    fleets.publish([target(), other], translated(0));
    await waitFor(() => given.version('other') === 1);
    answer(shared('a'));
    expect(fleets.countedApart('team')).toBeUndefined();
    answer(shared('b'), 'other');
    expect(fleets.countedApart('team')).toEqual({
      reason: 'StoresDiffer',
      message: expect.stringContaining('The fleets fleets/main, fleets/other serve the workspace'),
    });
    expect(counted).toEqual(['team', 'team']);
    answer({ version: 1 }, 'other');
    expect(fleets.countedApart('team')?.reason).toBe('StoresDiffer');
    answer(shared('a'), 'other');
    expect(fleets.countedApart('team')).toBeUndefined();
  });

  test('is not concerned by a fleet that does not serve it', async () => {
    await using given = stage();
    given.fleets.publish([target(), { ...other, served: new Set(['elsewhere']) }], translated(0));
    await waitFor(() => given.version('other') === 1);
    given.answer(shared('a'));
    given.answer(shared('b'), 'other');
    expect(given.fleets.countedApart('team')).toBeUndefined();
    expect(given.counted).toEqual(['team', 'another']);
  });
});
