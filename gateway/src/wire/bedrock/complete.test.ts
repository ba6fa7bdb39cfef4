import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { JsonObject, WireContext } from '../contract.ts';
import { fromCompleteAnswer } from './complete-answer.ts';
import { createCompleteDecoder, type Family, toCompleteBody, toLegacyChatBody } from './index.ts';

const ctx: WireContext = {
  provider: 'bedrock',
  model: 'm',
  strict: true,
  params: {},
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};

const HEADERS = { 'x-amzn-bedrock-input-token-count': '4', 'x-amzn-bedrock-output-token-count': ['6'] };

const PARAMS = {
  prompt: 'p',
  max_tokens: 5000,
  temperature: 1.5,
  top_p: 0.9,
  top_k: 600,
  frequency_penalty: 1.5,
  presence_penalty: -1,
  logit_bias: { a: 1 },
  n: 9,
  stop: 'x',
  stream: true,
  user: 'u',
};

describe('a text completion', () => {
  test.for<{ family: Family; want: JsonObject }>([
    {
      family: 'anthropic',
      want: {
        prompt: '\n\nHuman: p\n\nAssistant:',
        max_tokens_to_sample: 5000,
        temperature: 1,
        top_p: 0.9,
        top_k: 600,
        stop_sequences: ['x'],
        metadata: { user_id: 'u' },
      },
    },
    {
      family: 'cohere',
      want: {
        prompt: 'p',
        max_tokens: 5000,
        temperature: 1.5,
        p: 0.9,
        k: 500,
        frequency_penalty: 1,
        presence_penalty: 0,
        logit_bias: { a: 1 },
        num_generations: 5,
        end_sequences: ['x'],
        stream: true,
      },
    },
    { family: 'meta', want: { prompt: 'p', max_gen_len: 2048, temperature: 1, top_p: 0.9 } },
    {
      family: 'mistral',
      want: { prompt: 'p', max_tokens: 5000, temperature: 1.5, top_p: 0.9, top_k: 600, stop: ['x'] },
    },
    {
      family: 'amazon',
      want: {
        inputText: 'p',
        textGenerationConfig: { temperature: 1.5, topP: 0.9, maxTokenCount: 5000, stopSequences: ['x'] },
      },
    },
    {
      family: 'ai21',
      want: {
        prompt: 'p',
        maxTokens: 5000,
        temperature: 1,
        topP: 0.9,
        stopSequences: ['x'],
        presencePenalty: { scale: -1 },
        frequencyPenalty: { scale: 1.5 },
      },
    },
  ])('of $family has its own parameters', ({ family, want }) => {
    expect(unwrap(toCompleteBody(PARAMS, family))).toEqual(want);
  });

  test('sends no parameters that the client did not set', () => {
    expect(unwrap(toCompleteBody({ prompt: 'p' }, 'amazon'))).toEqual({ inputText: 'p' });
    expect(unwrap(toCompleteBody({ prompt: 'p', max_tokens: null, stop: null }, 'cohere'))).toEqual({ prompt: 'p' });
  });

  test.for<{ family: Family; params: JsonObject; code: string }>([
    { family: 'stability', params: PARAMS, code: 'OPERATION_UNSUPPORTED' },
    { family: 'other', params: PARAMS, code: 'OPERATION_UNSUPPORTED' },
    { family: 'meta', params: { prompt: ['a', 'b'] }, code: 'PARAMETER_INVALID' },
    { family: 'anthropic', params: {}, code: 'PARAMETER_INVALID' },
  ])('of $family is refused with $code', ({ family, params, code }) => {
    expect(toCompleteBody(params, family)).toMatchObject({ ok: false, error: { code } });
  });

  test('carries a chat as lines of text', () => {
    const messages = [
      { role: 'developer', content: 'S' },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
      { role: 'assistant', content: 'yo' },
    ];
    expect(unwrap(toLegacyChatBody({ messages, max_completion_tokens: 3 }, 'cohere'))).toEqual({
      prompt: 'system: S\nuser: hi\nassistant: yo\nAssistant:',
      max_tokens: 3,
    });
  });

  const plain = { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 };
  test.for<{ family: string; body: JsonObject; texts: string[]; reasons: string[]; usage?: object }>([
    { family: 'anthropic', body: { completion: 'a', stop_reason: 'max_tokens' }, texts: ['a'], reasons: ['length'] },
    {
      family: 'cohere',
      body: {
        generations: [
          { text: 'a', finish_reason: 'COMPLETE' },
          { text: 'b', finish_reason: 'MAX_TOKENS' },
        ],
      },
      texts: ['a', 'b'],
      reasons: ['stop', 'length'],
    },
    {
      family: 'meta',
      body: { generation: 'a', stop_reason: 'length', prompt_token_count: 1, generation_token_count: 2 },
      texts: ['a'],
      reasons: ['length'],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    },
    { family: 'mistral', body: { outputs: [{ text: 'a', stop_reason: 'stop' }] }, texts: ['a'], reasons: ['stop'] },
    {
      family: 'titan',
      body: {
        inputTextTokenCount: 1,
        results: [
          { outputText: 'a', tokenCount: 2, completionReason: 'FINISHED' },
          { outputText: 'b', tokenCount: 3, completionReason: 'CONTENT_FILTERED' },
        ],
      },
      texts: ['a', 'b'],
      reasons: ['stop', 'content_filter'],
      usage: { prompt_tokens: 1, completion_tokens: 5, total_tokens: 6 },
    },
    {
      family: 'ai21',
      body: { completions: [{ data: { text: 'a' }, finishReason: { reason: 'endoftext' } }] },
      texts: ['a'],
      reasons: ['stop'],
    },
  ])('of $family is read by its shape', ({ body, texts, reasons, usage = plain }) => {
    const read = unwrap(fromCompleteAnswer(body, ctx, HEADERS));
    expect(read.choices.map(({ text }) => text)).toEqual(texts);
    expect(read.choices.map(({ finish_reason }) => finish_reason)).toEqual(reasons);
    expect(read.usage).toEqual(usage);
  });

  test('without counts has no usage; without text it cannot be read', () => {
    expect(unwrap(fromCompleteAnswer({ completion: 'a' }, ctx, {}))).not.toHaveProperty('usage');
    expect(fromCompleteAnswer({ new: 1 }, ctx, {}).ok).toBe(false);
  });
});

