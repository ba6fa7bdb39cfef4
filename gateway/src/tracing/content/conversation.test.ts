import { describe, expect, test } from 'vitest';
import { answeredMessages, askedMessages } from './conversation.ts';

const text = (content: string) => ({ type: 'text', content });
const DEEP = '['.repeat(50_000) + ']'.repeat(50_000);
const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };

describe('what was asked', () => {
  test.for<{ rule: string; body: unknown; messages: readonly object[]; instructions?: readonly object[] }>([
    {
      rule: 'in a chat',
      body: {
        messages: [
          { role: 'system', content: 'be brief' },
          { role: 'user', content: [{ type: 'text', text: 'what is it' }, image] },
          {
            role: 'assistant',
            content: null,
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{"at":1}' } }],
          },
          { role: 'tool', tool_call_id: 'c1', content: 'a cat' },
        ],
      },
      messages: [
        { role: 'system', parts: [text('be brief')] },
        { role: 'user', parts: [text('what is it'), { type: 'image' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c1', name: 'look', arguments: { at: 1 } }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c1', response: 'a cat' }] },
      ],
    },
    {
      rule: 'in a chat, with arguments that are no JSON',
      body: { messages: [{ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{"a' } }] }] },
      messages: [{ role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'f', arguments: '{"a' }] }],
    },
    {
      rule: 'in a chat, with arguments that nest too deep to be written again',
      body: { messages: [{ role: 'assistant', tool_calls: [{ function: { name: 'f', arguments: DEEP } }] }] },
      messages: [{ role: 'assistant', parts: [{ type: 'tool_call', name: 'f', arguments: DEEP }] }],
    },
    {
      rule: 'in a completion',
      body: { prompt: ['one', 'two'] },
      messages: [
        { role: 'user', parts: [text('one')] },
        { role: 'user', parts: [text('two')] },
      ],
    },
    {
      rule: 'in messages',
      body: {
        system: [{ type: 'text', text: 'be brief', cache_control: {} }],
        messages: [
          { role: 'user', content: 'hi' },
          {
            role: 'assistant',
            content: [
              { type: 'thinking', thinking: 'hm', signature: 's' },
              { type: 'tool_use', id: 't', name: 'look', input: { at: 1 } },
            ],
          },
          {
            role: 'user',
            content: [
              {
                type: 'tool_result',
                tool_use_id: 't',
                content: [
                  { type: 'text', text: 'cat' },
                  { type: 'image', source: { data: 'AAAA' } },
                ],
              },
              { type: 'document', source: { data: 'AAAA' } },
            ],
          },
        ],
      },
      messages: [
        { role: 'user', parts: [text('hi')] },
        {
          role: 'assistant',
          parts: [
            { type: 'reasoning', content: 'hm' },
            { type: 'tool_call', id: 't', name: 'look', arguments: { at: 1 } },
          ],
        },
        {
          role: 'user',
          parts: [
            { type: 'tool_call_response', id: 't', response: [text('cat'), { type: 'image' }] },
            { type: 'file' },
          ],
        },
      ],
      instructions: [text('be brief')],
    },
    {
      rule: 'as one text of responses',
      body: { input: 'hi', instructions: 'be brief' },
      messages: [{ role: 'user', parts: [text('hi')] }],
      instructions: [text('be brief')],
    },
    {
      rule: 'as items of responses',
      body: {
        input: [
          {
            role: 'user',
            content: [
              { type: 'input_text', text: 'hi' },
              { type: 'input_image', image_url: 'AAAA' },
            ],
          },
          { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] },
          { type: 'function_call', call_id: 'c', name: 'look', arguments: '{}' },
          { type: 'function_call_output', call_id: 'c', output: 'cat' },
        ],
      },
      messages: [
        { role: 'user', parts: [text('hi'), { type: 'image' }] },
        { role: 'assistant', parts: [{ type: 'reasoning', content: 'hm' }] },
        { role: 'assistant', parts: [{ type: 'tool_call', id: 'c', name: 'look', arguments: {} }] },
        { role: 'tool', parts: [{ type: 'tool_call_response', id: 'c', response: 'cat' }] },
      ],
    },
    {
      rule: 'in blocks that nobody knows',
      body: { messages: [{ role: 'user', content: [{ type: 'new', data: 'AAAA' }, 7, null] }, 'no message'] },
      messages: [{ role: 'user', parts: [{ type: 'other' }, { type: 'other' }, { type: 'other' }] }],
    },
  ])('$rule', ({ body, messages, instructions = [] }) => {
    expect(askedMessages(body)).toEqual({ messages, instructions });
  });

  test.for([undefined, null, 7, [], {}, { contents: [] }, { prompt: [1, 2] }])('is not told from %j', (body) => {
    expect(askedMessages(body)).toBeUndefined();
  });
});

describe('what was answered', () => {
  test.for<{ rule: string; body: unknown; messages: readonly object[] }>([
    {
      rule: 'in a chat',
      body: {
        choices: [
          { message: { role: 'assistant', content: 'hi', reasoning_content: 'hm' }, finish_reason: 'stop' },
          {
            message: {
              role: 'assistant',
              content: null,
              tool_calls: [{ id: 'c', function: { name: 'f', arguments: '{}' } }],
            },
            finish_reason: 'tool_calls',
          },
          { message: { role: 'assistant', content: null, refusal: 'no' } },
        ],
      },
      messages: [
        { role: 'assistant', parts: [{ type: 'reasoning', content: 'hm' }, text('hi')], finish_reason: 'stop' },
        {
          role: 'assistant',
          parts: [{ type: 'tool_call', id: 'c', name: 'f', arguments: {} }],
          finish_reason: 'tool_call',
        },
        { role: 'assistant', parts: [text('no')] },
      ],
    },
    {
      rule: 'in a completion',
      body: { choices: [{ text: 'hi', finish_reason: 'length' }] },
      messages: [{ role: 'assistant', parts: [text('hi')], finish_reason: 'length' }],
    },
    {
      rule: 'in a message',
      body: { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'hi' }], stop_reason: 'max_tokens' },
      messages: [{ role: 'assistant', parts: [text('hi')], finish_reason: 'length' }],
    },
    {
      rule: 'in a response',
      body: {
        status: 'completed',
        output: [
          { type: 'reasoning', summary: [], encrypted_content: 'AAAA' },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'hi' }] },
          { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
        ],
      },
      messages: [
        {
          role: 'assistant',
          parts: [{ type: 'other' }, text('hi'), { type: 'tool_call', id: 'c', name: 'f', arguments: {} }],
          finish_reason: 'tool_call',
        },
      ],
    },
    {
      rule: 'in a response that is not whole',
      body: { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' }, output: [] },
      messages: [{ role: 'assistant', parts: [], finish_reason: 'length' }],
    },
    {
      rule: 'in a response that failed',
      body: { status: 'failed', output: [] },
      messages: [{ role: 'assistant', parts: [], finish_reason: 'error' }],
    },
  ])('$rule', ({ body, messages }) => {
    expect(answeredMessages(body)).toEqual(messages);
  });

  test.for([undefined, { error: { message: 'no' } }, { type: 'error' }, { candidates: [] }, 'text'])(
    'is not told from %j',
    (body) => {
      expect(answeredMessages(body)).toBeUndefined();
    },
  );
});
