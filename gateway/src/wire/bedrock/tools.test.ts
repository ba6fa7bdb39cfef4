import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../contract.ts';
import type { ConverseTarget } from './index.ts';
import { body, CACHE, call, NOVA, POINT, USER } from './testing.ts';

describe('the tools', () => {
  const weather = { name: 'w', description: 'd', parameters: { type: 'object', additionalProperties: false } };
  const tools = [{ type: 'function', function: weather }];
  const spec = { toolSpec: { name: 'w', description: 'd', inputSchema: { json: weather.parameters } } };
  const used = [
    USER,
    { role: 'assistant', tool_calls: [call('t1')] },
    { role: 'tool', tool_call_id: 't1', content: '1' },
  ];
  const madeUp = { toolSpec: { name: 'f', inputSchema: { json: { type: 'object', properties: {} } } } };

  test.for<{ rule: string; params: JsonObject; target?: ConverseTarget; want: unknown }>([
    { rule: 'keep the whole schema', params: { tools }, want: { tools: [spec] } },
    {
      rule: 'get an empty schema and no empty description',
      params: { tools: [{ type: 'function', function: { name: 'w', description: '' } }] },
      want: { tools: [{ toolSpec: { name: 'w', inputSchema: { json: { type: 'object', properties: {} } } } }] },
    },
    {
      rule: 'carry breakpoints',
      params: { tools: [{ ...tools[0], cache_control: CACHE }] },
      want: { tools: [spec, POINT] },
    },
    {
      rule: 'carry no breakpoints for models that refuse them',
      params: { tools: [{ ...tools[0], cache_control: CACHE }] },
      target: NOVA,
      want: { tools: [spec] },
    },
    {
      rule: 'may be chosen',
      params: { tools, tool_choice: 'auto' },
      want: { tools: [spec], toolChoice: { auto: {} } },
    },
    {
      rule: 'must be used',
      params: { tools, tool_choice: 'required' },
      want: { tools: [spec], toolChoice: { any: {} } },
    },
    {
      rule: 'are chosen by name',
      params: { tools, tool_choice: { type: 'function', function: { name: 'w' } } },
      want: { tools: [spec], toolChoice: { tool: { name: 'w' } } },
    },
    { rule: 'are dropped when they must not be used', params: { tools, tool_choice: 'none' }, want: undefined },
    {
      rule: 'stay without a choice when they were used before',
      params: { messages: used, tools, tool_choice: 'none' },
      want: { tools: [spec] },
    },
    {
      rule: 'are made up when they were used before',
      params: { messages: used, tool_choice: 'auto' },
      want: { tools: [madeUp] },
    },
    { rule: 'are left out when there is none', params: { tools: [], tool_choice: 'auto' }, want: undefined },
    { rule: 'are left out when only server tools are there', params: { tools: [{ type: 'bash' }] }, want: undefined },
  ])('$rule', ({ params, target, want }) => {
    expect(body({ messages: [USER], ...params }, target)['toolConfig']).toEqual(want);
  });
});
