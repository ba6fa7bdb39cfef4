import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, WireContext } from '../contract.ts';
import { fromCompleteAnswer } from './complete-answer.ts';
import {
  cohereVectors,
  createCompleteDecoder,
  embedInputsOf,
  type Family,
  familyOf,
  isLegacyChat,
  readModelId,
  titanVector,
  toCohereEmbedBody,
  toCompleteBody,
  toLegacyChatBody,
  toTitanEmbedBody,
  withoutRegion,
} from './index.ts';

const ctx: WireContext = {
  provider: 'bedrock',
  model: 'm',
  strict: true,
  params: {},
  now: () => 1_760_000_000_000,
  newId: (prefix, length) => prefix + '0'.repeat(length),
};
const HEADERS = { 'x-amzn-bedrock-input-token-count': '4', 'x-amzn-bedrock-output-token-count': ['6'] };

describe('a model id', () => {
  const arn = (resource: string, partition = 'aws') => `arn:${partition}:bedrock:eu-west-1:123456789012:${resource}`;

  test.for<{ model: string; id?: string; foundation?: string; family: Family; profile?: boolean }>([
    { model: 'anthropic.claude-v2:1', foundation: 'anthropic.claude-v2:1', family: 'anthropic' },
    {
      model: 'anthropic.claude-v2%3A1',
      id: 'anthropic.claude-v2:1',
      foundation: 'anthropic.claude-v2:1',
      family: 'anthropic',
    },
    { model: 'us.meta.llama3-1-8b-instruct-v1:0', foundation: 'us.meta.llama3-1-8b-instruct-v1:0', family: 'meta' },
    { model: 'global.anthropic.claude-x', foundation: 'global.anthropic.claude-x', family: 'anthropic' },
    { model: 'us-gov.amazon.titan', foundation: 'us-gov.amazon.titan', family: 'amazon' },
    { model: 'deepseek.r1-v1:0', foundation: 'deepseek.r1-v1:0', family: 'other' },
    { model: arn('foundation-model/cohere.embed-v3'), foundation: 'cohere.embed-v3', family: 'cohere' },
    {
      model: encodeURIComponent(arn('foundation-model/ai21.j2-mid-v1')),
      id: arn('foundation-model/ai21.j2-mid-v1'),
      foundation: 'ai21.j2-mid-v1',
      family: 'ai21',
    },
    {
      model: arn('inference-profile/eu.anthropic.claude-x', 'aws-us-gov'),
      foundation: 'eu.anthropic.claude-x',
      family: 'anthropic',
    },
    { model: arn('application-inference-profile/abc123'), family: 'other', profile: true },
    { model: arn('imported-model/abc123'), family: 'other' },
    { model: arn('provisioned-model/abc123'), family: 'other' },
    { model: arn('default-prompt-router/anthropic.claude:1'), family: 'other' },
    { model: '100%', foundation: '100%', family: 'other' },
  ])('$model is read as family $family', ({ model, id = model, foundation, family, profile = false }) => {
    const read = readModelId(model);
    expect(read).toEqual({ id, foundation, profile: profile ? id : undefined });
    expect(familyOf(read.foundation)).toBe(family);
  });

  test('loses one region prefix', () => {
    expect(['us.anthropic.x', 'apac.amazon.x', 'anthropic.x', 'us.eu.x'].map(withoutRegion)).toEqual([
      'anthropic.x',
      'amazon.x',
      'anthropic.x',
      'eu.x',
    ]);
  });

  test.for([
    ['cohere.command-text-v14', true],
    ['cohere.command-light-text-v14', true],
    ['ai21.j2-mid-v1', true],
    ['ai21.j2-ultra-v1', true],
    ['cohere.command-r-v1:0', false],
    [undefined, false],
  ] as const)('%s chats by text completion: %s', ([foundation, want]) => {
    expect(isLegacyChat(foundation)).toBe(want);
  });

  test('is read without an exception', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string().map(arn)), (model) => void familyOf(readModelId(model).foundation)),
    );
  });
});

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

