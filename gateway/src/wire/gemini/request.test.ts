import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unlessRefused } from '../parts/testing.ts';
import { remoteMediaOf } from './media.ts';
import { bodyOf, model, text, user } from './testing.ts';

describe('a whole Gemini request', () => {
  const check = {
    messages: [
      { role: 'system', content: 'S1' },
      { role: 'developer', content: [{ type: 'text', text: 'S2', cache_control: { type: 'ephemeral' } }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'hi' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
        ],
      },
      {
        role: 'assistant',
        tool_calls: [{ id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      { role: 'tool', tool_call_id: 't1', content: '42' },
      { role: 'user', content: 'more' },
    ],
    tools: [{ type: 'function', function: { name: 'f' } }],
    tool_choice: 'required',
    max_completion_tokens: 50,
    temperature: 1.7,
    stop: 'END',
    user: 'u1',
  };

  test('keeps every part of a conversation with system texts, tools and media', () => {
    expect(bodyOf(check)).toEqual({
      systemInstruction: { parts: [text('S1'), text('S2')] },
      contents: [
        user(text('hi'), { inlineData: { mimeType: 'image/png', data: 'aGk=' } }),
        model({ functionCall: { name: 'f', args: { a: 1 } } }),
        user({ functionResponse: { name: 'f', response: { content: '42' } } }, text('more')),
      ],
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { functionCallingConfig: { mode: 'ANY' } },
      generationConfig: { temperature: 1.7, maxOutputTokens: 50, stopSequences: ['END'] },
    });
  });

  test('is made of any JSON without throwing', () => {
    const keys = [
      'messages',
      'tools',
      'tool_choice',
      'stop',
      'thinking',
      'response_format',
      'modalities',
      'image_config',
    ];
    const roles = fc.constantFrom('system', 'user', 'assistant', 'tool', 'x');
    const message = fc.record({
      role: roles,
      content: fc.jsonValue(),
      tool_calls: fc.jsonValue(),
      tool_call_id: fc.jsonValue(),
    });
    const params = fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.jsonValue(), fc.array(message)));
    fc.assert(
      fc.property(params, (body) => {
        unlessRefused(() => remoteMediaOf(body));
        const written = unlessRefused(() => bodyOf(body));
        if (written !== undefined) expect(written['contents']).toBeInstanceOf(Array);
      }),
    );
  });
});
