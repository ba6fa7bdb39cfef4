import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countsOf, findTokenCounts } from './index.ts';

describe('the tokens of an answer', () => {
  test.for<{ rule: string; text: string; want: object | undefined }>([
    {
      rule: 'in the OpenAI spelling',
      text: '{"id":"x","usage":{"prompt_tokens":3,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":2}}}',
      want: { input: 3, output: 4, cached: 2 },
    },
    {
      rule: 'in the Anthropic spelling, the cache included',
      text: '{"usage": {"input_tokens":3,"output_tokens":4,"cache_read_input_tokens":10,"cache_creation_input_tokens":5}}',
      want: { input: 18, output: 4, cached: 10 },
    },
    {
      rule: 'in the Responses spelling',
      text: '{"usage":{"input_tokens":3,"input_tokens_details":{"cached_tokens":1},"output_tokens":4}}',
      want: { input: 3, output: 4, cached: 1 },
    },
    {
      rule: 'spread over the events of a message stream',
      text: 'data: {"message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\ndata: {"usage":{"output_tokens":7}}\n\n',
      want: { input: 9, output: 7, cached: 0 },
    },
    {
      rule: 'not while they are null',
      text: 'data: {"usage":null}\n\ndata: {"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n',
      want: { input: 1, output: 2, cached: 0 },
    },
    {
      rule: 'not in what the model says about usage',
      text: '{"content":"\\"usage\\":{\\"input_tokens\\":5}"}',
      want: undefined,
    },
    { rule: 'not when the end is missing', text: '{"usage":{"prompt_tokens":1', want: undefined },
    { rule: 'not when they are no object', text: '{"usage":"high"}', want: undefined },
    { rule: 'not when there are none', text: '{"id":"x"}', want: undefined },
    { rule: 'not of broken JSON', text: '{"usage":{"prompt_tokens":}}', want: undefined },
    {
      rule: 'not of an object that never ends',
      text: `{"usage":{${'"a":1,'.repeat(2_000)}"prompt_tokens":1}}`,
      want: undefined,
    },
    {
      rule: 'without what is no positive number',
      text: '{"usage":{"prompt_tokens":"9","completion_tokens":-4}}',
      want: { input: 0, output: 0, cached: 0 },
    },
  ])('$rule', ({ text, want }) => {
    expect(findTokenCounts(text)).toEqual(want);
  });

  test('are never negative, never fractions of nothing, and no text is too odd', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (noise, value) => {
        const found = findTokenCounts(`${noise}"usage":${JSON.stringify(value)}${noise}`);
        for (const count of Object.values(found ?? {})) expect(count).toBeGreaterThanOrEqual(0);
      }),
    );
    expect(countsOf({})).toEqual({ input: 0, output: 0, cached: 0 });
  });
});
