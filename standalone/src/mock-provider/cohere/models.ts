import type { Exchange } from '../exchange.ts';
import { MOCK_MODELS } from '../models.ts';
import { json, type Reply, refuse } from '../reply.ts';

const DEFAULT_PAGE = 20;
const MAX_PAGE = 1_000; // bound of `page_size` in the API
const ENDPOINTS = ['chat', 'embed', 'rerank'] as const;
const CONTEXT_TOKENS = 256_000;

const toModel = (name: string) => ({
  ...{ name, endpoints: ENDPOINTS, finetuned: false, context_length: CONTEXT_TOKENS },
  ...{ tokenizer_url: null, default_endpoints: [], is_deprecated: false, features: ['tools', 'json_schema'] },
});

/** The page token is the number of models on earlier pages. Every model is for every endpoint of the mock. */
export function listModels({ query }: Exchange): Reply {
  const endpoint = query.get('endpoint');
  const isKnown = endpoint === null || ENDPOINTS.some((known) => known === endpoint);
  const start = Number(query.get('page_token') ?? 0) || 0;
  const end = start + Math.min(Number(query.get('page_size') ?? DEFAULT_PAGE) || DEFAULT_PAGE, MAX_PAGE);
  const models = isKnown ? MOCK_MODELS.slice(start, end).map(toModel) : [];
  return json({ models, ...(isKnown && end < MOCK_MODELS.length ? { next_page_token: String(end) } : {}) });
}

export function retrieveModel({ params: [name = ''] }: Exchange): Reply {
  const model = MOCK_MODELS.find((known) => known === name);
  return model === undefined ? refuse(404, `model '${name}' not found`) : json(toModel(model));
}
