/** Ranking of documents by the agent runtime. Source: Amazon Bedrock API reference, Rerank. */
import { isObject, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectAt, textAt, withoutAbsent } from '../json/json.ts';
import { taking } from '../params/params.ts';
import { documentsOf, readRerank, textsOf, unitUsage } from '../rerank/index.ts';

/** Documents of one unit of use. Source: the vendor's price list. */
const DOCUMENTS_PER_UNIT = 100;

export const takesRerank = taking(['model', 'query', 'documents', 'top_n', 'return_documents']);

/** Throws AppError PARAMETER_INVALID for documents without a text. */
export function toRerankBody(params: JsonObject, modelArn: string): JsonObject {
  const { query, top_n: count } = params;
  return {
    queries: [{ type: 'TEXT', textQuery: { text: query } }],
    sources: textsOf(params).map((text) => ({
      type: 'INLINE',
      inlineDocumentSource: { type: 'TEXT', textDocument: { text } },
    })),
    rerankingConfiguration: {
      type: 'BEDROCK_RERANKING_MODEL',
      bedrockRerankingConfiguration: withoutAbsent({ modelConfiguration: { modelArn }, numberOfResults: count }),
    },
  };
}

/** The answer in the unified form. */
export const fromRerank = (body: unknown, context: WireContext): Result<JsonObject, string> =>
  readRerank(
    {
      results: 'results',
      score: 'relevanceScore',
      text: (document) => textAt(objectAt(isObject(document) ? document : undefined, 'textDocument'), 'text'),
      usage: (_body, { params }) => unitUsage(Math.ceil(documentsOf(params).length / DOCUMENTS_PER_UNIT)),
    },
    body,
    context,
  );
