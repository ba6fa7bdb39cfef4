/** Cohere's v2 ranking of documents. Source: Cohere API reference, Rerank. */
import type { Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { numberAt, objectAt } from '../json/json.ts';
import { readRerank, unitUsage } from '../rerank/index.ts';

/** The answer in the unified form. */
export const fromCohereRerank = (body: unknown, context: WireContext): Result<JsonObject, string> =>
  readRerank(
    {
      results: 'results',
      score: 'relevance_score',
      usage: (answer) => unitUsage(numberAt(objectAt(objectAt(answer, 'meta'), 'billed_units'), 'search_units')),
    },
    body,
    context,
  );
