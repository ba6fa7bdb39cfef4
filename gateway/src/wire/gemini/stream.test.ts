import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamItem, WireContext } from '../contract.ts';
import { createFrameReader } from '../framing/index.ts';
import { createGeminiDecoder } from './stream.ts';

const ctx = (strict: boolean): WireContext => ({
  provider: 'vertex-ai',
  model: 'asked',
  strict,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
});

const decode = (pieces: readonly Uint8Array[], strict = true): StreamItem[] => {
  const reader = createFrameReader('sse');
  const decoder = createGeminiDecoder(ctx(strict));
  const frames = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
};

const sse = (...events: unknown[]): Buffer =>
  Buffer.from(events.map((event) => `data: ${JSON.stringify(event)}\r\n\r\n`).join(''));
const decodeEvents = (events: readonly unknown[], strict = true): StreamItem[] => decode([sse(...events)], strict);

const event = (parts: object[], more: object = {}): object => ({ candidates: [{ content: { parts }, ...more }] });
const choice = (delta: object, finish_reason: string | null = null, more: object = {}): object => ({
  index: 0,
  delta,
  logprobs: null,
  finish_reason,
  ...more,
});
const choices = (items: readonly StreamItem[]): unknown[] =>
  items.flatMap((item) => (item.kind === 'chunk' && 'choices' in item.data ? [item.data.choices] : []));

const CALL = { functionCall: { name: 'f', args: { a: 1 } }, thoughtSignature: 'sig' };
const callDelta = (index: number, more: object = {}): object => ({
  index,
  id: 'call_24',
  type: 'function',
  function: { name: 'f', arguments: '{"a":1}', ...more },
});

