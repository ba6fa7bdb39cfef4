import { expect, test } from 'vitest';
import type { CustomObject } from '../../../world/index.ts';
import { outsideWrites } from './outside-writes.ts';

interface Given {
  readonly uid?: string;
  readonly generation?: number;
  readonly value?: number;
  readonly managers?: readonly (readonly [manager: string, second: number])[];
  readonly isEnding?: boolean;
}

const objectOf = ({ uid = 'u', generation = 1, value = 1, managers = [], isEnding = false }: Given): CustomObject => ({
  apiVersion: 'gatehouse.dev/v1alpha1',
  kind: 'RateLimitPolicy',
  metadata: {
    ...{ name: 'slow', namespace: 'team-a', uid, generation },
    ...(isEnding ? { deletionTimestamp: '2027-01-01T00:01:00Z' } : {}),
    specWrites: managers.map(([manager, second]) => ({ manager, time: `2027-01-01T00:00:0${second}Z` })),
  },
  spec: { value },
});

const KUBECTL = ['kubectl-edit', 1] as const;
const REST = ['gatehouse-management', 1] as const;

test.for<{ rule: string; before?: Given; after?: Given; want: readonly object[] }>([
  {
    rule: 'a new object',
    after: { managers: [KUBECTL] },
    want: [{ action: 'create', manager: 'kubectl-edit', generation: 1, before: undefined, after: { value: 1 } }],
  },
  { rule: 'a new object of a call', after: { managers: [REST] }, want: [{ action: 'create', mayBeCall: true }] },
  {
    rule: 'a change',
    before: { managers: [KUBECTL] },
    after: { generation: 2, value: 2, managers: [['kubectl-edit', 3]] },
    want: [{ action: 'update', time: '2027-01-01T00:00:03Z', before: { value: 1 }, after: { value: 2 } }],
  },
  {
    rule: 'a change in the second of a call',
    before: { managers: [REST] },
    after: { generation: 2, managers: [KUBECTL, REST] },
    want: [{ action: 'update', manager: 'kubectl-edit', mayBeCall: false }],
  },
  {
    rule: 'a change of a call in the second of kubectl',
    before: { managers: [KUBECTL] },
    after: { generation: 2, managers: [KUBECTL, REST] },
    want: [{ action: 'update', mayBeCall: true }],
  },
  { rule: 'a status', before: { managers: [KUBECTL] }, after: { managers: [KUBECTL] }, want: [] },
  {
    rule: 'an object that begins to be deleted',
    before: { managers: [REST] },
    after: { managers: [REST], isEnding: true },
    want: [
      { action: 'delete', mayBeCall: true, manager: undefined, time: '2027-01-01T00:01:00Z', before: { value: 1 } },
    ],
  },
  { rule: 'an object whose deletion ends', before: { isEnding: true }, want: [] },
  { rule: 'an object that is gone', before: {}, want: [{ action: 'delete', time: undefined }] },
  {
    rule: 'another object of the same name',
    before: { uid: 'a' },
    after: { uid: 'b', managers: [KUBECTL] },
    want: [
      { action: 'delete', uid: 'a' },
      { action: 'create', uid: 'b' },
    ],
  },
])('$rule', ({ before, after, want }) => {
  const [previous, object] = [before, after].map((given) => given && objectOf(given));
  expect(outsideWrites('RateLimitPolicy', previous, object)).toMatchObject(want);
});