describe('embeddings', () => {
  const inputs = (input: unknown) => embedInputsOf({ input });

  test.for<{ input: unknown; want: object[] }>([
    { input: 'a', want: [{ text: 'a' }] },
    {
      input: ['a', { text: 'b' }, { image: { base64: 'AA==' } }, { text: 'c', image: { base64: 'BB==' } }],
      want: [{ text: 'a' }, { text: 'b' }, { image: 'AA==' }, { text: 'c', image: 'BB==' }],
    },
  ])('take $input', ({ input, want }) => {
    expect(unwrap(inputs(input))).toEqual(want);
  });

  test.for([[undefined], [[]], [[1, 2]], [[{ audio: {} }]]])('refuse %j', ([input]) => {
    expect(inputs(input)).toMatchObject({ ok: false, error: { code: 'PARAMETER_INVALID', param: 'input' } });
  });

  test.for<{ rule: string; params: JsonObject; want: object }>([
    { rule: 'texts', params: { input: 'a' }, want: { texts: ['a'], input_type: 'search_document' } },
    {
      rule: 'images',
      params: { input: [{ image: { base64: 'AA==' } }] },
      want: { images: ['AA=='], input_type: 'image' },
    },
    {
      rule: 'every setting',
      params: { input: ['a'], input_type: 'classification', truncate: 'END', encoding_format: 'int8', dimensions: 256 },
      want: {
        texts: ['a'],
        input_type: 'classification',
        truncate: 'END',
        embedding_types: ['int8'],
        output_dimension: 256,
      },
    },
  ])('of cohere send $rule', ({ params, want }) => {
    expect(toCohereEmbedBody(params, unwrap(embedInputsOf(params)))).toEqual(want);
  });

  const V2 = 'amazon.titan-embed-text-v2:0';
  test.for<{ rule: string; params: JsonObject; model?: string; want: object }>([
    { rule: 'text', params: { input: 'a', normalize: false }, want: { inputText: 'a', normalize: false } },
    { rule: 'the length', params: { input: 'a', dimensions: 256 }, want: { inputText: 'a', dimensions: 256 } },
    {
      rule: 'the encoding',
      params: { input: 'a', encoding_format: 'binary' },
      want: { inputText: 'a', embeddingTypes: ['binary'] },
    },
    {
      rule: 'no encoding of the unified body',
      params: { input: 'a', encoding_format: 'base64' },
      want: { inputText: 'a' },
    },
    {
      rule: 'no encoding to models that know one',
      params: { input: 'a', encoding_format: 'float' },
      model: 'amazon.titan-embed-text-v1',
      want: { inputText: 'a' },
    },
    {
      rule: 'text and image with the length of the multimodal model',
      params: { input: [{ text: 'a', image: { base64: 'AA==' } }], dimensions: 384 },
      model: 'amazon.titan-embed-image-v1',
      want: { inputText: 'a', inputImage: 'AA==', embeddingConfig: { outputEmbeddingLength: 384 } },
    },
  ])('of titan send $rule', ({ params, model = V2, want }) => {
    const [first = {}] = unwrap(embedInputsOf(params));
    expect(toTitanEmbedBody(params, first, model)).toEqual(want);
  });

  const packed = Buffer.from(Float32Array.of(0.5, -2).buffer).toString('base64');

  test.for<{ rule: string; body: unknown; format?: string; want: unknown }>([
    { rule: 'a plain list', body: { embeddings: [[1]] }, want: [[1]] },
    { rule: 'floats', body: { embeddings: { int8: [[2]], float: [[1]] } }, want: [[1]] },
    {
      rule: 'the encoding asked for',
      body: { embeddings: { int8: [[2]], float: [[1]] } },
      format: 'int8',
      want: [[2]],
    },
    { rule: 'base64 as it is', body: { embeddings: { base64: ['AA=='] } }, format: 'base64', want: ['AA=='] },
    { rule: 'floats as base64', body: { embeddings: { float: [[0.5, -2]] } }, format: 'base64', want: [packed] },
    { rule: 'the only encoding there is', body: { embeddings: { uint8: [[3]] } }, want: [[3]] },
  ])('of cohere are read from $rule', ({ body, format, want }) => {
    expect(unwrap(cohereVectors(body, { encoding_format: format }))).toEqual(want);
  });

  test.for<{ rule: string; body: unknown; format?: string; want: unknown }>([
    { rule: 'floats', body: { embedding: [1], inputTextTokenCount: 3 }, want: { vector: [1], tokens: 3 } },
    {
      rule: 'the encoding asked for',
      body: { embedding: [1], embeddingsByType: { binary: [0] } },
      format: 'binary',
      want: { vector: [0], tokens: undefined },
    },
    {
      rule: 'floats as base64',
      body: { embedding: [0.5, -2] },
      format: 'base64',
      want: { vector: packed, tokens: undefined },
    },
  ])('of titan are read from $rule', ({ body, format, want }) => {
    expect(unwrap(titanVector(body, { encoding_format: format }))).toEqual(want);
  });

  test('without vectors cannot be read', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (body) => {
        expect(cohereVectors(body, {}).ok).toBe(false);
        expect(titanVector(body, {}).ok).toBe(false);
      }),
    );
  });
});
