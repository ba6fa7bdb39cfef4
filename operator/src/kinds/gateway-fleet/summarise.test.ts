import { POSITIVE_CONDITIONS, type PositiveType } from '@gatehouse/crds/conditions';
import { describe, expect, test } from 'vitest';
import { type Halt, stall, wait } from '../../runtime/index.ts';
import type { RunProgress } from '../../status/index.ts';
import { countsOf, summarise } from './summarise.ts';
import { aFleet } from './testing.ts';

const fleet = aFleet({}, { generation: 3 });

const passedUpTo = (end: number): RunProgress['passed'] =>
  new Map(POSITIVE_CONDITIONS.slice(0, end).map((type) => [type, { reason: type, message: 'Good' }]));

const haltAt = (proves: PositiveType, halt: Halt): RunProgress => ({
  passed: passedUpTo(POSITIVE_CONDITIONS.indexOf(proves)),
  halt: { ...halt, proves },
});

const statuses = (trail: RunProgress): Record<string, string> => {
  const { conditions = [] } = summarise(fleet, trail);
  const ours = conditions.filter(({ type }) => type !== 'LimitsShared');
  return Object.fromEntries(ours.map(({ type, status, reason }) => [type, `${status} ${reason}`]));
};

describe('the status of a fleet', () => {
  test.for([
    {
      rule: 'is ready when all steps have passed',
      trail: { passed: passedUpTo(3) },
      want: {
        Accepted: 'True Accepted',
        ResolvedRefs: 'True ResolvedRefs',
        Programmed: 'True Programmed',
        Ready: 'True Succeeded',
      },
    },
    {
      rule: 'stalls where a person is needed',
      trail: haltAt('ResolvedRefs', stall('RefNotFound', 'No Secret')),
      want: {
        Accepted: 'True Accepted',
        ResolvedRefs: 'False RefNotFound',
        Programmed: 'Unknown Pending',
        Ready: 'False RefNotFound',
        Stalled: 'True RefNotFound',
      },
    },
    {
      rule: 'is on its way while pods start',
      trail: haltAt('Programmed', wait('NoReadyPods', 'None', { afterMs: 1 })),
      want: {
        Accepted: 'True Accepted',
        ResolvedRefs: 'True ResolvedRefs',
        Programmed: 'Unknown NoReadyPods',
        Ready: 'Unknown NoReadyPods',
        Reconciling: 'True NoReadyPods',
      },
    },
    {
      rule: 'says that pods refuse a Snapshot',
      trail: haltAt('Programmed', wait('Rejected', 'Two refused it', { afterMs: 1 })),
      want: {
        Accepted: 'True Accepted',
        ResolvedRefs: 'True ResolvedRefs',
        Programmed: 'False Rejected',
        Ready: 'False Rejected',
        Reconciling: 'True Pending',
      },
    },
  ])('$rule', ({ trail, want }) => {
    expect(statuses(trail)).toEqual(want);
  });

  test.for([
    { rule: 'moves when a generation is done', trail: { passed: passedUpTo(3) }, observed: 3 },
    { rule: 'moves when it stalls', trail: haltAt('Accepted', stall('Invalid', 'x')), observed: 3 },
    { rule: 'waits with what waits', trail: haltAt('Programmed', wait('Pending', 'x', { afterMs: 1 })), observed: 2 },
  ])('has an observed generation that $rule', ({ trail, observed }) => {
    const before = { ...fleet, status: { observedGeneration: 2 } };
    expect(summarise(before, trail).observedGeneration).toBe(observed);
  });

  test('counts pods and names at most 32 that lag, in order', () => {
    const deployment = {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'default-gateway' } },
      status: { replicas: 40, readyReplicas: 39 },
    };
    const lagging = Array.from({ length: 40 }, (_, i) => ({ name: `p-${99 - i}`, reason: 'Pending' as const }));
    const counts = countsOf(fleet, deployment, { epoch: 2, version: 7, programmed: 0, lagging });
    expect(counts).toMatchObject({
      replicas: 40,
      readyReplicas: 39,
      programmedReplicas: 0,
      live: '0/40',
      snapshotEpoch: 2,
      snapshotVersion: 7,
    });
    expect(counts).toMatchObject({ address: 'http://default-gateway.gatehouse-gateways.svc:8787' });
    expect(counts).toHaveProperty('lagging.length', 32);
    expect(counts).toHaveProperty('lagging[0].name', 'p-60');
  });

  test('keeps the versions of the last status while the pods are unknown', () => {
    const lagging = [{ name: 'p', reason: 'Pending' as const }];
    const reported = { programmedReplicas: 2, snapshotEpoch: 2, snapshotVersion: 7, lagging };
    const deployment = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, status: { replicas: 3 } };
    expect(countsOf({ ...fleet, status: reported }, deployment, undefined)).toMatchObject({ ...reported, live: '2/3' });
    expect(countsOf(fleet, deployment, undefined)).toMatchObject({ programmedReplicas: 0, live: '0/3' });
  });
});
