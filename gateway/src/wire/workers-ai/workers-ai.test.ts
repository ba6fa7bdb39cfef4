import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import {
  createWorkersAiChatDecoder,
  createWorkersAiCompletionDecoder,
  fromWorkersAiAnswer,
  fromWorkersAiCompletion,
  fromWorkersAiEmbedding,
  takesWorkersAiChat,
  toWorkersAiChat,
} from './index.ts';

const ctx: WireContext = {
  provider: 'workers-ai',
  model: '@cf/meta/m',
  strict: true,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
};

describe('Workers AI', () => {
  test('gets every message, and a list of parts only where there is an image', () => {
    const messages = [
      { role: 'system', content: 'a' },
      { role: 'system', content: [{ type: 'text', text: 'b' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'x' },
          { type: 'text', text: 'c' },
        ],
      },
      { role: 'function', name: 'f', content: '1' },
    ];
    expect(toWorkersAiChat({ messages })).toEqual({
      messages: [
        { role: 'system', content: 'a' },
        { role: 'system', content: 'b' },
        { role: 'assistant', content: 'c' },
        { role: 'tool', name: 'f', content: '1' },
      ],
    });
  });

  test.for([
    [{ type: 'text' }, false],
    [{ type: 'json_object' }, true],
    ['text', false],
  ])('takes the response format %j: %s', ([format, want]) => {
    expect(takesWorkersAiChat('response_format', format)).toBe(want);
  });

  test.for([null, 'x', {}, { result: {} }, { result: { response: 1 } }, { result: { response: 'x' }, success: false }])(
    'gives no answer in %j',
    (body) => {
      for (const read of [fromWorkersAiAnswer, fromWorkersAiCompletion, fromWorkersAiEmbedding]) {
        expect(read(body, ctx).ok).toBe(false);
      }
    },
  );

  test('answers with an empty text', () => {
    expect(unwrap(fromWorkersAiCompletion({ result: { response: '' } }, ctx)).choices[0]?.text).toBe('');
  });

  test('streams any frame without throwing, with one end', () => {
    const event = fc.record({ response: fc.jsonValue(), tool_calls: fc.jsonValue(), usage: fc.jsonValue() });
    const data = fc.oneof(
      fc.string(),
      fc.constant('[DONE]'),
      fc.oneof(fc.jsonValue(), event).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(data), (frames) => {
        for (const open of [createWorkersAiChatDecoder, createWorkersAiCompletionDecoder]) {
          const decoder = open(ctx);
          const items = [...frames.flatMap((text) => decoder.push({ event: undefined, data: text })), ...decoder.end()];
          expect(items.filter(({ kind }) => kind !== 'chunk').length).toBeLessThan(2);
        }
      }),
    );
  });
});
