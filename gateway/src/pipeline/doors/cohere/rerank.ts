/** `POST /v2/rerank` over the gateway's own form of rerank. */
import { newId } from '../../../lib/random.ts';
import { numberAt, objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { metaOf } from './embed.ts';

export const cohereRerank: Door = {
  vendorParams: ['max_tokens_per_doc', 'priority'],
  enter: (given) => ({
    params: withoutAbsent({
      model: given['model'],
      query: given['query'],
      documents: given['documents'],
      top_n: given['top_n'],
      max_tokens_per_doc: given['max_tokens_per_doc'],
      priority: given['priority'],
    }),
    dropped: [],
    toClient: (answer) => ({
      id: textAt(answer, 'id') ?? newId('rrnk-'),
      results: objectsAt(answer, 'results').map(({ index, relevance_score }) => ({ index, relevance_score })),
      meta: metaOf({ search_units: numberAt(objectAt(answer, 'usage'), 'search_units') }),
    }),
  }),
};