describe('a text completion stream', () => {
  const metrics = { 'amazon-bedrock-invocationMetrics': { inputTokenCount: 4, outputTokenCount: 6 } };

  test.for<{ family: string; frames: object[]; want: [text: string, index: number, reason: string | null][] }>([
    {
      family: 'anthropic',
      frames: [
        { completion: 'a', stop_reason: null },
        { completion: 'b', stop_reason: 'stop_sequence', ...metrics },
      ],
      want: [
        ['a', 0, null],
        ['b', 0, 'stop'],
      ],
    },
    {
      family: 'cohere',
      frames: [
        { text: 'a', is_finished: false, index: 1 },
        { text: 'whole', is_finished: true, finish_reason: 'MAX_TOKENS', index: 1 },
        metrics,
      ],
      want: [
        ['a', 1, null],
        ['', 1, 'length'],
      ],
    },
    {
      family: 'meta',
      frames: [
        { generation: 'a', stop_reason: null },
        { generation: 'b', stop_reason: 'length', ...metrics },
      ],
      want: [
        ['a', 0, null],
        ['b', 0, 'length'],
      ],
    },
    {
      family: 'mistral',
      frames: [
        { outputs: [{ text: 'a', stop_reason: null }] },
        { outputs: [{ text: '', stop_reason: 'stop' }], ...metrics },
      ],
      want: [
        ['a', 0, null],
        ['', 0, 'stop'],
      ],
    },
    {
      family: 'titan',
      frames: [
        { outputText: 'a', completionReason: null },
        { outputText: 'b', completionReason: 'FINISHED', ...metrics },
      ],
      want: [
        ['a', 0, null],
        ['b', 0, 'stop'],
      ],
    },
  ])('of $family loses no text and ends once', ({ frames, want }) => {
    const decoder = createCompleteDecoder(ctx);
    const pushed = frames.flatMap((frame) => decoder.push({ event: 'chunk', data: JSON.stringify(frame) }));
    const items = [...pushed, ...decoder.end()];
    const choices = items.flatMap((item) =>
      item.kind === 'chunk' ? (item.data as { choices: object[] }).choices : [],
    );
    expect(choices).toEqual(
      want.map(([text, index, finish_reason]) => ({ text, index, logprobs: null, finish_reason })),
    );
    expect(items.at(-1)).toEqual({
      kind: 'usage',
      usage: { prompt_tokens: 4, completion_tokens: 6, total_tokens: 10 },
    });
  });

  test('that is cut ends with an error', () => {
    const decoder = createCompleteDecoder(ctx);
    expect([...decoder.push({ event: 'chunk', data: '{"completion":"a"}' }), ...decoder.end()].at(-1)).toMatchObject({
      kind: 'error',
      error: { type: 'stream_error' },
    });
  });
});
