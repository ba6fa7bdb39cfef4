import { unwrap } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import type { JsonObject, WireContext } from '../contract.ts';
import { fromCohereEmbed, toCohereEmbedBody } from './embed.ts';

const ctx = (params: JsonObject = {}): WireContext => ({
  provider: 'cohere',
  model: 'embed-v4.0',
  strict: true,
  params,
  now: () => 0,
  newId: (prefix) => prefix,
});

const FLOAT = { embedding_types: ['float'], input_type: 'search_document' };

describe('a Cohere embedding', () => {
  test.for([
    { rule: 'a text', params: { input: 'a' }, want: { texts: ['a'], ...FLOAT } },
    {
      rule: 'texts in either spelling',
      params: { input: ['a', { text: 'b' }] },
      want: { texts: ['a', 'b'], ...FLOAT },
    },
    {
      rule: 'an image',
      params: { input: [{ image: { base64: 'data:image/png;base64,AA' } }] },
      want: { images: ['data:image/png;base64,AA'], input_type: 'image', embedding_types: ['float'] },
    },
    {
      rule: 'an image by its address, with a type of its own',
      params: { input: [{ image: { url: 'https://x.example/a.png' } }], input_type: 'search_query' },
      want: { images: ['https://x.example/a.png'], input_type: 'search_query', embedding_types: ['float'] },
    },
    {
      rule: 'texts and images, in their order',
      params: { input: ['a', { text: 'b', image: { base64: 'data:,i' } }] },
      want: {
        inputs: [
          { content: [{ type: 'text', text: 'a' }] },
          {
            content: [
              { type: 'text', text: 'b' },
              { type: 'image_url', image_url: { url: 'data:,i' } },
            ],
          },
        ],
        ...FLOAT,
      },
    },
    {
      rule: 'settings',
      params: {
        input: 'a',
        input_type: 'clustering',
        truncate: 'END',
        encoding_format: 'base64',
        dimensions: 256,
        user: 'u',
      },
      want: {
        texts: ['a'],
        input_type: 'clustering',
        truncate: 'END',
        embedding_types: ['base64'],
        output_dimension: 256,
      },
    },
    {
      rule: 'several types',
      params: { input: 'a', encoding_format: ['int8', 'float'] },
      want: { texts: ['a'], input_type: 'search_document', embedding_types: ['int8', 'float'] },
    },
  ])('is asked for with $rule', ({ params, want }) => {
    expect(unwrap(toCohereEmbedBody(params, 'embed-v4.0'))).toEqual({ model: 'embed-v4.0', ...want });
  });

  test.for([{}, { input: [1, 2] }, { input: [{ video: {} }] }])('is refused for %j', (params) => {
    expect(toCohereEmbedBody(params, 'm').ok).toBe(false);
  });

  test.for([
    { rule: 'float', params: {}, embeddings: { float: [[1], [2]] }, want: [[1], [2]] },
    {
      rule: 'the requested type',
      params: { encoding_format: 'int8' },
      embeddings: { float: [[0]], int8: [[1]] },
      want: [[1]],
    },
    { rule: 'base64', params: { encoding_format: 'base64' }, embeddings: { base64: ['AAAA'] }, want: ['AAAA'] },
    { rule: 'the only type there is', params: { encoding_format: 'int8' }, embeddings: { float: [[0]] }, want: [[0]] },
    { rule: 'the older list', params: {}, embeddings: [[3]], want: [[3]] },
  ])('is read as $rule', ({ params, embeddings, want }) => {
    const body = { id: 'e1', embeddings, meta: { billed_units: { input_tokens: 5 } } };
    expect(unwrap(fromCohereEmbed(body, ctx(params)))).toEqual({
      object: 'list',
      data: want.map((embedding, index) => ({ object: 'embedding', index, embedding })),
      model: 'embed-v4.0',
      usage: { prompt_tokens: 5, total_tokens: 5 },
      provider: 'cohere',
    });
  });

  test.for([null, {}, { embeddings: {} }, { embeddings: 'x' }])('is not %j', (body) => {
    expect(fromCohereEmbed(body, ctx()).ok).toBe(false);
  });
});
