import fc from 'fast-check';
import { expect, test } from 'vitest';
import { UnsupportedPart } from '../parts/parts.ts';
import { unlessRefused } from '../parts/testing.ts';
import { body, CACHE, CLAUDE, call, NOVA, OTHER, PNG, POINT, toolResult } from './testing.ts';

test.for([
  { role: 'user', part: { type: 'input_audio', input_audio: {} } },
  { role: 'user', part: { type: 'file', file: { filename: 'a.pdf' } } },
  { role: 'system', part: { type: 'image_url', image_url: { url: PNG } } },
  { role: 'assistant', part: { type: 'image_url', image_url: { url: PNG } } },
  { role: 'tool', part: { type: 'texxt', text: 'a' } },
])('a $role message has no part $part', ({ role, part }) => {
  expect(() => body({ messages: [{ role, content: [part] }] })).toThrow(UnsupportedPart);
});

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
    system: [{ text: 'S1' }, { text: 'S2' }, POINT],
    toolConfig: { toolChoice: { any: {} } },
    inferenceConfig: { maxTokens: 50, stopSequences: ['END'], temperature: 1.7 },
    additionalModelRequestFields: { metadata: { user_id: 'u1' } },
  });
  expect((made['messages'] as unknown[]).at(-1)).toEqual({
    role: 'user',
    content: [toolResult('t1', { text: '42' }), { text: 'more' }],
  });
});

test('any body is converted, but for parts that are refused', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'function'),
    content: fc.jsonValue(),
  });
  const loose = fc.dictionary(
    fc.constantFrom('tools', 'tool_choice', 'functions', 'stop', 'response_format', 'thinking'),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(
      fc.array(fc.oneof(message, fc.jsonValue())),
      loose,
      fc.constantFrom(CLAUDE, NOVA, OTHER),
      (messages, params, target) => {
        unlessRefused(() => body({ ...params, messages }, target));
      },
    ),
  );
});
