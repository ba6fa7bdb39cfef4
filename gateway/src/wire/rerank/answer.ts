/** Answers of providers that rank documents, in one form: docs/behaviour/operations.md#rerank. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../json/json.ts';
import { promptUsage } from '../openai/index.ts';
import { textsOf } from './documents.ts';

/** Where a provider says what. */
export interface RerankShape {
  /** Member with the list of results. */
  readonly results: 'results' | 'data';
  /** Member of a result with its score. */
  readonly score: 'relevance_score' | 'score' | 'relevanceScore';
  /** The text of the document of a result; undefined: the result has none. Absent: none has. */
  text?(document: unknown): string | undefined;
  usage(body: JsonObject, context: WireContext): JsonObject | undefined;
}

/** The error says what is wrong with the answer. */
export function readRerank(shape: RerankShape, body: unknown, context: WireContext): Result<JsonObject, string> {
  const list = isObject(body) ? body[shape.results] : undefined;
  if (!isObject(body) || !Array.isArray(list)) return err(`${shape.results} are missing`);
  const { params, model, provider } = context;
  const texts = params['return_documents'] === true ? textsOf(params) : [];
  const results = list.map((result: unknown) => readResult(shape, isObject(result) ? result : {}, texts));
  if (!results.every((result) => result !== undefined)) return err('a result has no index or no score');
  return ok(
    withoutAbsent({
      object: 'list',
      id: textAt(body, 'id'),
      results: results.sort((one, other) => other.relevance_score - one.relevance_score),
      model: textAt(body, 'model') ?? model,
      usage: shape.usage(body, context),
      provider,
    }),
  );
}

interface RankedDocument {
  readonly index: number;
  readonly relevance_score: number;
  readonly document?: { readonly text: string };
}

/** `texts`: of the call, for providers that send none. */
function readResult(
  { score: scoreAt, text }: RerankShape,
  result: JsonObject,
  texts: readonly string[],
): RankedDocument | undefined {
  const index = numberAt(result, 'index');
  const score = numberAt(result, scoreAt);
  if (index === undefined || score === undefined) return undefined;
  const own = text?.(result['document']) ?? texts[index];
  return { index, relevance_score: score, ...(own === undefined ? {} : { document: { text: own } }) };
}

/** For providers that charge by units of documents. */
export const unitUsage = (units: number | undefined): JsonObject | undefined =>
  units === undefined ? undefined : { search_units: units };

/** For providers that charge by tokens: `usage.total_tokens` of the answer. */
export function tokenUsage(body: JsonObject): JsonObject | undefined {
  const tokens = numberAt(objectAt(body, 'usage'), 'total_tokens');
  return tokens === undefined ? undefined : promptUsage(tokens);
}
