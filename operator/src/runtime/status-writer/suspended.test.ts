import { POSITIVE_CONDITIONS } from '@gatehouse/crds/conditions';
import { describe, expect, test } from 'vitest';
import { suspendedStatus } from './suspended.ts';

interface Row {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

const LAST = { message: 'what the last run said', observedGeneration: 2, lastTransitionTime: '2026-01-01T00:00:00Z' };
const passed = POSITIVE_CONDITIONS.map((type): Row => ({ type, status: 'True', reason: type }));
const SUCCEEDED: Row = { type: 'Ready', status: 'True', reason: 'Succeeded' };

const suspended = (rows: readonly Row[]) =>
  suspendedStatus(
    {
      ...{ apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'w', generation: 3 } },
      ...{ spec: { suspend: true }, status: { conditions: rows.map((row) => ({ ...row, ...LAST })) } },
    },
    'The widget is suspended',
  );

describe('the status of a suspended object', () => {
  test.for([
    { rule: 'is as ready as it was', rows: [...passed, SUCCEEDED], want: [...passed, SUCCEEDED] },
    {
      rule: 'waits for nothing',
      rows: [
        ...passed,
        { type: 'Ready', status: 'Unknown', reason: 'Pending' },
        { type: 'Reconciling', status: 'True', reason: 'Pending' },
      ],
      want: [...passed, { type: 'Ready', status: 'Unknown', reason: 'Pending' }],
    },
    {
      rule: 'still needs a person who mends it',
      rows: [
        ...passed,
        { type: 'Ready', status: 'False', reason: 'Invalid' },
        { type: 'Stalled', status: 'True', reason: 'Invalid' },
      ],
      want: [
        ...passed,
        { type: 'Ready', status: 'False', reason: 'Invalid' },
        { type: 'Stalled', status: 'True', reason: 'Invalid' },
      ],
    },
    {
      rule: 'is Unknown before the first run',
      rows: [],
      want: [...POSITIVE_CONDITIONS, 'Ready'].map((type) => ({ type, status: 'Unknown', reason: 'Pending' })),
    },
    {
      rule: 'leaves the conditions of others to them',
      rows: [...passed, SUCCEEDED, { type: 'Theirs', status: 'True', reason: 'Theirs' }],
      want: [...passed, SUCCEEDED],
    },
  ])('$rule', ({ rows, want }) => {
    const { conditions, observedGeneration } = suspended(rows);
    expect(conditions.map(({ type, status, reason }) => ({ type, status, reason }))).toEqual(want);
    expect(observedGeneration).toBe(3);
    for (const condition of conditions) expect(condition).not.toHaveProperty('lastTransitionTime');
  });

  test('says so in Ready, and keeps the other conditions with their generations', () => {
    const { conditions } = suspended([...passed, SUCCEEDED]);
    expect(conditions.map(({ observedGeneration }) => observedGeneration)).toEqual([2, 2, 2, 3]);
    expect(conditions.at(-1)?.message).toContain('suspended');
  });
});
