import { expect, test } from 'vitest';
import type { Call } from '../contract.ts';
import { betasOf } from './converse-target.ts';

test.for([
  { given: ['a', { toString: 0 }, ' b '], want: ['a', 'b'] },
  { given: 'a, b', want: ['a', 'b'] },
  { given: { toString: 0 }, want: undefined },
  { given: [], want: undefined },
])('flags of the body: $given are $want', ({ given, want }) => {
  const none = () => undefined;
  const call = { fields: { text: none }, header: none, params: { anthropic_beta: given } } as unknown as Call; // what is read of it
  expect(betasOf(call)).toEqual(want);
});
