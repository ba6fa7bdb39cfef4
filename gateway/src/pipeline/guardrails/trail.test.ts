import { describe, expect, test } from 'vitest';
import { REQUEST_UNITS } from '../../lib/regex.ts';
import { GuardrailTrail } from './trail.ts';

const PHASES = ['input', 'output'] as const;
const OWNERS = ['organisation', 'workspace', 'config'] as const;
const open = () => new GuardrailTrail(() => Promise.resolve());
const ALL = { isOnly: true };
const PART = { isOnly: false };

/** What the owners of hooks have in each phase. */
const leftIn = (trail: GuardrailTrail): Record<string, number> =>
  Object.fromEntries(
    PHASES.flatMap((phase) => {
      const run = trail.openWork(phase, ALL);
      const all = OWNERS.map((owner) => [`${phase} ${owner}`, run.of({ owner }).left] as const);
      run.close();
      return all;
    }),
  );

describe('the work of hooks', () => {
  test.for(PHASES.flatMap((phase) => OWNERS.map((owner) => ({ phase, owner }))))(
    'that $owner has on $phase is used up by nobody else, and in no other phase',
    ({ phase, owner }) => {
      const trail = open();
      const run = trail.openWork(phase, ALL);
      expect(run.of({ owner })).toBe(run.of({ owner }));
      run.of({ owner }).left = 0;
      run.close();
      const empty = Object.entries(leftIn(trail)).filter(([, left]) => left === 0);
      expect(empty).toEqual([[`${phase} ${owner}`, 0]]);
    },
  );

  test('of a request is no more than two budgets together', () => {
    expect(Object.values(leftIn(open())).reduce((sum, left) => sum + left)).toBe(2 * REQUEST_UNITS);
  });

  test('is half of what is left for each of several runs, so that the last has some', () => {
    const trail = open();
    const all = leftIn(trail)['input config'] ?? 0;
    const given = [1, 2, 3].map(() => {
      const run = trail.openWork('input', PART);
      const work = run.of({ owner: 'config' });
      const { left } = work;
      work.left = 0;
      run.close();
      return left;
    });
    expect(given).toEqual([all / 2, all / 4, all / 8]);
    expect(leftIn(trail)['input config']).toBe(all / 8);
  });

  test('that a run has not used is left to the next, and to the run itself no longer', () => {
    const trail = open();
    const before = leftIn(trail)['output config'] ?? 0;
    const run = trail.openWork('output', PART);
    const work = run.of({ owner: 'config' });
    work.left -= 10;
    run.close();
    expect([work.left, leftIn(trail)['output config']]).toEqual([0, before - 10]);
  });
});
