import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../contract.ts';
import { body, CACHE, USER } from './testing.ts';

describe('the tools', () => {
  const weather = { name: 'w', description: 'd', parameters: { type: 'object', additionalProperties: false } };

  test.for<{ rule: string; tool: object; want: object }>([
    {
      rule: 'keep the whole schema',
      tool: { type: 'function', function: weather },
      want: { name: 'w', description: 'd', input_schema: weather.parameters },
    },
    {
      rule: 'get an empty description and schema',
      tool: { type: 'function', function: { name: 'w' } },
      want: { name: 'w', description: '', input_schema: { type: 'object', properties: {} } },
    },
    {
      rule: "carry the vendor's extras, wherever they stand",
      tool: {
        type: 'function',
        cache_control: CACHE,
        defer_loading: true,
        function: { ...weather, strict: true, allowed_callers: ['x'], input_examples: [{}] },
      },
      want: {
        name: 'w',
        description: 'd',
        input_schema: weather.parameters,
        cache_control: CACHE,
        strict: true,
        defer_loading: true,
        allowed_callers: ['x'],
        input_examples: [{}],
      },
    },
    {
      rule: 'can be server tools',
      tool: { type: 'computer', computer: { name: 'computer_20250124', display_width_px: 10 }, cache_control: CACHE },
      want: { type: 'computer_20250124', name: 'computer', display_width_px: 10, cache_control: CACHE },
    },
    {
      rule: 'can have the shape of the vendor',
      tool: { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
      want: { type: 'web_search_20250305', name: 'web_search', max_uses: 2 },
    },
  ])('$rule', ({ tool, want }) => {
    expect(body({ messages: [USER], tools: [tool] })['tools']).toEqual([want]);
  });

  const tools = [{ type: 'function', function: weather }];
  test.for<{ rule: string; params: JsonObject; want: unknown }>([
    { rule: 'auto', params: { tools, tool_choice: 'auto' }, want: { type: 'auto' } },
    { rule: 'required', params: { tools, tool_choice: 'required' }, want: { type: 'any' } },
    { rule: 'none', params: { tools, tool_choice: 'none', parallel_tool_calls: false }, want: { type: 'none' } },
    {
      rule: 'a function',
      params: { tools, tool_choice: { type: 'function', function: { name: 'w' } } },
      want: { type: 'tool', name: 'w' },
    },
    {
      rule: 'one call at a time',
      params: { tools, tool_choice: 'required', parallel_tool_calls: false },
      want: { type: 'any', disable_parallel_tool_use: true },
    },
    {
      rule: 'one call at a time without a choice',
      params: { tools, parallel_tool_calls: false },
      want: { type: 'auto', disable_parallel_tool_use: true },
    },
    { rule: 'nothing', params: { tools, parallel_tool_calls: true }, want: undefined },
    { rule: 'a choice without tools', params: { tool_choice: 'auto' }, want: undefined },
    {
      rule: 'a deprecated function',
      params: { functions: [weather], function_call: { name: 'w' } },
      want: { type: 'tool', name: 'w' },
    },
  ])('are chosen by $rule', ({ params, want }) => {
    expect(body({ messages: [USER], ...params })['tool_choice']).toEqual(want);
  });

  test('come from deprecated functions too', () => {
    expect(body({ messages: [USER], functions: [weather] })['tools']).toEqual([
      { name: 'w', description: 'd', input_schema: weather.parameters },
    ]);
  });
});
