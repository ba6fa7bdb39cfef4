/** Upstreams that embed and rank. Facts: the public API references of the vendors. */
import type { Provider } from '../contract.ts';
import { apiKeyHeader } from '../engine/index.ts';
import { openAiLike } from '../openai-like/index.ts';
import { promptUsageFromTotal, vectorsAsData, withoutFloatFormat } from './hooks/embeddings.ts';
import { inputAsList } from './hooks/input.ts';
import { jinaRerank, pineconeRerank, voyageRerank } from './hooks/rerank.ts';

const FURTHER_EMBEDDINGS = ['POST /multimodalembeddings', 'POST /contextualizedembeddings'];

export const RETRIEVAL: readonly Provider[] = [
  openAiLike({
    id: 'jina',
    paths: ['POST /segment', 'POST /multi-vector'],
    modelPlaces: [
      { model: 'body', calls: ['POST /multi-vector'] },
      { model: 'none', calls: ['POST /segment'] },
    ],
    baseUrl: 'https://api.jina.ai/v1',
    embed: {},
    endpoints: { rerank: jinaRerank },
  }),
  openAiLike({
    id: 'nomic',
    paths: ['POST /embedding/**'],
    modelPlaces: [{ model: 'body', calls: ['POST /embedding/text', 'POST /embedding/image'] }],
    baseUrl: 'https://api-atlas.nomic.ai/v1',
    embed: {
      path: '/embedding/text',
      rename: { input: 'texts', dimensions: 'dimensionality' },
      drop: ['encoding_format', 'user'],
      hooks: [inputAsList],
      answer: vectorsAsData,
    },
  }),
  openAiLike({
    id: 'pinecone',
    paths: {
      only: [
        'POST /embed',
        'POST /rerank',
        'GET /models/**',
        'POST /query',
        'GET|POST /vectors/**',
        'POST /records/**',
        'POST /describe_index_stats',
        'POST /assistant/chat/**',
      ],
    },
    modelPlaces: [
      {
        model: 'body',
        calls: ['/embed', '/rerank', '/assistant/chat/*', '/assistant/chat/*/chat/completions'].map(
          (path) => `POST ${path}`,
        ),
      },
    ],
    baseUrl: 'https://api.pinecone.io',
    endpoints: { rerank: pineconeRerank },
    auth: apiKeyHeader('api-key'),
    // Source: Pinecone API reference; the inference API requires a dated version.
    headers: { 'x-pinecone-api-version': '2025-01' },
  }),
  openAiLike({
    id: 'voyage',
    paths: FURTHER_EMBEDDINGS,
    modelPlaces: [{ model: 'body', calls: FURTHER_EMBEDDINGS }],
    baseUrl: 'https://api.voyageai.com/v1',
    embed: {
      rename: { dimensions: 'output_dimension' },
      drop: ['user'],
      hooks: [inputAsList, withoutFloatFormat],
      answer: promptUsageFromTotal,
    },
    endpoints: { rerank: voyageRerank },
  }),
];
