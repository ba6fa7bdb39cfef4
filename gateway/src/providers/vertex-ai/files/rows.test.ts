import { expect, test } from 'vitest';
import type { Call } from '../../contract.ts';
import type { NamedModel } from './named-model.ts';
import { fromInstance } from './rows.ts';

const [call, model] = [{} as unknown as Call, {} as unknown as NamedModel]; // nothing is read of them

test.for([
  { given: { error: { status: 'NOT_FOUND', message: 'm' } }, want: { code: 'NOT_FOUND', message: 'm' } },
  { given: 'Bad: {"error":{"code":400,"message":"m"}}', want: { code: '400', message: 'm' } },
  { given: { code: { toString: 0 }, message: 7 }, want: { code: 'failed', message: 'The request failed' } },
])('an instance that has failed with $given has $want', ({ given, want }) => {
  const read = fromInstance({ requestId: 'a', status: given }, call, model);
  expect(read).toEqual({ ok: true, value: { customId: 'a', id: undefined, outcome: { error: want } } });
});
