import { deepFreeze } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../contract.ts';
import { UnsupportedPart } from '../parts/parts.ts';
import { unlessRefused } from '../parts/testing.ts';
import { toCohereBody } from './request.ts';

const bodyOf = (params: object): JsonObject => toCohereBody(deepFreeze(params) as JsonObject, 'command-a');
const messagesOf = (...messages: object[]): unknown => bodyOf({ messages })['messages'];

const CALL = { id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };

describe('Cohere messages', () => {
  test.for([
    {
      rule: 'developer is system',
      message: { role: 'developer', content: 'S' },
      want: { role: 'system', content: 'S' },
    },
    {
      rule: 'names are left out',
      message: { role: 'user', content: 'hi', name: 'n' },
      want: { role: 'user', content: 'hi' },
    },
    {
      rule: 'known parts are kept',
      message: {
        role: 'user',
        content: [
          { type: 'text', text: 'a', cache_control: {} },
          { type: 'image_url', image_url: 'https://x.example/a.png' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low', media_resolution: 'x' } },
        ],
      },
      want: {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: { url: 'https://x.example/a.png' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AA', detail: 'low' } },
        ],
      },
    },
    {
      rule: 'an assistant keeps its calls and its plan',
      message: {
        role: 'assistant',
        content: null,
        tool_plan: 'I will look',
        tool_calls: [{ ...CALL, cache_control: {}, function: { ...CALL.function, thought_signature: 's' } }],
      },
      want: { role: 'assistant', tool_plan: 'I will look', tool_calls: [CALL] },
    },
    {
      rule: 'empty text beside calls is none',
      message: { role: 'assistant', content: '', tool_calls: [CALL] },
      want: { role: 'assistant', tool_calls: [CALL] },
    },
    {
      rule: 'arguments are JSON text in any case',
      message: {
        role: 'assistant',
        content: 'x',
        tool_calls: [
          { id: 't1', function: { name: 'f', arguments: { a: 1 } } },
          { id: 't2', function: { name: 'g', arguments: '' } },
        ],
      },
      want: {
        role: 'assistant',
        content: 'x',
        tool_calls: [CALL, { id: 't2', type: 'function', function: { name: 'g', arguments: '{}' } }],
      },
    },
    {
      rule: 'a tool result names its call and may hold documents',
      message: { role: 'tool', tool_call_id: 't1', content: [{ type: 'document', document: { data: 'd' } }] },
      want: { role: 'tool', tool_call_id: 't1', content: [{ type: 'document', document: { data: 'd' } }] },
    },
  ])('$rule', ({ message, want }) => {
    expect(messagesOf(message)).toEqual([want]);
  });
});

test.for([{ type: 'input_audio', input_audio: {} }, { type: 'texxt', text: 'a' }, { type: 'image_url' }, 'text'])(
  'Cohere messages have no part %j',
  (part) => {
    expect(() => messagesOf({ role: 'user', content: [part] })).toThrow(UnsupportedPart);
  },
);

describe('a Cohere request', () => {
  const tool = (name: string, more: object = {}): object => ({ type: 'function', function: { name, ...more } });

  test.for([
    {
      rule: 'same parameters',
      params: {
        temperature: 0.5,
        seed: 1,
        frequency_penalty: 0.1,
        presence_penalty: 0.2,
        logprobs: true,
        safety_mode: 'NONE',
      },
      want: {
        temperature: 0.5,
        seed: 1,
        frequency_penalty: 0.1,
        presence_penalty: 0.2,
        logprobs: true,
        safety_mode: 'NONE',
      },
    },
    {
      rule: 'documents and citations',
      params: { documents: ['d'], citation_options: { mode: 'fast' } },
      want: { documents: ['d'], citation_options: { mode: 'fast' } },
    },
    {
      rule: 'max_tokens before max_completion_tokens',
      params: { max_tokens: 1, max_completion_tokens: 2 },
      want: { max_tokens: 1 },
    },
    { rule: 'max_completion_tokens', params: { max_completion_tokens: 2 }, want: { max_tokens: 2 } },
    { rule: 'top_p and top_k', params: { top_p: 0.3, top_k: 4 }, want: { p: 0.3, k: 4 } },
    { rule: 'k before top_k', params: { k: 1, top_k: 4 }, want: { k: 1 } },
    { rule: 'one stop text', params: { stop: 'END' }, want: { stop_sequences: ['END'] } },
    {
      rule: 'five stop texts',
      params: { stop: ['1', '2', '3', '4', '5', '6'] },
      want: { stop_sequences: ['1', '2', '3', '4', '5'] },
    },
    { rule: 'tools as they are', params: { tools: [tool('f')] }, want: { tools: [tool('f')] } },
    {
      rule: 'strictness for the whole request',
      params: { tools: [tool('f', { strict: true }), tool('g', { strict: false })] },
      want: { tools: [tool('f'), tool('g')], strict_tools: true },
    },
    {
      rule: 'tool choice required',
      params: { tools: [tool('f')], tool_choice: 'required' },
      want: { tools: [tool('f')], tool_choice: 'REQUIRED' },
    },
    { rule: 'tool choice none', params: { tool_choice: 'none' }, want: { tool_choice: 'NONE' } },
    { rule: 'tool choice auto as nothing', params: { tool_choice: 'auto' }, want: {} },
    {
      rule: 'a named tool alone',
      params: { tools: [tool('f'), tool('g')], tool_choice: { type: 'function', function: { name: 'g' } } },
      want: { tools: [tool('g')], tool_choice: 'REQUIRED' },
    },
    {
      rule: 'JSON mode as it is',
      params: { response_format: { type: 'json_object' } },
      want: { response_format: { type: 'json_object' } },
    },
    {
      rule: 'a JSON schema with its strictness',
      params: {
        response_format: { type: 'json_schema', json_schema: { name: 'n', strict: false, schema: { type: 'object' } } },
      },
      want: { response_format: { type: 'json_object', json_schema: { type: 'object' } }, strict_tools: false },
    },
    {
      rule: 'a strictness that is no boolean as nothing',
      params: { response_format: { type: 'json_schema', json_schema: { name: 'n', strict: null, schema: {} } } },
      want: { response_format: { type: 'json_object', json_schema: {} } },
    },
    {
      rule: 'the thinking budget under its name',
      params: { thinking: { type: 'enabled', budget_tokens: 100 } },
      want: { thinking: { type: 'enabled', token_budget: 100 } },
    },
    {
      rule: 'thinking of its own spelling',
      params: { thinking: { type: 'enabled', token_budget: 9 } },
      want: { thinking: { type: 'enabled', token_budget: 9 } },
    },
    { rule: 'streaming', params: { stream: true, stream_options: {} }, want: { stream: true } },
    { rule: 'nothing it does not know', params: { user: 'u', n: 2, logit_bias: {}, temperature: null }, want: {} },
  ])('says $rule', ({ params, want }) => {
    expect(bodyOf(params)).toEqual({ model: 'command-a', messages: [], ...want });
  });

  test('is made of any JSON without throwing', () => {
    const message = fc.record({
      role: fc.constantFrom('user', 'assistant', 'tool'),
      content: fc.jsonValue(),
      tool_calls: fc.jsonValue(),
    });
    const keys = fc.constantFrom('messages', 'tools', 'tool_choice', 'response_format', 'thinking', 'stop');
    fc.assert(
      fc.property(fc.dictionary(keys, fc.oneof(fc.jsonValue(), fc.array(message))), (params) => {
        const written = unlessRefused(() => bodyOf(params));
        if (written !== undefined) expect(written['model']).toBe('command-a');
      }),
    );
  });
});
