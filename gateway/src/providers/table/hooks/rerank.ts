/** Ranking of documents by providers of the table. Facts: the public API references of the vendors. */
import { isObject } from '@gatehouse/crds';
import { numberAt, objectAt, textAt } from '../../../wire/json/json.ts';
import { promptUsage } from '../../../wire/openai/index.ts';
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

const endpoint = (table: RequestTable, documents: BodyHook, shape: RerankShape, path = '/rerank'): Endpoint => ({
  method: 'POST',
  path,
  request: { kind: 'table', table: { ...table, hooks: [withModel, documents] } },
  answer: { kind: 'read', read: (body, call) => readRerank(shape, body, call) },
});

const textOf = (document: unknown): string | undefined =>
  typeof document === 'string' ? document : isObject(document) ? textAt(document, 'text') : undefined;

const BY_TOKENS: RerankShape = { results: 'results', score: 'relevance_score', text: textOf, usage: tokenUsage };

/** jina. */
export const jinaRerank: Endpoint = endpoint({}, documentTexts, BY_TOKENS);

/** together-ai, whose models may rank objects by several of their members. */
export const togetherRerank: Endpoint = endpoint({}, (params) => params, BY_TOKENS, '/v1/rerank');

/** siliconflow counts tokens under names of its own. */
export const siliconflowRerank: Endpoint = endpoint({}, documentTexts, {
  ...BY_TOKENS,
  usage(body) {
    const counted = objectAt(body, 'tokens') ?? objectAt(objectAt(body, 'meta'), 'tokens');
    const tokens = numberAt(counted, 'input_tokens');
    return tokens === undefined ? undefined : promptUsage(tokens);
  },
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
