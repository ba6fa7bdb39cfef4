import { describe, expect, test } from 'vitest';
import type { Demand } from '../../limits/index.ts';
import { compileLimits, type KeyRecord, NO_LIMITS, type OwnerLimits } from '../../snapshot/index.ts';
import { type Owners, planOf } from './plan.ts';

const limitsOf = (subject: string): OwnerLimits =>
  compileLimits(
    { subject, workspace: 'team' },
    {
      rateLimits: [
        { type: 'requests', unit: 'rpm', value: 10 },
        { type: 'tokens', unit: 'rpm', value: 100 },
      ],
      usageLimits: [{ name: 'all', type: 'requests', limit: 5 }],
    },
  );

function owners(over: Partial<Owners> = {}): Owners {
  const key: KeyRecord = {
    ...{ id: 'key/team/a', name: 'a', workspace: 'team', scopes: new Set<string>(), user: undefined },
    ...{ defaults: { allowConfigOverride: true }, limits: limitsOf('key/team/a'), expiresAtMs: Infinity },
  };
  return { access: NO_LIMITS, account: limitsOf('provider/team/p'), key, workspace: NO_LIMITS, ...over };
}

const names = (demands: readonly Demand[]): string[] =>
  demands.map(({ subject, unit, cost }) => `${subject} ${cost} ${unit}`);
const POLICY: Demand = { subject: 'policy/x|a', slot: 'team', unit: 'requests', window: 'rpm', limit: 1, cost: 1 };

describe('the demands of a target', () => {
  test('are tokens of the caller, rates of the account and then policies', () => {
    const { demands, budgets } = planOf(owners(), false);
    expect(names(demands(7, [POLICY]))).toEqual([
      'key/team/a 7 tokens',
      'provider/team/p 1 requests',
      'provider/team/p 7 tokens',
      'policy/x|a 1 requests',
    ]);
    expect(budgets.map(({ id }) => id)).toEqual(['provider/team/p|requests|all', 'key/team/a|requests|all']);
  });

  test('are only those of the account when a client polls', () => {
    const { demands, budgets } = planOf(owners(), true);
    expect(names(demands(1, []))).toEqual(['provider/team/p 1 requests', 'provider/team/p 1 tokens']);
    expect(budgets).toEqual([]);
  });

  test('are one list for equal calls, which limiters prepare once', () => {
    const given = owners();
    const list = planOf(given, false).demands(7, [POLICY]);
    expect(planOf({ ...given }, false).demands(7, [POLICY])).toBe(list);
    expect(planOf(given, false).demands(8, [POLICY])).not.toBe(list);
    expect(names(planOf({ ...given, account: NO_LIMITS }, false).demands(7, []))).toEqual(['key/team/a 7 tokens']);
    expect(names(planOf(given, false).demands(7, []))).toHaveLength(3);
  });

  test('keep to the targets that a key uses, of which a few are remembered', () => {
    const given = owners();
    const first = planOf(given, false);
    for (let i = 0; i < 8; i += 1) planOf({ ...given, account: limitsOf(`provider/team/${i}`) }, false);
    expect(planOf(given, false)).not.toBe(first);
  });
});
