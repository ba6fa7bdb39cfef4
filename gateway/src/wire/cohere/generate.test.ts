import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { StreamItem, WireContext } from '../contract.ts';
import { createFrameReader } from '../framing/index.ts';
import { createGenerateDecoder, fromGenerate, toGenerateBody } from './generate.ts';

const ctx: WireContext = {
  provider: 'cohere',
  model: 'command',
  strict: true,
  params: {},
  now: () => 1_760_000_000_999,
  newId: (prefix, length) => `${prefix}${length}`,
};

const decode = (pieces: readonly Uint8Array[]): StreamItem[] => {
  const reader = createFrameReader('json-lines');
  const decoder = createGenerateDecoder(ctx);
  const frames = [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()];
};

const lines = (...events: object[]): Buffer =>
  Buffer.from(events.map((event) => `${JSON.stringify(event)}\n`).join(''));
const chunk = (text: string, finish_reason: string | null = null, index = 0): StreamItem => ({
  kind: 'chunk',
  data: {
    id: 'cmpl-29',
    object: 'text_completion',
    created: 1_760_000_000,
    model: 'command',
    provider: 'cohere',
    choices: [{ text, index, logprobs: null, finish_reason }],
  },
});

describe('a Cohere text completion', () => {
  test.for([
    {
      rule: 'parameters under their names',
      params: {
        prompt: 'p',
        max_tokens: 5,
        temperature: 1,
        top_p: 0.5,
        top_k: 3,
        n: 2,
        stop: 'END',
        logit_bias: { 1: 2 },
      },
      want: {
        prompt: 'p',
        max_tokens: 5,
        temperature: 1,
        p: 0.5,
        k: 3,
        num_generations: 2,
        end_sequences: ['END'],
        logit_bias: { 1: 2 },
      },
    },
    {
      rule: 'numbers within bounds',
      params: {
        prompt: ['p'],
        max_tokens: 0,
        temperature: 9,
        top_k: 999,
        n: 9,
        frequency_penalty: -1,
        presence_penalty: 2,
      },
      want: {
        prompt: 'p',
        max_tokens: 1,
        temperature: 5,
        k: 500,
        num_generations: 5,
        frequency_penalty: 0,
        presence_penalty: 1,
      },
    },
    {
      rule: 'streaming, and nothing unknown',
      params: { prompt: 'p', stream: true, echo: true, user: 'u' },
      want: { prompt: 'p', stream: true },
    },
  ])('is asked for with $rule', ({ params, want }) => {
    expect(unwrap(toGenerateBody(params, 'command'))).toEqual({ model: 'command', ...want });
  });

  test.for([{}, { prompt: ['a', 'b'] }, { prompt: [1, 2] }])('is refused for %j', (params) => {
    expect(toGenerateBody(params, 'command')).toMatchObject({ ok: false, error: { code: 'PARAMETER_INVALID' } });
  });

  test('comes with the reason of the upstream', () => {
    const body = {
      id: 'g1',
      generations: [
        { text: 'a', finish_reason: 'COMPLETE' },
        { text: 'b', finish_reason: 'MAX_TOKENS' },
      ],
      meta: { billed_units: { input_tokens: 2, output_tokens: 3 } },
    };
    expect(unwrap(fromGenerate(body, ctx))).toMatchObject({
      id: 'g1',
      object: 'text_completion',
      choices: [
        { text: 'a', index: 0, finish_reason: 'stop' },
        { text: 'b', index: 1, finish_reason: 'length' },
      ],
      usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 },
    });
  });

  test.for([null, {}, { generations: 'x' }])('is not %j', (body) => {
    expect(fromGenerate(body, ctx).ok).toBe(false);
  });
});

describe('a Cohere text stream', () => {
  const STREAM = lines(
    { text: 'gr', is_finished: false, event_type: 'text-generation' },
    { response: { generations: [{ text: 'üße' }] }, is_finished: false },
    {
      is_finished: true,
      finish_reason: 'COMPLETE',
      text: 'grüße',
      response: {
        id: 'r',
        generations: [{ text: 'grüße', finish_reason: 'MAX_TOKENS' }],
        meta: { billed_units: { input_tokens: 2, output_tokens: 3 } },
      },
    },
  );
  const WANT = [
    chunk('gr'),
    chunk('üße'),
    chunk('', 'length'),
    { kind: 'usage', usage: { prompt_tokens: 2, completion_tokens: 3, total_tokens: 5 } },
  ];

  test('is the same at every split point, without the text of the last frame', () => {
    for (let at = 0; at <= STREAM.length; at += 1) {
      expect(decode([STREAM.subarray(0, at), STREAM.subarray(at)])).toEqual(WANT);
    }
  });

  test('ends each generation', () => {
    const last = { is_finished: true, finish_reason: 'COMPLETE', response: { generations: [{}, {}] } };
    expect(decode([lines({ text: 'a', index: 1 }, last)])).toEqual([
      chunk('a', null, 1),
      chunk('', 'stop', 0),
      chunk('', 'stop', 1),
    ]);
  });

  test('ends with the reason of the frame when no generation has one', () => {
    expect(decode([lines({ is_finished: true, finish_reason: 'MAX_TOKENS' })])).toEqual([chunk('', 'length')]);
  });

  test.for([
    { rule: 'an error line', text: '{"message":"boom"}\n{"text":"late"}\n' },
    { rule: 'a missing end', text: '{"is_finished":false}\n' },
  ])('fails for $rule', ({ text }) => {
    expect(decode([Buffer.from(text)])).toEqual([{ kind: 'error', error: expect.objectContaining({ param: null }) }]);
  });

  test('takes any line without throwing', () => {
    const event = fc.dictionary(
      fc.constantFrom('text', 'is_finished', 'response', 'finish_reason', 'index'),
      fc.jsonValue(),
    );
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.string(),
            event.map((value) => JSON.stringify(value)),
          ),
        ),
        (frames) => {
          const decoder = createGenerateDecoder(ctx);
          for (const data of frames) decoder.push({ event: undefined, data });
          decoder.end();
        },
      ),
    );
  });
});
