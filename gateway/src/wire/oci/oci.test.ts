import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import { apiFormatOf, createOciDecoder, fromOciChat, toOciChat } from './index.ts';

const ctx: WireContext = {
  provider: 'oracle',
  model: 'meta.llama',
  strict: true,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
};
const TARGET = { compartmentId: 'c', dedicated: false, model: 'meta.llama' };

describe('a chat of OCI', () => {
  test.for([
    { rule: 'that of the model', params: {}, model: 'cohere.command-a', want: 'COHERE' },
    { rule: 'the generic one', params: {}, model: 'meta.llama', want: 'GENERIC' },
    { rule: 'what the client says', params: { api_format: 'generic' }, model: 'cohere.command-a', want: 'GENERIC' },
  ])('has the format: $rule', ({ params, model, want }) => {
    expect(apiFormatOf(params, model)).toBe(want);
  });

  test.for<[params: object, want: object]>([
    [{ logprobs: true }, { logProbs: 0 }],
    [{ logprobs: 5 }, { logProbs: 5 }],
    [{ top_logprobs: 5 }, {}],
    [{ tool_choice: 'none' }, { toolChoice: { type: 'NONE' } }],
    [{ tool_choice: '' }, {}],
    [{ tool_choice: { type: 'custom', custom: { name: 'g' } } }, { toolChoice: { type: 'FUNCTION', name: 'g' } }],
    [{ response_format: { type: 'text' } }, { responseFormat: { type: 'TEXT' } }],
    [{ response_format: 'text' }, {}],
    [
      { temperature: -1, stop: ['a', 1] },
      { temperature: 0, stop: ['a'] },
    ],
    [{ stream: true }, { isStream: true }],
    [
      { stream: true, stream_options: { include_usage: true } },
      { isStream: true, streamOptions: { isIncludeUsage: true } },
    ],
  ])('says %j as %j', ([params, want]) => {
    expect(toOciChat({ messages: [], ...params }, TARGET)['chatRequest']).toEqual({
      apiFormat: 'GENERIC',
      messages: [],
      ...want,
    });
  });

  test('has the time and id of the upstream, or its own', () => {
    const body = { chatResponse: { choices: [], timeCreated: '2025-05-05T05:05:05Z' } };
    expect(unwrap(fromOciChat(body, ctx, 'req-1'))).toMatchObject({ id: 'req-1', created: 1_746_421_505 });
    const bare = { chatResponse: { choices: [], timeCreated: 'never' } };
    expect(unwrap(fromOciChat(bare, ctx, undefined))).toMatchObject({ id: 'chatcmpl-29', created: 1_760_000_000 });
  });

  test.for([null, [], {}, { chatResponse: {} }, { chatResponse: { choices: {} } }])('is not %j', (body) => {
    expect(fromOciChat(body, ctx, undefined).ok).toBe(false);
  });

  test('streams any frame without throwing, in a bounded number of choices', () => {
    const event = fc.record({
      index: fc.jsonValue(),
      message: fc.oneof(fc.jsonValue(), fc.record({ content: fc.jsonValue(), toolCalls: fc.jsonValue() })),
      finishReason: fc.jsonValue(),
      usage: fc.jsonValue(),
    });
    const data = fc.oneof(
      fc.string(),
      fc.oneof(fc.jsonValue(), event).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(data), fc.boolean(), (frames, strict) => {
        const decoder = createOciDecoder({ ...ctx, strict });
        const items = [...frames.flatMap((text) => decoder.push({ event: undefined, data: text })), ...decoder.end()];
        expect(items.filter(({ kind }) => kind !== 'chunk').length).toBeLessThan(2);
      }),
    );
    const decoder = createOciDecoder(ctx);
    const many = Array.from({ length: 300 }, (_, index) => JSON.stringify({ index, message: { role: 'ASSISTANT' } }));
    expect(many.flatMap((text) => decoder.push({ event: undefined, data: text }))).toHaveLength(128);
  });
});
