import { expect, test } from 'vitest';
import type { Call } from '../../contract.ts';
import { fromRecord } from './rows.ts';

const call = {} as unknown as Call; // nothing is read of it

test.for([
  { given: { errorCode: 400, errorMessage: 'm' }, want: { code: '400', message: 'm' } },
  { given: { code: 'throttled', message: 'm' }, want: { code: 'throttled', message: 'm' } },
  { given: { errorCode: { toString: 0 }, errorMessage: {} }, want: { code: 'failed', message: 'The request failed' } },
  { given: 'm', want: { code: 'failed', message: 'm' } },
])('a record that has failed with $given has $want', ({ given, want }) => {
  const read = fromRecord({ recordId: 'a', error: given }, call, 'model');
  expect(read).toEqual({ ok: true, value: { customId: 'a', outcome: { error: want } } });
});
