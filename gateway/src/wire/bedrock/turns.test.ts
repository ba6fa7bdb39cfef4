import { describe, expect, test } from 'vitest';
import { body, CACHE, call, HI, PNG, POINT, toolResult, USER } from './testing.ts';

const toolUse = (toolUseId: string, input = {}): object => ({ toolUse: { toolUseId, name: 'f', input } });

describe('the conversation', () => {
  test.for<{ rule: string; messages: unknown[]; want: unknown[] }>([
    { rule: 'makes a block of a text', messages: [USER], want: [HI] },
    { rule: 'drops blank texts and empty messages', messages: [USER, { role: 'user', content: ' \n' }], want: [HI] },
    {
      rule: 'merges neighbours of one role, tool answers included',
      messages: [
        USER,
        { role: 'assistant', content: 'a', tool_calls: [call('t1', '{"a":1}')] },
        { role: 'assistant', content: 'b', tool_calls: [call('t2', '')] },
        { role: 'tool', tool_call_id: 't1', content: '42' },
        { role: 'tool', tool_call_id: 't2', content: '' },
        { role: 'user', content: 'more' },
      ],
      want: [
        HI,
        { role: 'assistant', content: [{ text: 'a' }, toolUse('t1', { a: 1 }), { text: 'b' }, toolUse('t2')] },
        { role: 'user', content: [toolResult('t1', { text: '42' }), toolResult('t2'), { text: 'more' }] },
      ],
    },
    {
      rule: 'starts with the user',
      messages: [{ role: 'assistant', content: 'welcome' }, USER],
      want: [{ role: 'user', content: [{ text: '.' }] }, { role: 'assistant', content: [{ text: 'welcome' }] }, HI],
    },
    {
      rule: 'puts a breakpoint after what carries one',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a', cache_control: CACHE },
            { type: 'text', text: 'b' },
          ],
          cache_control: CACHE,
        },
        { role: 'assistant', tool_calls: [{ ...call('t1'), cache_control: CACHE }] },
        { role: 'tool', tool_call_id: 't1', content: [{ type: 'text', text: '1', cache_control: CACHE }] },
      ],
      want: [
        { role: 'user', content: [{ text: 'a' }, POINT, { text: 'b' }, POINT] },
        { role: 'assistant', content: [toolUse('t1'), POINT] },
        { role: 'user', content: [toolResult('t1', { text: '1' }), POINT] },
      ],
    },
    {
      rule: 'sends signed thinking back, in place of the content',
      messages: [
        USER,
        {
          role: 'assistant',
          content: 'ignored',
          content_blocks: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'thinking', thinking: 'unsigned' },
            { type: 'redacted_thinking', data: 'xx' },
            { type: 'text', text: 'said' },
            { type: 'image_url', image_url: { url: PNG } },
          ],
        },
      ],
      want: [
        HI,
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'hm', signature: 's' } } },
            { reasoningContent: { redactedContent: 'xx' } },
            { text: 'said' },
          ],
        },
      ],
    },
    {
      rule: 'shows images and documents of a tool inside its answer',
      messages: [
        {
          role: 'tool',
          tool_call_id: 't1',
          content: [
            { type: 'image_url', image_url: { url: PNG } },
            { type: 'text', text: 'see' },
          ],
        },
      ],
      want: [
        {
          role: 'user',
          content: [toolResult('t1', { image: { format: 'png', source: { bytes: 'iVBORw0=' } } }, { text: 'see' })],
        },
      ],
    },
    {
      rule: 'puts text before a document that has none, after the answers of tools',
      messages: [
        { role: 'tool', tool_call_id: 't1', content: '1' },
        { role: 'user', content: [{ type: 'file', file: { file_data: 'JVBE' } }] },
      ],
      want: [
        {
          role: 'user',
          content: [
            toolResult('t1', { text: '1' }),
            { text: ' ' },
            { document: { format: 'pdf', name: 'document-1', source: { bytes: 'JVBE' } } },
          ],
        },
      ],
    },
  ])('$rule', ({ messages, want }) => {
    expect(body({ messages })['messages']).toEqual(want);
  });

  test('has the system blocks apart', () => {
    const messages = [
      { role: 'system', content: 'S1' },
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'S2', cache_control: CACHE },
          { type: 'text', text: ' ' },
        ],
      },
      { role: 'system', content: 'S3', cache_control: CACHE },
      USER,
    ];
    expect(body({ messages })).toEqual({
      system: [{ text: 'S1' }, { text: 'S2' }, POINT, { text: 'S3' }, POINT],
      messages: [HI],
    });
  });
});
