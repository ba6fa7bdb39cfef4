import { expect, test } from 'vitest';
import { estimateTokens } from './index.ts';

test.for([
  { rule: 'a call without a limit has 1,024 tokens of output', params: {}, output: 1_024 },
  { rule: 'max_tokens limits it', params: { max_tokens: 10 }, output: 10 },
  { rule: 'of several limits the largest counts', params: { max_tokens: 10, max_output_tokens: 20 }, output: 20 },
  { rule: 'their order does not matter', params: { max_tokens: 20, max_completion_tokens: 10 }, output: 20 },
  { rule: 'max_completion_tokens limits it', params: { max_completion_tokens: 20 }, output: 20 },
  { rule: 'max_output_tokens limits it', params: { max_output_tokens: 30 }, output: 30 },
  { rule: 'each answer may be as long', params: { max_tokens: 10, n: 3 }, output: 30 },
  { rule: 'the number of answers is bounded', params: { max_tokens: 1, n: 1e300 }, output: 128 },
  { rule: 'what is no limit is none', params: { max_tokens: -5, n: 'many' }, output: 1_024 },
])('$rule', ({ params, output }) => {
  expect(estimateTokens(params, 9)).toEqual({ input: 3, output });
});
