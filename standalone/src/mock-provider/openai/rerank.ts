/** Ranking of documents as model servers and Jina have it. */
import { isObject } from '@gatehouse/crds';
import { countTokens, type Rank, rankTexts } from '../answer/index.ts';
import type { Exchange, Route } from '../exchange.ts';
import { type JsonObject, readCount, readList, readString } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import { openai, refuseField } from './errors.ts';

const MAX_DOCUMENTS = 1_000;

export const RERANK_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/v1/rerank', dialect: openai, input: 'json', handle: answerByTokens },
];

interface Ranked {
  readonly texts: readonly string[];
  readonly results: readonly Rank[];
}

function answerByTokens(exchange: Exchange, body: JsonObject): Reply {
  const ranked = rank(body);
  if ('kind' in ranked) return ranked;
  const { texts, results } = ranked;
  const shown = results.map((result) => {
    const text = body['return_documents'] === true ? texts[result.index] : undefined;
    return text === undefined ? result : { ...result, document: { text } };
  });
  const tokens = countTokens([...texts, readString(body, 'query') ?? ''].join('').length);
  return json(
    { model: readString(body, 'model'), usage: { total_tokens: tokens }, results: shown },
    { 'x-request-id': exchange.seed.id('req_') },
  );
}

function rank(body: JsonObject): Ranked | Reply {
  const query = readString(body, 'query');
  if (readString(body, 'model') === undefined) return refuseField('model', 'model is required');
  if (query === undefined) return refuseField('query', 'query is required');
  const texts = (readList(body, 'documents') ?? []).map(textOf);
  if (texts.length === 0 || texts.length > MAX_DOCUMENTS || !texts.every((text) => text !== undefined)) {
    return refuseField('documents', `documents must be a list of 1 to ${MAX_DOCUMENTS} texts`);
  }
  const limit = readCount(body, 'top_n') ?? readCount(body, 'top_k');
  return { texts, results: rankTexts(query, texts, limit) };
}

const textOf = (document: unknown): string | undefined =>
  typeof document === 'string' ? document : isObject(document) ? readString(document, 'text') : undefined;
