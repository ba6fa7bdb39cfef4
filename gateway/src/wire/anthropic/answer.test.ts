import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import {
  anthropicErrorFields,
  fromAnthropicAnswer,
  fromLegacyCompletion,
  isOverloadFrame,
  toLegacyCompletion,
  usageOfMessage,
} from './index.ts';

const ctx: WireContext = {
  provider: 'anthropic',
  model: 'asked-for',
  strict: true,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};
const loose = { ...ctx, strict: false };

const answer = (over: object = {}) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-x',
  content: [{ type: 'text', text: 'hi' }],
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, output_tokens: 2 },
  ...over,
});

const toolUse = { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 } };
const toolCall = { id: 't1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };

describe('an answer', () => {
  test('is a chat completion', () => {
    expect(unwrap(fromAnthropicAnswer(answer(), ctx))).toEqual({
      id: 'msg_1',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'claude-x',
      provider: 'anthropic',
      choices: [{ index: 0, message: { role: 'assistant', content: 'hi' }, logprobs: null, finish_reason: 'stop' }],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7, prompt_tokens_details: { cached_tokens: 0 } },
    });
  });

  test('without id, model and reason gets a generated id, the requested model and the reason stop', () => {
    const made = unwrap(fromAnthropicAnswer({ content: [] }, ctx));
    expect(made).toMatchObject({
      id: `chatcmpl-${'0'.repeat(29)}`,
      model: 'asked-for',
      choices: [{ finish_reason: 'stop' }],
    });
    expect(made).not.toHaveProperty('usage');
  });

  const blocks = [
    { type: 'thinking', thinking: 'hm', signature: 's' },
    { type: 'redacted_thinking', data: 'x' },
    { type: 'text', text: 'a', citations: [] },
    { type: 'server_tool_use', id: 's1', name: 'web_search', input: {} },
    { type: 'text', text: 'b' },
  ];

  test.for([
    { rule: 'joins its texts', content: blocks, ctx, want: { role: 'assistant', content: 'ab' } },
    {
      rule: 'shows all blocks but tool calls to clients that are not strict',
      content: [...blocks, toolUse],
      ctx: loose,
      want: { role: 'assistant', content: 'ab', tool_calls: [toolCall], content_blocks: blocks },
    },
    {
      rule: 'has no content when it only calls tools',
      content: [toolUse],
      ctx,
      want: { role: 'assistant', content: null, tool_calls: [toolCall] },
    },
    { rule: 'has empty content without text', content: [], ctx, want: { role: 'assistant', content: '' } },
  ])('$rule', ({ content, ctx: context, want }) => {
    expect(unwrap(fromAnthropicAnswer(answer({ content }), context)).choices[0]?.message).toEqual(want);
  });

  test.for([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['tool_use', 'tool_calls'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
  ])('ends with %s: %s for strict clients, the reason of the vendor for others', ([reason, want]) => {
    const body = answer({ stop_reason: reason });
    expect(unwrap(fromAnthropicAnswer(body, ctx)).choices[0]?.finish_reason).toBe(want);
    expect(unwrap(fromAnthropicAnswer(body, loose)).choices[0]?.finish_reason).toBe(reason);
  });

  test('counts cached tokens as prompt', () => {
    const usage = { input_tokens: 5, output_tokens: 9, cache_read_input_tokens: 3, cache_creation_input_tokens: 4 };
    expect(usageOfMessage({ usage })).toEqual({
      prompt_tokens: 12,
      completion_tokens: 9,
      total_tokens: 21,
      prompt_tokens_details: { cached_tokens: 3 },
      cache_read_input_tokens: 3,
      cache_creation_input_tokens: 4,
    });
  });

  test('without content cannot be read, whatever it is', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const readable =
          typeof value === 'object' && value !== null && 'content' in value && Array.isArray(value['content']);
        expect(fromAnthropicAnswer(value, ctx).ok).toBe(readable);
      }),
    );
  });
});

describe('an error', () => {
  test.for<{ rule: string; body: unknown; want: unknown }>([
    {
      rule: 'of the vendor',
      body: { type: 'error', error: { type: 'overloaded_error', message: 'busy' }, request_id: 'r' },
      want: { message: 'busy', type: 'overloaded_error', param: null, code: null },
    },
    { rule: 'of another shape', body: { error: { message: 'x' } }, want: undefined },
    { rule: 'without a message', body: { type: 'error', error: {} }, want: undefined },
    { rule: 'that is text', body: 'bad gateway', want: undefined },
  ])('$rule', ({ body, want }) => {
    expect(anthropicErrorFields(body)).toEqual(want);
  });

  const overloaded = '{"type":"error","error":{"type":"overloaded_error","message":"busy"}}';
  test.for([
    { frame: { event: 'error', data: overloaded }, want: true },
    { frame: { event: undefined, data: overloaded }, want: true },
    { frame: { event: 'error', data: overloaded.replace('overloaded', 'api') }, want: false },
    { frame: { event: 'message_start', data: overloaded }, want: false },
    { frame: { event: 'error', data: 'not json' }, want: false },
  ])('that starts a stream counts as overload: $want', ({ frame, want }) => {
    expect(isOverloadFrame(frame)).toBe(want);
  });
});

describe('a legacy completion', () => {
  test.for<{ rule: string; params: object; want: object }>([
    {
      rule: 'maps every parameter',
      params: { prompt: 'p', max_tokens: 9, temperature: 2, top_p: 0.5, top_k: 3, stop: 'x', user: 'u', echo: true },
      want: {
        prompt: '\n\nHuman: p\n\nAssistant:',
        max_tokens_to_sample: 9,
        temperature: 1,
        top_p: 0.5,
        top_k: 3,
        stop_sequences: ['x'],
        metadata: { user_id: 'u' },
      },
    },
    {
      rule: 'takes a list of one prompt and needs a limit',
      params: { prompt: ['p'] },
      want: { prompt: '\n\nHuman: p\n\nAssistant:', max_tokens_to_sample: 4096 },
    },
  ])('$rule', ({ params, want }) => {
    expect(unwrap(toLegacyCompletion({ ...params }))).toEqual(want);
  });

  test.for([{ prompt: ['a', 'b'] }, { prompt: [1, 2] }, {}])('is refused for %j', (params) => {
    expect(toLegacyCompletion(params)).toMatchObject({
      ok: false,
      error: { code: 'PARAMETER_INVALID', param: 'prompt' },
    });
  });

  test('is read with its own id, or the log id', () => {
    const body = {
      type: 'completion',
      id: 'compl_1',
      completion: ' yes',
      stop_reason: 'max_tokens',
      model: 'claude-2.1',
    };
    expect(unwrap(fromLegacyCompletion(body, ctx))).toEqual({
      id: 'compl_1',
      object: 'text_completion',
      created: 1_760_000_000,
      model: 'claude-2.1',
      provider: 'anthropic',
      choices: [{ text: ' yes', index: 0, logprobs: null, finish_reason: 'length' }],
    });
    expect(unwrap(fromLegacyCompletion({ ...body, log_id: 'l1' }, ctx)).id).toBe('l1');
    expect(fromLegacyCompletion({}, ctx).ok).toBe(false);
  });
});