describe('a Gemini stream', () => {
  test('becomes chunks, then the usage once', () => {
    const items = decodeEvents([
      {
        ...event([{ text: 'Hel' }]),
        modelVersion: 'served',
        usageMetadata: { promptTokenCount: 4, totalTokenCount: 4 },
      },
      {
        ...event([{ text: 'lo' }], { finishReason: 'STOP' }),
        usageMetadata: { candidatesTokenCount: 6, thoughtsTokenCount: 2, totalTokenCount: 12 },
      },
    ]);
    const head = {
      id: 'vertex-ai-1760000000999',
      object: 'chat.completion.chunk',
      created: 1_760_000_000,
      model: 'served',
      provider: 'vertex-ai',
    };
    expect(items).toEqual([
      { kind: 'chunk', data: { ...head, choices: [choice({ role: 'assistant', content: 'Hel' })] } },
      { kind: 'chunk', data: { ...head, choices: [choice({ content: 'lo' }, 'stop')] } },
      {
        kind: 'usage',
        usage: {
          prompt_tokens: 4,
          completion_tokens: 8,
          total_tokens: 12,
          completion_tokens_details: { reasoning_tokens: 2 },
        },
      },
    ]);
  });

  test.for([
    {
      rule: 'an event may mix text and calls; calls are counted over the whole stream',
      events: [event([{ text: 'x' }, CALL]), event([CALL], { finishReason: 'STOP' })],
      want: [
        [choice({ role: 'assistant', content: 'x', tool_calls: [callDelta(0)] })],
        [choice({ tool_calls: [callDelta(1)] }, 'tool_calls')],
      ],
    },
    {
      rule: 'a reason in its own event takes an earlier call into account',
      events: [event([CALL]), { candidates: [{ finishReason: 'STOP' }] }],
      want: [[choice({ role: 'assistant', content: '', tool_calls: [callDelta(0)] })], [choice({}, 'tool_calls')]],
    },
    {
      rule: 'thoughts open the stream without content',
      events: [
        event([{ text: 'a', thought: true }]),
        event([{ text: 'b', thought: true }]),
        event([{ text: 'c' }], { finishReason: 'STOP' }),
      ],
      want: [[choice({ role: 'assistant', content: '' })], [choice({ content: 'c' }, 'stop')]],
    },
    {
      rule: 'a finish message replaces missing content',
      events: [{ candidates: [{ finishReason: 'SAFETY', finishMessage: 'no' }] }],
      want: [[choice({ role: 'assistant', content: 'no' }, 'content_filter')]],
    },
    {
      rule: 'a finish message after content is not content',
      events: [event([{ text: 'x' }]), { candidates: [{ finishReason: 'OTHER', finishMessage: 'no' }] }],
      want: [[choice({ role: 'assistant', content: 'x' })], [choice({}, 'stop')]],
    },
    {
      rule: 'a blocked prompt is one filtered choice',
      events: [{ promptFeedback: { blockReason: 'SAFETY' } }],
      want: [[choice({ role: 'assistant', content: '' }, 'content_filter')]],
    },
    {
      rule: 'a stream that ends without a reason stops',
      events: [event([{ text: 'x' }])],
      want: [[choice({ role: 'assistant', content: 'x' })], [choice({}, 'stop')]],
    },
    {
      rule: 'candidates are followed one by one',
      events: [
        {
          candidates: [
            { index: 0, content: { parts: [{ text: 'a' }] } },
            { index: 1, content: { parts: [{ text: 'b' }] } },
          ],
        },
        { candidates: [{ index: 1, finishReason: 'STOP' }] },
        { candidates: [{ index: 0, finishReason: 'MAX_TOKENS' }] },
      ],
      want: [
        [choice({ role: 'assistant', content: 'a' }), { ...choice({ role: 'assistant', content: 'b' }), index: 1 }],
        [{ ...choice({}, 'stop'), index: 1 }],
        [choice({}, 'length')],
      ],
    },
    { rule: 'usage alone makes no chunk', events: [{ usageMetadata: { promptTokenCount: 1 } }], want: [] },
  ])('strict: $rule', ({ events, want }) => {
    expect(choices(decodeEvents(events))).toEqual(want);
  });

  test.for([
    {
      rule: 'thoughts come first, text follows, images have blocks of their own',
      events: [
        event([{ text: 'hm', thought: true, thoughtSignature: 's' }, { text: 'x' }]),
        event([{ text: 'm', thought: true }, { inlineData: { mimeType: 'image/png', data: 'AA' } }, { text: 'y' }], {
          finishReason: 'STOP',
          groundingMetadata: { g: 1 },
          safetyRatings: [],
        }),
      ],
      want: [
        [
          choice({
            role: 'assistant',
            content: 'x',
            content_blocks: [
              { index: 0, delta: { thinking: 'hm' } },
              { index: 0, delta: { signature: 's' } },
              { index: 1, delta: { text: 'x' } },
            ],
          }),
        ],
        [
          choice(
            {
              content: 'y',
              content_blocks: [
                { index: 0, delta: { thinking: 'm' } },
                { index: 2, delta: { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } } },
                { index: 1, delta: { text: 'y' } },
              ],
            },
            'STOP',
            { groundingMetadata: { g: 1 }, safetyRatings: [] },
          ),
        ],
      ],
    },
    {
      rule: 'text without thoughts is block 0, a call carries its signature',
      events: [event([{ text: 'x' }, CALL], { finishReason: 'STOP' })],
      want: [
        [
          choice(
            {
              role: 'assistant',
              content: 'x',
              tool_calls: [callDelta(0, { thought_signature: 'sig' })],
              content_blocks: [{ index: 0, delta: { text: 'x' } }],
            },
            'tool_calls',
          ),
        ],
      ],
    },
    {
      rule: 'a blocked prompt has its reason',
      events: [{ promptFeedback: { blockReason: 'OTHER' } }],
      want: [
        [choice({ role: 'assistant', content: '' }, 'content_filter', { promptFeedback: { blockReason: 'OTHER' } })],
      ],
    },
  ])('not strict: $rule', ({ events, want }) => {
    expect(choices(decodeEvents(events, false))).toEqual(want);
  });

  test('carries log-probabilities', () => {
    const logprobsResult = { chosenCandidates: [{ token: 'x', logProbability: -1 }] };
    expect(choices(decodeEvents([event([{ text: 'x' }], { logprobsResult, finishReason: 'STOP' })]))).toEqual([
      [
        choice({ role: 'assistant', content: 'x' }, 'stop', {
          logprobs: { content: [{ token: 'x', logprob: -1, bytes: [120], top_logprobs: [] }] },
        }),
      ],
    ]);
  });

  test.for([
    { shape: 'an object', body: { error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } } },
    { shape: 'a list', body: [{ error: { code: 429, message: 'slow down', status: 'RESOURCE_EXHAUSTED' } }] },
  ])('ends with an error that comes as $shape', ({ body }) => {
    const items = decodeEvents([event([{ text: 'x' }]), body, event([{ text: 'late' }])]);
    expect(items.slice(1)).toEqual([
      {
        kind: 'error',
        error: { message: 'vertex-ai error: slow down', type: 'RESOURCE_EXHAUSTED', param: null, code: '429' },
      },
    ]);
  });

  test('is the same at every split point', () => {
    const bytes = sse(event([{ text: 'grüße 😀', thought: true }]), event([{ text: 'grüße 😀' }, CALL]), {
      ...event([], { finishReason: 'STOP' }),
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 2 },
    });
    const whole = decode([bytes], false);
    expect(whole).toHaveLength(4);
    for (let at = 0; at <= bytes.length; at += 1) {
      expect(decode([bytes.subarray(0, at), bytes.subarray(at)], false)).toEqual(whole);
    }
  });

  test('takes any frame without throwing and gives the usage at most once', () => {
    const part = fc.dictionary(fc.constantFrom('text', 'thought', 'functionCall', 'inlineData'), fc.jsonValue());
    const candidate = fc.record({ index: fc.jsonValue(), content: fc.record({ parts: fc.array(part) }) });
    const body = fc.oneof(
      fc.jsonValue(),
      fc.record({ candidates: fc.array(candidate), usageMetadata: fc.jsonValue() }),
    );
    const data = fc.oneof(
      fc.string(),
      body.map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(fc.array(data), fc.boolean(), (frames, strict) => {
        const decoder = createGeminiDecoder(ctx(strict));
        const items = frames.flatMap((text) => decoder.push({ event: undefined, data: text }));
        const all = [...items, ...decoder.end()];
        expect(all.filter((item) => item.kind === 'usage').length).toBeLessThan(2);
      }),
    );
  });

  test('follows no more choices than a client can ask for', () => {
    const candidates = Array.from({ length: 500 }, (_, index) => ({ index, content: { parts: [{ text: 'x' }] } }));
    expect(choices(decodeEvents([{ candidates }]))[0]).toHaveLength(128);
  });
});
