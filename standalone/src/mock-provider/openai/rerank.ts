/** Ranking of documents as model servers and Jina have it (`/v1`), and as Cohere has it (`/v2`). */
import { isObject } from '@gatehouse/crds';
import { countTokens } from '../answer/index.ts';
import type { Exchange, Route } from '../exchange.ts';
import { type JsonObject, readCount, readList, readString } from '../json.ts';
import { json, type Reply } from '../reply.ts';
import { openai, refuseField } from './errors.ts';

const MAX_DOCUMENTS = 1_000;
const DOCUMENTS_PER_UNIT = 100;

export const RERANK_ROUTES: readonly Route[] = [
  { method: 'POST', path: '/v1/rerank', dialect: openai, input: 'json', handle: answerByTokens },
  { method: 'POST', path: '/v2/rerank', dialect: openai, input: 'json', handle: answerByUnits },
];

interface Ranked {
  readonly texts: readonly string[];
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
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

function answerByUnits(exchange: Exchange, body: JsonObject): Reply {
  const ranked = rank(body);
  if ('kind' in ranked) return ranked;
  const { texts, results } = ranked;
  const units = Math.ceil(texts.length / DOCUMENTS_PER_UNIT);
  return json({ id: exchange.seed.id('rerank-'), results, meta: { billed_units: { search_units: units } } });
}

/** By the share of the words of the query that a document has. */
function rank(body: JsonObject): Ranked | Reply {
  const query = readString(body, 'query');
  if (readString(body, 'model') === undefined) return refuseField('model', 'model is required');
  if (query === undefined) return refuseField('query', 'query is required');
  const texts = (readList(body, 'documents') ?? []).map(textOf);
  if (texts.length === 0 || texts.length > MAX_DOCUMENTS || !texts.every((text) => text !== undefined)) {
    return refuseField('documents', `documents must be a list of 1 to ${MAX_DOCUMENTS} texts`);
  }
  const words = wordsOf(query);
  const results = texts
    .map((text, index) => ({ index, relevance_score: words.size === 0 ? 0 : shareOf(words, wordsOf(text)) }))
    .sort((one, other) => other.relevance_score - one.relevance_score)
    .slice(0, readCount(body, 'top_n') ?? readCount(body, 'top_k') ?? texts.length);
  return { texts, results };
}

const textOf = (document: unknown): string | undefined =>
  typeof document === 'string' ? document : isObject(document) ? readString(document, 'text') : undefined;

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []);

const shareOf = (wanted: ReadonlySet<string>, found: ReadonlySet<string>): number =>
  [...wanted].filter((word) => found.has(word)).length / wanted.size;
