import type { Exchange } from '../exchange.ts';
import { MOCK_MODELS, MODELS_CREATED_SECONDS } from '../models.ts';
import { json, type Reply, refuse } from '../reply.ts';

const toModel = (id: string) => ({
  id,
  object: 'model' as const,
  created: MODELS_CREATED_SECONDS,
  owned_by: 'mock',
});

export function listModels(): Reply {
  return json({ object: 'list', data: MOCK_MODELS.map(toModel) });
}

export function retrieveModel({ params: [id = ''] }: Exchange): Reply {
  const model = MOCK_MODELS.find((known) => known === id);
  if (model === undefined) return refuse(404, `no model ${JSON.stringify(id)}`, { code: 'model_not_found' });
  return json(toModel(model));
}
