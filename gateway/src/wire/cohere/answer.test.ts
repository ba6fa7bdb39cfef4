import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import { fromCohereAnswer } from './answer.ts';

const ctx = (strict = true): WireContext => ({
  provider: 'cohere',
  model: 'command-a',
  strict,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
});

const CALL = { id: 't1', type: 'function', function: { name: 'f', arguments: '{}' } };

describe('a Cohere answer', () => {
  test('becomes a chat completion', () => {
    const body = {
      id: 'c1',
      finish_reason: 'COMPLETE',
      message: {
        role: 'assistant',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      usage: {
        billed_units: { input_tokens: 1, output_tokens: 2 },
        tokens: { input_tokens: 10, output_tokens: 3 },
        cached_tokens: 4,
      },
    };
    expect(unwrap(fromCohereAnswer(body, ctx()))).toEqual({
      id: 'c1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'command-a',
      provider: 'cohere',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ab' }, logprobs: null, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 10,
        completion_tokens: 3,
        total_tokens: 13,
        prompt_tokens_details: { cached_tokens: 4 },
      },
    });
  });

  const thoughtful = {
    id: 'c1',
    finish_reason: 'TOOL_CALL',
    message: {
      role: 'assistant',
      tool_plan: 'look it up',
      content: [{ type: 'thinking', thinking: 'hm' }],
      tool_calls: [CALL],
      citations: [{ start: 0, end: 1, text: 'a' }],
    },
  };

  test.for([
    {
      rule: 'strict clients get calls and no thoughts',
      strict: true,
      want: {
        choices: [{ message: { role: 'assistant', content: null, tool_calls: [CALL] }, finish_reason: 'tool_calls' }],
      },
    },
    {
      rule: 'others get plan, thoughts, citations and the reason of the vendor',
      strict: false,
      want: {
        choices: [
          {
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [CALL],
              content_blocks: [
                { type: 'thinking', tool_plan: true, thinking: 'look it up' },
                { type: 'thinking', thinking: 'hm' },
              ],
            },
            finish_reason: 'TOOL_CALL',
          },
        ],
        citations: [{ start: 0, end: 1, text: 'a' }],
      },
    },
  ])('$rule', ({ strict, want }) => {
    const answer = unwrap(fromCohereAnswer(thoughtful, ctx(strict)));
    expect(answer).toMatchObject(want);
    expect(answer.choices[0]?.message).toEqual(want.choices[0]?.message);
    expect('citations' in answer).toBe(!strict);
  });

  test.for([
    ['COMPLETE', 'stop'],
    ['STOP_SEQUENCE', 'stop'],
    ['ERROR', 'stop'],
    ['TIMEOUT', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['TOOL_CALL', 'tool_calls'],
    [undefined, 'stop'],
  ])('ends %s as %s', ([finish_reason, want]) => {
    const { choices } = unwrap(fromCohereAnswer({ finish_reason, message: {} }, ctx()));
    expect(choices[0]?.finish_reason).toBe(want);
  });

  test('uses billed units when tokens are not reported', () => {
    const body = { message: {}, usage: { billed_units: { input_tokens: 1, output_tokens: 2 } } };
    expect(unwrap(fromCohereAnswer(body, ctx())).usage).toEqual({
      prompt_tokens: 1,
      completion_tokens: 2,
      total_tokens: 3,
    });
  });

  test('gives the log-probabilities of single tokens', () => {
    const logprobs = [
      { text: 'é', token_ids: [1], logprobs: [-0.5] },
      { text: 'two', logprobs: [-1, -2] },
      { logprobs: [1] },
    ];
    const { choices } = unwrap(fromCohereAnswer({ message: {}, logprobs }, ctx()));
    expect(choices[0]?.logprobs).toEqual({
      content: [{ token: 'é', logprob: -0.5, bytes: [0xc3, 0xa9], top_logprobs: [] }],
    });
  });

  test.for([null, [], {}, { message: 'x' }])('is not %j', (body) => {
    expect(fromCohereAnswer(body, ctx()).ok).toBe(false);
  });

  test('never throws', () => {
    const message = fc.dictionary(fc.constantFrom('content', 'tool_calls', 'tool_plan', 'citations'), fc.jsonValue());
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ message, usage: fc.jsonValue(), logprobs: fc.jsonValue() })),
        (body) => {
          fromCohereAnswer(body, ctx(false));
        },
      ),
    );
  });
});
