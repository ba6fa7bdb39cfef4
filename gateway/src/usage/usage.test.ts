import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { addUsage, findUsage, NO_USAGE, readReport, readUsage, type TokenUsage } from './index.ts';

const NO_MODALITY = { input: 0, output: 0, cached: 0 };

/** Every count of a usage. */
const numbersOf = ({ text, audio, image, units, ...own }: TokenUsage): number[] =>
  [own, text, audio, image, units].flatMap((part) => Object.values(part));

describe('the usage of an answer', () => {
  test.for<{ rule: string; text: string; want: object | undefined }>([
    {
      rule: 'is read in the OpenAI spelling',
      text: '{"id":"x","usage":{"prompt_tokens":3,"completion_tokens":4,"prompt_tokens_details":{"cached_tokens":2}}}',
      want: { input: 3, output: 4, cached: 2 },
    },
    {
      rule: 'is read in the Anthropic spelling, the cache included',
      text: '{"usage": {"input_tokens":3,"output_tokens":4,"cache_read_input_tokens":10,"cache_creation_input_tokens":5}}',
      want: { input: 18, output: 4, total: 22, cached: 10, cacheWrite: 5 },
    },
    {
      rule: 'is read in the Responses spelling',
      text: '{"usage":{"input_tokens":3,"input_tokens_details":{"cached_tokens":1},"output_tokens":4}}',
      want: { input: 3, output: 4, cached: 1 },
    },
    {
      rule: 'is read where the events of a message stream spread it',
      text: 'data: {"message":{"usage":{"input_tokens":9,"output_tokens":1}}}\n\ndata: {"usage":{"output_tokens":7}}\n\n',
      want: { input: 9, output: 7, cached: 0 },
    },
    {
      rule: 'is read behind events where it is null',
      text: 'data: {"usage":null}\n\ndata: {"usage":{"prompt_tokens":1,"completion_tokens":2}}\n\n',
      want: { input: 1, output: 2, cached: 0 },
    },
    {
      rule: 'is not read in the arguments of a tool call',
      text: '{"usage":{"input_tokens":9,"output_tokens":1},"content":[{"input":{"usage":{"prompt_tokens":1}}}]}',
      want: { input: 9, output: 1 },
    },
    {
      rule: 'is not read in the arguments of a tool call, where there is nothing else',
      text: 'data: {"content_block":{"input":{"a":"}}}","usage":{"prompt_tokens":1}}}}\n\ndata: {"type":"message_stop"}\n\n',
      want: undefined,
    },
    {
      rule: 'is read in a choice of a chunk',
      text: 'data: {"choices":[{"usage":{"prompt_tokens":1,"completion_tokens":2},"text":"}}}"}]}\r\n\r\ndata: [DONE]',
      want: { input: 1, output: 2 },
    },
    {
      rule: 'is read in one of several objects of a list',
      text: '[{"usageMetadata":{"promptTokenCount":1}},\n{"usageMetadata":{"promptTokenCount":2}}]',
      want: { input: 2 },
    },
    {
      rule: 'is not read in what the model says about usage',
      text: '{"content":"\\"usage\\":{\\"input_tokens\\":5}"}',
      want: undefined,
    },
    { rule: 'is not read when the end is missing', text: '{"usage":{"prompt_tokens":1', want: undefined },
    { rule: 'is not read when it is no object', text: '{"usage":"high"}', want: undefined },
    { rule: 'is not read when there is none', text: '{"id":"x"}', want: undefined },
    { rule: 'is not read in broken JSON', text: '{"usage":{"prompt_tokens":}}', want: undefined },
    {
      rule: 'is not read in an object that never ends',
      text: `{"usage":{${'"a":1,'.repeat(2_000)}"prompt_tokens":1}}`,
      want: undefined,
    },
    {
      rule: 'is read without what is no positive number',
      text: '{"usage":{"prompt_tokens":"9","completion_tokens":-4}}',
      want: { input: 0, output: 0, cached: 0 },
    },
  ])('$rule', ({ text, want }) => {
    const usage = findUsage(text);
    if (want === undefined) expect(usage).toBeUndefined();
    else expect(usage).toMatchObject(want);
  });

  test('is never negative, whatever the text is', () => {
    fc.assert(
      fc.property(fc.string(), fc.jsonValue(), (noise, value) => {
        const found = findUsage(`${noise}"usage":${JSON.stringify(value)}${noise}`);
        for (const count of found === undefined ? [] : numbersOf(found)) expect(count).toBeGreaterThanOrEqual(0);
      }),
    );
    expect(numbersOf(readUsage({})).every((count) => count === 0)).toBe(true);
  });
});

