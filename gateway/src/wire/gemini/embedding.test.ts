import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { JsonObject, WireContext } from '../contract.ts';
import { fromEmbedContent, fromPredict, isEmbeddingBatch, toEmbedContentBody, toPredictBody } from './embedding.ts';

const ctx = (params: JsonObject = {}): WireContext => ({
  provider: 'google',
  model: 'm',
  strict: true,
  params,
  now: () => 0,
  newId: (prefix) => prefix,
});
const content = (text: string): object => ({ parts: [{ text }] });

describe('embedContent', () => {
  test.for([
    { rule: 'a text', params: { input: 'a' }, want: { content: content('a') } },
    {
      rule: 'settings',
      params: { input: 'a', dimensions: 3, task_type: 'T', title: 't', encoding_format: 'float' },
      want: { content: content('a'), outputDimensionality: 3, taskType: 'T', title: 't' },
    },
    {
      rule: 'an image with its text',
      params: { input: { text: 'a', image: { base64: 'data:image/webp;base64,AA==' } } },
      want: { content: { parts: [{ text: 'a' }, { inlineData: { mimeType: 'image/webp', data: 'AA==' } }] } },
    },
    {
      rule: 'a bare image',
      params: { input: { image: { base64: 'AA==' } } },
      want: { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }] } },
    },
    {
      rule: 'a list as a batch of requests',
      params: { input: ['a', { text: 'b' }], dimensions: 3 },
      want: {
        requests: [
          { model: 'models/m', content: content('a'), outputDimensionality: 3 },
          { model: 'models/m', content: content('b'), outputDimensionality: 3 },
        ],
      },
    },
  ])('is asked for $rule', ({ params, want }) => {
    expect(unwrap(toEmbedContentBody(params, 'm'))).toEqual(want);
    expect(isEmbeddingBatch(params)).toBe(Array.isArray(params.input));
  });

  test.for([{}, { input: null }, { input: [1, 2] }, { input: [{ image: 'x' }] }])('refuses %j', (params) => {
    expect(toEmbedContentBody(params, 'm').ok).toBe(false);
  });

  test.for([
    { rule: 'one vector', body: { embedding: { values: [1, 2] } }, want: [[1, 2]] },
    { rule: 'several vectors', body: { embeddings: [{ values: [1] }, { values: [2] }] }, want: [[1], [2]] },
  ])('answers with $rule and no made-up usage', ({ body, want }) => {
    const list = unwrap(fromEmbedContent(body, ctx()));
    expect(list).toMatchObject({ data: want.map((embedding) => ({ embedding })) });
    expect(list).not.toHaveProperty('usage');
  });

  test('answers in base64 and with the usage the upstream counted', () => {
    const body = { embedding: { values: [0.5] }, usageMetadata: { promptTokenCount: 2 } };
    const list = unwrap(fromEmbedContent(body, ctx({ encoding_format: 'base64' })));
    expect(list).toMatchObject({ data: [{ embedding: 'AAAAPw==' }], usage: { prompt_tokens: 2, total_tokens: 2 } });
  });

  test.for([null, {}, { embeddings: 'x' }])('is not answered by %j', (body) => {
    expect(fromEmbedContent(body, ctx()).ok).toBe(false);
  });
});

describe('predict', () => {
  test.for([
    { rule: 'a text', params: { input: 'a' }, want: { instances: [{ content: 'a' }] } },
    {
      rule: 'texts with settings, merged over parameters',
      params: {
        input: ['a', 'b'],
        dimensions: 3,
        task_type: 'T',
        title: 't',
        auto_truncate: false,
        parameters: { outputDimensionality: 9, x: 1 },
      },
      want: {
        instances: [
          { content: 'a', task_type: 'T', title: 't' },
          { content: 'b', task_type: 'T', title: 't' },
        ],
        parameters: { outputDimensionality: 3, x: 1, autoTruncate: false },
      },
    },
    {
      rule: 'text, image and video in one item',
      params: {
        input: [
          {
            text: 'a',
            image: { url: 'gs://b/i.png' },
            video: { url: 'gs://b/v.mp4', start_offset: 0, end_offset: 10, interval: 5 },
          },
        ],
        dimensions: 128,
      },
      want: {
        instances: [
          {
            text: 'a',
            image: { gcsUri: 'gs://b/i.png' },
            video: {
              gcsUri: 'gs://b/v.mp4',
              videoSegmentConfig: { startOffsetSec: 0, endOffsetSec: 10, intervalSec: 5 },
            },
          },
        ],
        parameters: { dimension: 128 },
      },
    },
    {
      rule: 'base64 with or without its data URL',
      params: { input: [{ image: { base64: 'data:image/png;base64,AA' } }, { image: { base64: 'BB' } }] },
      want: {
        instances: [
          { image: { bytesBase64Encoded: 'AA', mimeType: 'image/png' } },
          { image: { bytesBase64Encoded: 'BB' } },
        ],
      },
    },
  ])('is asked for $rule', ({ params, want }) => {
    expect(unwrap(toPredictBody(params))).toEqual(want);
  });

  test.for([{}, { input: [1] }, { input: [null] }])('refuses %j', (params) => {
    expect(toPredictBody(params).ok).toBe(false);
  });

  test('sums the tokens of its texts', () => {
    const prediction = (values: number[], token_count: number): object => ({
      embeddings: { values, statistics: { token_count } },
    });
    const list = unwrap(fromPredict({ predictions: [prediction([1], 2), prediction([2], 3)] }, ctx()));
    expect(list).toEqual({
      object: 'list',
      data: [
        { object: 'embedding', index: 0, embedding: [1] },
        { object: 'embedding', index: 1, embedding: [2] },
      ],
      model: 'm',
      provider: 'google',
      usage: { prompt_tokens: 5, total_tokens: 5 },
    });
  });

  test('names the vectors of text, image and video', () => {
    const predictions = [
      {
        textEmbedding: [1],
        imageEmbedding: [2],
        videoEmbeddings: [{ embedding: [3], startOffsetSec: 0, endOffsetSec: 5 }],
      },
      { imageEmbedding: [4] },
    ];
    expect(unwrap(fromPredict({ predictions }, ctx()))['data']).toEqual([
      {
        object: 'embedding',
        index: 0,
        embedding: [1],
        image_embedding: [2],
        video_embeddings: [{ object: 'embedding', embedding: [3], index: 0, start_offset: 0, end_offset: 5 }],
      },
      { object: 'embedding', index: 1, image_embedding: [4] },
    ]);
  });

  test.for([null, {}, { predictions: {} }])('is not answered by %j', (body) => {
    expect(fromPredict(body, ctx()).ok).toBe(false);
  });
});
