import { describe, expect, test } from 'vitest';
import { breakerState, classifyForBreaker, isOpen } from './breaker.ts';
import type { BreakerPlan, Leaf, PlanNode } from './plan.ts';

const plan = (over: Partial<BreakerPlan> = {}): BreakerPlan => ({
  failureThreshold: undefined,
  failurePercentage: undefined,
  minimumRequests: 5,
  cooldownMs: 30_000,
  failureStatusCodes: undefined,
  ...over,
});

describe('a breaker', () => {
  const counts = (failures: number, successes: number) => ({ failures, successes, firstFailureMs: 1_000 });

  test.for<{ rule: string; by: Partial<BreakerPlan>; known: [number, number]; now?: number; want: string }>([
    { rule: 'opens at its threshold', by: { failureThreshold: 3 }, known: [3, 99], want: 'open' },
    { rule: 'stays closed below it', by: { failureThreshold: 3 }, known: [2, 0], want: 'closed' },
    { rule: 'opens at its percentage', by: { failurePercentage: 50 }, known: [5, 5], want: 'open' },
    { rule: 'stays closed below it', by: { failurePercentage: 50 }, known: [4, 5], want: 'closed' },
    { rule: 'needs enough requests for a percentage', by: { failurePercentage: 50 }, known: [4, 0], want: 'closed' },
    {
      rule: 'counts from the minimum on',
      by: { failurePercentage: 50, minimumRequests: 4 },
      known: [4, 0],
      want: 'open',
    },
    {
      rule: 'needs one of both',
      by: { failureThreshold: 100, failurePercentage: 10 },
      known: [5, 5],
      want: 'open',
    },
    {
      rule: 'is open to the end of its cool-down',
      by: { failureThreshold: 1 },
      known: [1, 0],
      now: 31_000,
      want: 'open',
    },
    { rule: 'forgets after it', by: { failureThreshold: 1 }, known: [1, 0], now: 31_001, want: 'elapsed' },
  ])('$rule', ({ by, known, now = 1_000, want }) => {
    expect(breakerState(plan(by), counts(...known), now)).toBe(want);
  });

  test.for<{ codes?: number[]; status: number; want: string | undefined }>([
    { status: 200, want: 'success' },
    { status: 299, want: 'success' },
    { status: 302, want: undefined },
    { status: 429, want: undefined },
    { status: 500, want: 'failure' },
    { status: 529, want: 'failure' },
    { codes: [429], status: 429, want: 'failure' },
    { codes: [429], status: 500, want: undefined },
    { codes: [200], status: 200, want: 'success' },
  ])('with codes $codes takes $status for $want', ({ codes, status, want }) => {
    const failureStatusCodes = codes === undefined ? undefined : new Set(codes);
    expect(classifyForBreaker(plan({ failureStatusCodes }), status)).toBe(want);
  });

  test('of a branch is open when all below are', () => {
    const leaf = (path: string) => ({ kind: 'leaf', path }) as Leaf; // nothing else is looked at
    const branch = (path: string, ...children: PlanNode[]): PlanNode => ({
      kind: 'branch',
      mode: 'single',
      path,
      children,
    });
    const tree = branch('r', branch('a', leaf('a0'), leaf('a1')), leaf('b'));
    expect(isOpen(tree, new Set(['a0', 'a1']))).toBe(false);
    expect(isOpen(tree, new Set(['a0', 'b']))).toBe(false);
    expect(isOpen(tree, new Set(['a0', 'a1', 'b']))).toBe(true);
  });
});
