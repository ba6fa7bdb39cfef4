import { describe, expect, test } from 'vitest';
import { cacheCheck, createHealth } from './health.ts';

test('a report names every check, and is good only when all are', () => {
  const health = createHealth();
  expect(health.live()).toEqual({ ok: true, checks: [] });
  health.addReady('good', () => undefined);
  health.addReady('bad', () => 'not yet');
  health.addReady('broken', () => {
    throw new Error('boom');
  });
  health.addLive('loop', () => undefined);
  expect(health.live().ok).toBe(true);
  const { ok, checks } = health.ready();
  expect(ok).toBe(false);
  expect(checks.map(({ name, problem }) => [name, problem === undefined])).toEqual([
    ['good', true],
    ['bad', false],
    ['broken', false],
  ]);
});

describe('a cache is ready', () => {
  const part = { resource: 'pods', namespace: 'n', ageMs: undefined, failure: undefined };
  const failure = { status: 403, reason: 'Forbidden' };
  test.for([
    { rule: 'when everything has been complete once', parts: [{ ...part, synced: true }], want: [] },
    { rule: 'also through an outage later', parts: [{ ...part, synced: true, failure }], want: [] },
    { rule: 'not before, and says which part', parts: [{ ...part, synced: false }], want: ['pods', 'n'] },
    {
      rule: 'not without rights, and says so',
      parts: [{ ...part, synced: false, failure }],
      want: ['Forbidden', '403'],
    },
    {
      rule: 'not when several parts lack, and says how many',
      parts: [
        { ...part, synced: false },
        { ...part, synced: false },
        { ...part, synced: false },
      ],
      want: ['2 more'],
    },
  ])('$rule', ({ parts, want }) => {
    const problem = cacheCheck({ health: () => parts })();
    if (want.length === 0) expect(problem).toBeUndefined();
    for (const word of want) expect(problem).toContain(word);
  });
});
