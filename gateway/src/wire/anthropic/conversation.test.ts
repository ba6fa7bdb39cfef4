import { describe, expect, test } from 'vitest';
import { body, CACHE, call, PNG, USER } from './testing.ts';

describe('the conversation', () => {
  test.for<{ rule: string; messages: unknown[]; want: unknown[] }>([
    { rule: 'keeps a text as text', messages: [USER], want: [USER] },
    {
      rule: 'makes a block of a text with a breakpoint',
      messages: [{ ...USER, cache_control: CACHE }],
      want: [{ role: 'user', content: [{ type: 'text', text: 'hi', cache_control: CACHE }] }],
    },
    {
      rule: 'keeps breakpoints of parts and puts that of a message on its last block',
      messages: [
        {
          role: 'user',
          cache_control: CACHE,
          content: [
            { type: 'text', text: 'a', cache_control: CACHE },
            { type: 'text', text: 'b' },
          ],
        },
      ],
      want: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', cache_control: CACHE },
            { type: 'text', text: 'b', cache_control: CACHE },
          ],
        },
      ],
    },
    {
      rule: 'merges the answers of tools and the user message after them',
      messages: [
        USER,
        { role: 'assistant', content: null, tool_calls: [call('t1'), call('t2')] },
        { role: 'tool', tool_call_id: 't1', content: '1' },
        { role: 'tool', tool_call_id: 't2', content: '2' },
        { role: 'user', content: 'more' },
      ],
      want: [
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'tool_use', id: 't1', name: 'f', input: {} },
            { type: 'tool_use', id: 't2', name: 'f', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: '1' },
            { type: 'tool_result', tool_use_id: 't2', content: '2' },
            { type: 'text', text: 'more' },
          ],
        },
      ],
    },
    {
      rule: 'leaves other neighbours of one role apart',
      messages: [USER, USER],
      want: [USER, USER],
    },
    {
      rule: 'turns images of a tool into blocks and keeps its breakpoint',
      messages: [
        {
          role: 'tool',
          tool_call_id: 't1',
          cache_control: CACHE,
          content: [
            { type: 'text', text: 'see' },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
      ],
      want: [
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 't1',
              content: [
                { type: 'text', text: 'see' },
                { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0=' } },
              ],
              cache_control: CACHE,
            },
          ],
        },
      ],
    },
    {
      rule: 'puts the text of an assistant before its calls, and keeps breakpoints of calls',
      messages: [
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I call' },
            { type: 'tool_use', id: 'x' },
          ],
          tool_calls: [{ ...call('t1', '{"a":1}'), cache_control: CACHE }],
        },
      ],
      want: [
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'I call' },
            { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 }, cache_control: CACHE },
          ],
        },
      ],
    },
    {
      rule: 'sends signed thinking and server tool blocks back unchanged, in place of the content',
      messages: [
        USER,
        {
          role: 'assistant',
          content: 'ignored',
          content_blocks: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'thinking', thinking: 'of another vendor' },
            { type: 'redacted_thinking', data: 'xx' },
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
            { type: 'text', text: 'said', citations: [1] },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
      ],
      want: [
        USER,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'hm', signature: 'sig' },
            { type: 'redacted_thinking', data: 'xx' },
            { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
            { type: 'text', text: 'said', citations: [1] },
          ],
        },
      ],
    },
    {
      rule: 'leaves out empty assistant messages',
      messages: [USER, { role: 'assistant', content: '' }, { role: 'assistant', content: null }, USER],
      want: [USER, USER],
    },
    {
      rule: 'keeps a refusal as text',
      messages: [{ role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] }],
      want: [{ role: 'assistant', content: [{ type: 'text', text: 'no' }] }],
    },
    {
      rule: 'treats broken arguments as none',
      messages: [{ role: 'assistant', tool_calls: [call('t1', '{"a":'), null, 'x'] }],
      want: [{ role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'f', input: {} }] }],
    },
    {
      rule: 'converts deprecated functions to tools',
      messages: [
        USER,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"a":1}' } },
        { role: 'function', name: 'f', content: '42' },
      ],
      want: [
        USER,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'function_call_1', name: 'f', input: { a: 1 } }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'function_call_1', content: '42' }] },
      ],
    },
  ])('$rule', ({ messages, want }) => {
    expect(body({ messages })['messages']).toEqual(want);
  });
});

describe('the system blocks', () => {
  test.for<{ rule: string; messages: unknown[]; want: unknown }>([
    {
      rule: 'hold all system and developer messages in order',
      messages: [
        { role: 'system', content: 'S1', cache_control: CACHE },
        USER,
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'S2', cache_control: CACHE },
            { type: 'text', text: 'S3' },
          ],
        },
      ],
      want: [
        { type: 'text', text: 'S1', cache_control: CACHE },
        { type: 'text', text: 'S2', cache_control: CACHE },
        { type: 'text', text: 'S3' },
      ],
    },
    { rule: 'are left out when there are none', messages: [USER], want: undefined },
  ])('$rule', ({ messages, want }) => {
    expect(body({ messages })['system']).toEqual(want);
  });
});
