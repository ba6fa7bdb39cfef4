import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../contract.ts';
import { body, ctx, USER } from './testing.ts';

describe('the parameters', () => {
  const schema = { type: 'object' };
  const format = { type: 'json_schema', schema };

  test.for<{ rule: string; params: JsonObject; want: JsonObject }>([
    { rule: 'max_tokens wins', params: { max_tokens: 5, max_completion_tokens: 9 }, want: { max_tokens: 5 } },
    { rule: 'max_completion_tokens counts alone', params: { max_completion_tokens: 9 }, want: { max_tokens: 9 } },
    {
      rule: 'the default limit replaces the placeholder',
      params: { max_tokens: 'gw-default' },
      want: { max_tokens: 64_000 },
    },
    { rule: 'temperature ends at 1', params: { temperature: 1.7 }, want: { temperature: 1 } },
    { rule: 'null is not sent', params: { temperature: null, top_p: null, stop: null, user: null }, want: {} },
    { rule: 'top_p and top_k pass', params: { top_p: 0.5, top_k: 7 }, want: { top_p: 0.5, top_k: 7 } },
    { rule: 'negative values are not set', params: { top_p: -1, top_k: -1 }, want: {} },
    { rule: 'a stop text is a list', params: { stop: 'END' }, want: { stop_sequences: ['END'] } },
    { rule: 'a stop list stays', params: { stop: ['a', 'b'] }, want: { stop_sequences: ['a', 'b'] } },
    { rule: 'stream passes', params: { stream: true }, want: { stream: true } },
    { rule: 'user is metadata', params: { user: 'u1' }, want: { metadata: { user_id: 'u1' } } },
    {
      rule: 'thinking passes as it is',
      params: { thinking: { type: 'enabled', budget_tokens: 1024 } },
      want: { thinking: { type: 'enabled', budget_tokens: 1024 } },
    },
    {
      rule: 'an effort implies thinking',
      params: { reasoning_effort: 'high' },
      want: { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } },
    },
    {
      rule: 'an effort leaves explicit thinking alone',
      params: { reasoning_effort: 'low', thinking: { type: 'disabled' } },
      want: { thinking: { type: 'disabled' }, output_config: { effort: 'low' } },
    },
    {
      rule: 'no effort is no thinking',
      params: { reasoning_effort: 'none' },
      want: { thinking: { type: 'disabled' } },
    },
    {
      rule: 'the least effort is the lowest of the vendor',
      params: { reasoning_effort: 'minimal' },
      want: { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    },
    {
      rule: 'a schema is the format',
      params: { response_format: { type: 'json_schema', json_schema: { name: 'n', schema } } },
      want: { output_config: { format } },
    },
    {
      rule: 'a schema may come without its wrapper',
      params: { response_format: { type: 'json_schema', json_schema: schema } },
      want: { output_config: { format } },
    },
    { rule: 'JSON mode has no counterpart', params: { response_format: { type: 'json_object' } }, want: {} },
    {
      rule: 'parameters without a counterpart are left out',
      params: { n: 2, seed: 1, logit_bias: {}, logprobs: true, presence_penalty: 1, stream_options: {}, store: true },
      want: {},
    },
  ])('$rule', ({ params, want }) => {
    const base = { model: ctx.model, max_tokens: 64_000, messages: [USER] };
    expect(body({ messages: [USER], ...params })).toEqual({ ...base, ...want });
  });

  test.for([
    ['claude-3-opus-20240229', 4096],
    ['claude-3-5-haiku-20241022', 8192],
    ['claude-3-7-sonnet-20250219', 64_000],
    ['claude-opus-4-20250514', 32_000],
    ['claude-opus-4-1-20250805', 32_000],
    ['claude-opus-4-5-20251101', 64_000],
  ] as const)('cap the default limit of %s at %d', ([model, want]) => {
    expect(body({ messages: [USER] }, model)['max_tokens']).toBe(want);
  });

  test('name a model when the client names none', () => {
    expect(body({ messages: [USER] }, '')['model']).toBe('claude-sonnet-4-5');
  });
});
