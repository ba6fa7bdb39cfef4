/** Ranking of documents by providers of the table. Facts: the public API references of the vendors. */
import { isObject } from '@gatehouse/crds';
import { numberAt, objectAt, textAt } from '../../../wire/json/json.ts';
import {
  documentsOf,
  documentTexts,
  type RerankShape,
  readRerank,
  tokenUsage,
  unitUsage,
} from '../../../wire/rerank/index.ts';
import type { BodyHook, Endpoint, RequestTable } from '../../contract.ts';
import { requireModel } from '../../engine/index.ts';

const withModel: BodyHook = (params, call) => {
  requireModel(call);
  return params;
};

const endpoint = (table: RequestTable, documents: BodyHook, shape: RerankShape): Endpoint => ({
  method: 'POST',
  path: '/rerank',
  request: { kind: 'table', table: { ...table, hooks: [withModel, documents] } },
  answer: { kind: 'read', read: (body, call) => readRerank(shape, body, call) },
});

const textOf = (document: unknown): string | undefined =>
  typeof document === 'string' ? document : isObject(document) ? textAt(document, 'text') : undefined;

/** jina. */
export const jinaRerank: Endpoint = endpoint({}, documentTexts, {
  results: 'results',
  score: 'relevance_score',
  text: textOf,
  usage: tokenUsage,
});

/** voyage. */
export const voyageRerank: Endpoint = endpoint({ rename: { top_n: 'top_k' } }, documentTexts, {
  results: 'data',
  score: 'relevance_score',
  text: textOf,
  usage: tokenUsage,
});

/** Documents have an identifier each. */
const documentsWithIds: BodyHook = (params) => ({
  ...params,
  documents: documentsOf(params).map((document, at) => ({
    id: `doc_${at}`,
    ...(typeof document === 'string' ? { text: document } : document),
  })),
});

/** pinecone. */
export const pineconeRerank: Endpoint = endpoint({}, documentsWithIds, {
  results: 'data',
  score: 'score',
  text: textOf,
  usage: (body) => unitUsage(numberAt(objectAt(body, 'usage'), 'rerank_units')),
});
