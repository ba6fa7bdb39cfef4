import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unlessRefused } from '../parts/testing.ts';
import { body, CACHE, call, PNG } from './testing.ts';

test('a conversation with system texts, an image, a tool and sampling parameters', () => {
  const made = body({
    messages: [
      { role: 'system', content: 'S1' },
      { role: 'developer', content: [{ type: 'text', text: 'S2', cache_control: CACHE }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image_url', image_url: { url: PNG } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call('t1', '{"a":1}')] },
      { role: 'tool', tool_call_id: 't1', content: '42' },
      { role: 'user', content: 'more' },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
    max_completion_tokens: 50,
    temperature: 1.7,
    stop: 'END',
    user: 'u1',
  });
  expect(made).toMatchObject({
    system: [
      { type: 'text', text: 'S1' },
      { type: 'text', text: 'S2', cache_control: CACHE },
    ],
    messages: [
      { role: 'user' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 't1', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: '42' },
          { type: 'text', text: 'more' },
        ],
      },
    ],
    tool_choice: { type: 'any' },
    max_tokens: 50,
    temperature: 1,
    stop_sequences: ['END'],
    metadata: { user_id: 'u1' },
  });
});

test('any body is converted, but for parts that are refused', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'function'),
    content: fc.jsonValue(),
  });
  const loose = fc.dictionary(
    fc.constantFrom('tools', 'tool_choice', 'functions', 'stop', 'response_format', 'thinking', 'user', 'max_tokens'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(message, fc.jsonValue())), loose, fc.jsonValue(), (messages, params, extra) => {
      const broken = messages.map((item) =>
        typeof item === 'object' ? { ...item, tool_calls: extra, content_blocks: extra } : item,
      );
      unlessRefused(() => body({ ...params, messages: [...messages, ...broken] }));
    }),
  );
});