describe('a usage object', () => {
  test.for<{ format: string; usage: Record<string, unknown>; want: object }>([
    {
      format: 'chat with audio, a cache and reasoning',
      usage: {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 151,
        prompt_tokens_details: { cached_tokens: 40, audio_tokens: 30, cached_tokens_details: { audio_tokens: 10 } },
        completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 5 },
      },
      want: {
        ...{ input: 100, output: 50, total: 151, cached: 40, cacheWrite: 0, reasoning: 20 },
        audio: { input: 30, output: 5, cached: 10 },
        image: NO_MODALITY,
      },
    },
    {
      format: 'chat translated from messages: the cache is part of the prompt already',
      usage: {
        prompt_tokens: 18,
        completion_tokens: 4,
        cache_read_input_tokens: 10,
        cache_creation_input_tokens: 5,
      },
      want: { input: 18, output: 4, total: 22, cached: 10, cacheWrite: 5 },
    },
    {
      format: 'messages with tools of the server',
      usage: { input_tokens: 1, output_tokens: 2, server_tool_use: { web_search_requests: 3, other: 'x' } },
      want: { input: 1, output: 2, units: { web_search: 3 } },
    },
    {
      format: 'responses',
      usage: { input_tokens: 7, output_tokens: 9, output_tokens_details: { reasoning_tokens: 6 }, total_tokens: 16 },
      want: { input: 7, output: 9, total: 16, reasoning: 6 },
    },
    {
      format: 'images',
      usage: { input_tokens: 50, output_tokens: 40, input_tokens_details: { text_tokens: 10, image_tokens: 40 } },
      want: { text: { input: 10, output: 0, cached: 0 }, image: { input: 40, output: 0, cached: 0 } },
    },
    {
      format: 'transcriptions',
      usage: { input_tokens: 14, output_tokens: 45, input_token_details: { text_tokens: 0, audio_tokens: 14 } },
      want: { input: 14, audio: { input: 14, output: 0, cached: 0 }, text: NO_MODALITY },
    },
    {
      format: 'Gemini',
      usage: {
        promptTokenCount: 100,
        candidatesTokenCount: 10,
        thoughtsTokenCount: 5,
        totalTokenCount: 115,
        cachedContentTokenCount: 40,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 70 },
          { modality: 'AUDIO', tokenCount: 30 },
        ],
        cacheTokensDetails: [{ modality: 'AUDIO', tokenCount: 10 }],
      },
      want: {
        ...{ input: 100, output: 15, total: 115, cached: 40, reasoning: 5 },
        audio: { input: 30, output: 0, cached: 10 },
      },
    },
    {
      format: 'Bedrock Converse',
      usage: {
        inputTokens: 10,
        outputTokens: 5,
        totalTokens: 118,
        cacheReadInputTokens: 100,
        cacheWriteInputTokens: 3,
      },
      want: { input: 113, output: 5, total: 118, cached: 100, cacheWrite: 3 },
    },
    {
      format: 'Cohere',
      usage: { billed_units: { input_tokens: 5, output_tokens: 6 }, tokens: { input_tokens: 70, output_tokens: 8 } },
      want: { input: 70, output: 8, total: 78 },
    },
  ])('of $format is read', ({ usage, want }) => {
    expect(readUsage(usage)).toMatchObject(want);
  });
});

describe('a whole answer', () => {
  test('reports what its parsed value has, however it is written', () => {
    const counts = fc.record({
      prompt_tokens: fc.nat(),
      completion_tokens: fc.nat(),
      note: fc.constantFrom('', '"ü\\'),
    });
    const noise = fc.array(fc.oneof(fc.jsonValue(), fc.constantFrom('"usage":{', '{"usage":{}}', '\\"usage"', 'ü')));
    fc.assert(
      fc.property(noise, counts, noise, fc.constantFrom(0, 2, '\t'), (before, usage, after, indent) => {
        const text = JSON.stringify({ before, usage, after }, null, indent);
        expect(readReport(Buffer.from(text)).usage).toEqual(readUsage(usage));
      }),
    );
  });

  test('reports its usage and the model that answered', () => {
    const padding = 'x'.repeat(20_000);
    const text = `{"id":"1","model":"gpt-5-2025","choices":["${padding}"],"usage":{"prompt_tokens":1,"completion_tokens":2}}`;
    expect(readReport(Buffer.from(text))).toMatchObject({ model: 'gpt-5-2025', usage: { input: 1, output: 2 } });
  });

  test('reports no model that is only talked about', () => {
    expect(readReport(Buffer.from('{"text":"\\"model\\":\\"x\\""}')).model).toBeUndefined();
  });

  test.for(['', '{}', '{"usage":null,"model":null}'])('like %s reports nothing', (text) => {
    expect(readReport(Buffer.from(text))).toMatchObject({ usage: undefined, model: undefined });
  });
});

test('a sum keeps a bounded number of units, and goes on counting those that it has', () => {
  const ofNames = (names: readonly string[]) => ({
    ...NO_USAGE,
    units: Object.fromEntries(names.map((name) => [name, 1])),
  });
  let sum = NO_USAGE;
  for (let at = 0; at < 1_000; at += 1) sum = addUsage(sum, ofNames(['web_search', `of-${at}`]));
  expect(Object.keys(sum.units)).toHaveLength(24);
  expect(sum.units['web_search']).toBe(1_000);
});
