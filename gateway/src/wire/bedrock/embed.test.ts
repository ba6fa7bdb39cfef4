import { unwrap } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../contract.ts';
import { cohereVectors, embedInputsOf, titanVector, toCohereEmbedBody, toTitanEmbedBody } from './index.ts';

describe('embeddings', () => {
  test('in base64 are read whatever their members are', () => {
    const read = titanVector({ embedding: [1, { toString: 0, valueOf: 0 }] }, { encoding_format: 'base64' });
    const { vector } = unwrap(read);
    expect(Buffer.from(String(vector), 'base64').readFloatLE(0)).toBe(1);
  });

  test('are read whatever encoding is asked for', () => {
    const read = titanVector({ embedding: [1] }, { encoding_format: { toString: 0 } });
    expect(unwrap(read)).toMatchObject({ vector: [1] });
  });

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
