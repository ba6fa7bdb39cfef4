import { expect, test } from 'vitest';
import type { Call } from '../contract.ts';
import { anthropicBeta } from './auth.ts';

test.for([
  { given: ['a', { toString: 0 }, 'b'], want: 'a,b' },
  { given: 'a,b', want: 'a,b' },
  { given: [{ toString: 0 }], want: undefined },
])('flags of the body: $given are $want', ({ given, want }) => {
  const none = () => undefined;
  const of = { endpoint: 'messages', fields: { text: none }, header: none, params: { anthropic_beta: given } };
  expect(anthropicBeta(of as unknown as Call)).toBe(want); // what is read of it
});
