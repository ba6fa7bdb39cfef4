import { describe, expect, test } from 'vitest';
import type { CountedLimits } from './ports.ts';
import { summarise, summariseSuspended } from './summarise.ts';
import { aFleet } from './testing.ts';

const NONE: CountedLimits = { ready: 0, shared: 0, refused: 0, alone: 0, reasons: [], stores: [] };
const acknowledged = (limits: Partial<CountedLimits>) => ({
  ...{ epoch: 0, version: 1, programmed: 0, lagging: [] },
  limits: { ...NONE, ...limits },
});

function conditionOf(
  spec: object,
  limits: Partial<CountedLimits> | undefined,
  status?: Readonly<Record<string, unknown>>,
) {
  const fleet = { ...aFleet(spec, { generation: 2 }), ...(status === undefined ? {} : { status }) };
  const { conditions = [] } = summarise(fleet, { passed: new Map() }, limits && acknowledged(limits));
  return conditions.find(({ type }) => type === 'LimitsShared');
}

describe('limits of a fleet', () => {
  test.for<{ rule: string; spec?: object; limits: Partial<CountedLimits>; want: string; says?: string }>([
    { rule: 'hold for pods of one Redis', limits: { ready: 3, shared: 3, stores: ['a'] }, want: 'True Shared' },
    { rule: 'hold for one pod', spec: { replicas: 1 }, limits: { ready: 1, alone: 1 }, want: 'True SinglePod' },
    {
      rule: 'hold for each of several pods without a Redis',
      limits: { ready: 3, alone: 3 },
      want: 'False PerPod',
      says: 'N pods admit up to N times a limit',
    },
    {
      rule: 'hold for each pod of a fleet that scales, also while it has one',
      spec: { autoscaling: { maxReplicas: 3 } },
      limits: { ready: 1, alone: 1 },
      want: 'False PerPod',
    },
    {
      rule: 'hold for pods that count alone while their Redis is away',
      limits: { ready: 3, shared: 1, stores: ['a'], reasons: ['disconnected'] },
      want: 'False StoreUnavailable',
      says: '2/3 pods cannot use the Redis of the fleet (disconnected): each of these counts limits and budgets by itself',
    },
    {
      rule: 'refuse requests while the Redis is away and the policy is closed',
      limits: { ready: 2, refused: 2, reasons: ['timeout'] },
      want: 'False StoreUnavailable',
      says: '2/2 pods cannot use the Redis of the fleet (timeout): these answer 503',
    },
    {
      rule: 'hold for the pods of each Redis while pods use different ones',
      limits: { ready: 3, shared: 3, stores: ['a', 'b'] },
      want: 'False StoresDiffer',
    },
    {
      rule: 'hold for each while only some pods have a Redis',
      limits: { ready: 3, shared: 2, alone: 1, stores: ['a'] },
      want: 'False StoresDiffer',
    },
    { rule: 'are not known before a pod has answered', limits: {}, want: 'Unknown Pending' },
  ])('$rule', ({ spec = {}, limits, want, says = '' }) => {
    const condition = conditionOf(spec, limits);
    expect(`${condition?.status} ${condition?.reason}`).toBe(want);
    expect(condition?.message).toContain(says);
    expect(condition?.observedGeneration).toBe(2);
  });

  test('stay as they were written while it is not known, and while the fleet is suspended', () => {
    const before = { type: 'LimitsShared', status: 'False', reason: 'PerPod', message: 'each', observedGeneration: 1 };
    const status = { conditions: [{ ...before, lastTransitionTime: '2026-01-01T00:00:00Z' }] };
    expect(conditionOf({}, undefined, status)).toEqual({ ...before, observedGeneration: 2 });
    const suspended = summariseSuspended({ ...aFleet({}, { generation: 2 }), status }, undefined);
    expect(suspended.conditions).toContainEqual({ ...before, observedGeneration: 2 });
  });
});
