import { REASONS } from '@gatehouse/crds/conditions';
import { describe, expect, test } from 'vitest';
import { PROGRAMMED, type ProgrammedState } from '../publish/fleets/index.ts';
import type { Judgement, Verdict } from '../translate/index.ts';
import { createStatusComputer, toStatus } from './object-status.ts';

const GOOD = {
  Accepted: { status: 'True', reason: 'Accepted', message: 'a' },
  ResolvedRefs: { status: 'True', reason: 'ResolvedRefs', message: 'r' },
} as const satisfies Verdict['conditions'];

const bad = (reason: Judgement['reason'], status: Judgement['status'] = 'False'): Judgement => ({
  status,
  reason,
  message: 'm',
});

const verdict = (over: Partial<Verdict> = {}): Verdict => ({
  kind: 'VirtualKey',
  namespace: 'team',
  name: 'x',
  key: 'VirtualKey/team/x',
  workspace: 'team',
  generation: 3,
  conditions: GOOD,
  issues: [],
  serves: 'current',
  ...over,
});

const PENDING: ProgrammedState = { status: 'Unknown', reason: 'Pending', message: 'p' };
const NO_FLEET: ProgrammedState = { status: 'False', reason: 'NoFleet', message: 'n' };

describe('a status', () => {
  test.for<{
    rule: string;
    given: Verdict;
    programmed: ProgrammedState;
    want: readonly string[];
    observed: number | undefined;
    expired?: boolean;
  }>([
    {
      rule: 'of what all pods serve is ready',
      given: verdict(),
      programmed: PROGRAMMED,
      want: ['Accepted=True', 'ResolvedRefs=True', 'Programmed=True', 'Ready=True/Succeeded'],
      observed: 3,
    },
    {
      rule: 'of what pods have not taken yet is in progress, and the generation stays behind',
      given: verdict(),
      programmed: PENDING,
      want: [
        'Accepted=True',
        'ResolvedRefs=True',
        'Programmed=Unknown',
        'Ready=Unknown/Pending',
        'Reconciling=True/Pending',
      ],
      observed: 2,
    },
    {
      rule: 'without a fleet is settled and not ready',
      given: verdict(),
      programmed: NO_FLEET,
      want: ['Accepted=True', 'ResolvedRefs=True', 'Programmed=False', 'Ready=False/NoFleet'],
      observed: 3,
    },
    {
      rule: 'of a refused object is stalled',
      given: verdict({
        serves: 'last good',
        conditions: { Accepted: bad('Invalid'), ResolvedRefs: bad('Pending', 'Unknown') },
      }),
      programmed: PROGRAMMED,
      want: [
        'Accepted=False',
        'ResolvedRefs=Unknown',
        'Programmed=Unknown',
        'Ready=False/Invalid',
        'Stalled=True/Invalid',
      ],
      observed: 3,
    },
    {
      rule: 'of an object that lost a reference is stalled',
      given: verdict({ serves: 'last good', conditions: { ...GOOD, ResolvedRefs: bad('RefNotFound') } }),
      programmed: PROGRAMMED,
      want: [
        'Accepted=True',
        'ResolvedRefs=False',
        'Programmed=Unknown',
        'Ready=False/RefNotFound',
        'Stalled=True/RefNotFound',
      ],
      observed: 3,
    },
    {
      rule: 'of what is served although a reference leads nowhere says both',
      given: verdict({ conditions: { ...GOOD, ResolvedRefs: bad('RefNotFound') } }),
      programmed: PROGRAMMED,
      want: [
        'Accepted=True',
        'ResolvedRefs=False',
        'Programmed=True',
        'Ready=False/RefNotFound',
        'Stalled=True/RefNotFound',
      ],
      observed: 3,
    },
    {
      rule: 'of what has expired says so, and is not ready',
      given: verdict(),
      programmed: PROGRAMMED,
      expired: true,
      want: [
        'Accepted=True',
        'ResolvedRefs=True',
        'Programmed=True',
        'Ready=False/Expired',
        'Stalled=True/Expired',
        'Expired=True/Expired',
      ],
      observed: 3,
    },
    {
      rule: 'of a key that is being minted is in progress',
      given: verdict({ serves: 'nothing', conditions: { ...GOOD, ResolvedRefs: bad('Pending', 'Unknown') } }),
      programmed: PROGRAMMED,
      want: [
        'Accepted=True',
        'ResolvedRefs=Unknown',
        'Programmed=Unknown',
        'Ready=Unknown/Pending',
        'Reconciling=True/Pending',
      ],
      observed: 2,
    },
  ])('$rule', ({ given, programmed, want, observed, expired = false }) => {
    const { conditions = [], observedGeneration } = toStatus({ verdict: given, programmed, observed: 2, expired });
    const lines = conditions.map(({ type, status, reason }) =>
      ['Accepted', 'ResolvedRefs', 'Programmed'].includes(type) ? `${type}=${status}` : `${type}=${status}/${reason}`,
    );
    expect(lines).toEqual(want);
    expect(observedGeneration).toBe(observed);
    for (const { type, reason, observedGeneration: generation } of conditions) {
      expect(REASONS[reason].on).toContain(type);
      expect(generation).toBe(3);
    }
  });
});

test('equal statuses in a row are one, and different ones are not', () => {
  const compute = createStatusComputer();
  const input = { verdict: verdict(), programmed: PROGRAMMED, observed: undefined, expired: false };
  const first = compute(input);
  expect(compute({ ...input, verdict: verdict({ name: 'y', key: 'VirtualKey/team/y' }) })).toBe(first);
  for (const other of [
    { ...input, verdict: verdict({ generation: 4 }) },
    { ...input, verdict: verdict({ serves: 'last good' }) },
    { ...input, verdict: verdict({ conditions: { ...GOOD, Accepted: bad('Invalid') } }) },
    { ...input, programmed: NO_FLEET },
    { ...input, verdict: verdict({ serves: 'nothing' }), observed: 2 },
    { ...input, expired: true },
    { ...input, countedApart: { reason: 'StoresDiffer' as const, message: 'two' } },
  ]) {
    expect(compute(other)).toEqual(toStatus(other));
    expect(compute(input)).toEqual(first);
  }
});

test('fleets that count apart are told, which does not change whether it is ready', () => {
  const countedApart = { reason: 'StoresDiffer', message: 'two fleets' } as const;
  const { conditions = [] } = toStatus({
    ...{ verdict: verdict({ kind: 'Workspace' }), programmed: PROGRAMMED, observed: 3, expired: false },
    countedApart,
  });
  expect(conditions).toContainEqual({ type: 'LimitsShared', status: 'False', ...countedApart, observedGeneration: 3 });
  expect(conditions.find(({ type }) => type === 'Ready')?.status).toBe('True');
});
