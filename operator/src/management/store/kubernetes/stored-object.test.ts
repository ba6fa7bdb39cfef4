import { expect, test } from 'vitest';
import { toStored } from './stored-object.ts';

const [CREATED, WRITTEN] = ['2027-01-01T00:00:00Z', '2027-01-02T00:00:00Z'];
const FIELDS = { 'f:spec': {} };

test.for<{ rule: string; metadata: object; want: string }>([
  { rule: 'in a list or a watch', metadata: { specWrites: [{ manager: 'm', time: WRITTEN }] }, want: WRITTEN },
  {
    rule: 'in the answer to a write',
    metadata: { managedFields: [{ manager: 'm', operation: 'Apply', fieldsV1: FIELDS, time: WRITTEN }] },
    want: WRITTEN,
  },
  { rule: 'that nobody has written since', metadata: {}, want: CREATED },
])('an object $rule has the time of the last write', ({ metadata, want }) => {
  const read = {
    ...{ apiVersion: 'gatehouse.dev/v1alpha1', kind: 'Workspace', spec: { namespace: 'team-a' } },
    metadata: { name: 'team-a', uid: 'u', creationTimestamp: CREATED, ...metadata },
  };
  expect(toStored('Workspace', read)?.meta.updatedAt).toBe(want);
});
