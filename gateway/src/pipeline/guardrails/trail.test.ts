import { describe, expect, test } from 'vitest';
import { REQUEST_UNITS } from '../../lib/regex.ts';
import { GuardrailTrail } from './trail.ts';

const PHASES = ['input', 'output'] as const;
const OWNERS = ['organisation', 'workspace', 'config'] as const;
const open = () => new GuardrailTrail(() => Promise.resolve());

describe('the work of hooks', () => {
  test.for(PHASES.flatMap((phase) => OWNERS.map((owner) => ({ phase, owner }))))(
    'that $owner has on $phase is used up by nobody else, and in no other phase',
    ({ phase, owner }) => {
      const trail = open();
      const used = trail.workOf({ owner }, phase);
      used.left = 0;
      expect(trail.workOf({ owner }, phase)).toBe(used);
      const others = PHASES.flatMap((other) => OWNERS.map((of) => trail.workOf({ owner: of }, other)));
      expect(others.filter(({ left }) => left === 0)).toEqual([used]);
    },
  );

  test('of a request is no more than two budgets together', () => {
    const trail = open();
    const all = PHASES.flatMap((phase) => OWNERS.map((owner) => trail.workOf({ owner }, phase).left));
    expect(all.reduce((sum, left) => sum + left)).toBe(2 * REQUEST_UNITS);
  });
});
