import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { WireContext } from '../contract.ts';
import { fromGeminiAnswer } from './answer.ts';

const ctx = (strict = true): WireContext => ({
  provider: 'google',
  model: 'gemini-asked',
  strict,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
});

const answer = (candidate: object, more: object = {}): object => ({
  candidates: [{ finishReason: 'STOP', ...candidate }],
  ...more,
});
const said = (...parts: object[]): object => ({ content: { role: 'model', parts } });

const choiceOf = (body: unknown, strict = true): unknown => unwrap(fromGeminiAnswer(body, ctx(strict))).choices[0];

describe('a Gemini answer', () => {
  test('becomes a chat completion', () => {
    const body = answer(said({ text: 'a' }, { text: 'b' }), {
      modelVersion: 'gemini-served',
      usageMetadata: {
        promptTokenCount: 4,
        candidatesTokenCount: 6,
        thoughtsTokenCount: 2,
        totalTokenCount: 12,
        cachedContentTokenCount: 1,
      },
    });
    expect(unwrap(fromGeminiAnswer(body, ctx()))).toEqual({
      id: 'chatcmpl-29',
      object: 'chat.completion',
      created: 1_760_000_000,
      model: 'gemini-served',
      provider: 'google',
      choices: [{ index: 0, message: { role: 'assistant', content: 'ab' }, logprobs: null, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 4,
        completion_tokens: 8,
        total_tokens: 12,
        prompt_tokens_details: { cached_tokens: 1 },
        completion_tokens_details: { reasoning_tokens: 2 },
      },
    });
  });

  const CALL = { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'sig' };
  const TOOL_CALL = { id: 'call_24', type: 'function', function: { name: 'f', arguments: '{"a":1}' } };

  test.for([
    {
      rule: 'calls without text have no content and end with tool_calls',
      body: answer(said(CALL, { functionCall: { name: 'g' } })),
      want: {
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [TOOL_CALL, { id: 'call_24', type: 'function', function: { name: 'g', arguments: '{}' } }],
        },
        finish_reason: 'tool_calls',
      },
    },
    {
      rule: 'text stays beside calls',
      body: answer(said({ text: 'look' }, CALL)),
      want: { message: { role: 'assistant', content: 'look', tool_calls: [TOOL_CALL] }, finish_reason: 'tool_calls' },
    },
    {
      rule: 'thoughts and images are for clients that are not strict',
      body: answer({
        ...said({ text: 'hm', thought: true }, { text: 'x' }, { inlineData: { mimeType: 'image/png', data: 'AA' } }),
        groundingMetadata: { a: 1 },
        safetyRatings: [],
      }),
      want: { message: { role: 'assistant', content: 'x' }, finish_reason: 'stop' },
    },
    {
      rule: 'a finish message replaces missing content',
      body: answer({ finishReason: 'MALFORMED_FUNCTION_CALL', finishMessage: 'bad call' }),
      want: { message: { role: 'assistant', content: 'bad call' }, finish_reason: 'stop' },
    },
    {
      rule: 'all tokens may go into thoughts',
      body: answer({ finishReason: 'MAX_TOKENS' }),
      want: { message: { role: 'assistant', content: '' }, finish_reason: 'length' },
    },
    {
      rule: 'a blocked prompt is one filtered choice',
      body: { promptFeedback: { blockReason: 'SAFETY' } },
      want: { message: { role: 'assistant', content: '' }, finish_reason: 'content_filter' },
    },
    {
      rule: 'usage without candidates is an answer',
      body: { usageMetadata: { promptTokenCount: 3 } },
      want: { message: { role: 'assistant', content: '' }, finish_reason: 'stop' },
    },
  ])('strict: $rule', ({ body, want }) => {
    expect(choiceOf(body)).toEqual({ index: 0, logprobs: null, ...want });
  });

  test.for([
    {
      rule: 'parts are blocks in order, vendor members stay, the reason is that of the vendor',
      body: answer({
        ...said(
          { text: 'hm', thought: true, thoughtSignature: 's' },
          { text: 'x' },
          { inlineData: { mimeType: 'image/png', data: 'AA' } },
        ),
        groundingMetadata: { a: 1 },
        safetyRatings: [{ category: 'c' }],
      }),
      want: {
        message: {
          role: 'assistant',
          content: 'x',
          content_blocks: [
            { type: 'thinking', thinking: 'hm', signature: 's' },
            { type: 'text', text: 'x' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
          ],
        },
        finish_reason: 'STOP',
        groundingMetadata: { a: 1 },
        safetyRatings: [{ category: 'c' }],
      },
    },
    {
      rule: 'a call carries its thought signature',
      body: answer(said(CALL)),
      want: {
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ ...TOOL_CALL, function: { ...TOOL_CALL.function, thought_signature: 'sig' } }],
        },
        finish_reason: 'tool_calls',
      },
    },
    {
      rule: 'a blocked prompt has its reason',
      body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' }, usageMetadata: {} },
      want: {
        message: { role: 'assistant', content: '' },
        finish_reason: 'content_filter',
        promptFeedback: { blockReason: 'PROHIBITED_CONTENT' },
      },
    },
  ])('not strict: $rule', ({ body, want }) => {
    expect(choiceOf(body, false)).toEqual({ index: 0, logprobs: null, ...want });
  });

  test.for([
    ['STOP', 'stop'],
    ['RECITATION', 'stop'],
    ['OTHER', 'stop'],
    ['FINISH_REASON_UNSPECIFIED', 'stop'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['LANGUAGE', 'content_filter'],
    ['BLOCKLIST', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['SPII', 'content_filter'],
    ['IMAGE_SAFETY', 'content_filter'],
    ['A_NEW_ONE', 'stop'],
    [undefined, 'stop'],
  ])('ends %s as %s', ([finishReason, want]) => {
    expect(choiceOf(answer({ ...said({ text: 'x' }), finishReason }))).toMatchObject({ finish_reason: want });
  });

  test('keeps a length reason although a function was called', () => {
    expect(choiceOf(answer({ ...said(CALL), finishReason: 'MAX_TOKENS' }))).toMatchObject({ finish_reason: 'length' });
  });

  test('takes the index from the upstream, else the place in the list', () => {
    const body = { candidates: [{ index: 1, ...said({ text: 'b' }) }, said({ text: 'a' })] };
    expect(unwrap(fromGeminiAnswer(body, ctx())).choices.map(({ index }) => index)).toEqual([1, 1]);
  });

  test('gives log-probabilities with UTF-8 bytes', () => {
    const logprobsResult = {
      chosenCandidates: [{ token: 'é', logProbability: -0.5 }, { token: 'x' }],
      topCandidates: [{ candidates: [{ token: 'é', logProbability: -0.5 }] }],
    };
    expect(choiceOf(answer({ ...said({ text: 'éx' }), logprobsResult }))).toMatchObject({
      logprobs: {
        content: [
          {
            token: 'é',
            logprob: -0.5,
            bytes: [0xc3, 0xa9],
            top_logprobs: [{ token: 'é', logprob: -0.5, bytes: [0xc3, 0xa9] }],
          },
          { token: 'x', logprob: 0, bytes: [0x78], top_logprobs: [] },
        ],
      },
    });
  });

  test.for([null, [], 'text', {}, { candidates: [] }])('is not %j', (body) => {
    expect(fromGeminiAnswer(body, ctx()).ok).toBe(false);
  });

  test('never throws', () => {
    const part = fc.dictionary(fc.constantFrom('text', 'thought', 'functionCall', 'inlineData'), fc.jsonValue());
    const candidate = fc.record({ content: fc.record({ parts: fc.array(part) }), finishReason: fc.jsonValue() });
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.record({ candidates: fc.array(candidate) })), (body) => {
        fromGeminiAnswer(body, ctx(false));
      }),
    );
  });
});
