import { err, isObject, ok } from '@gatehouse/crds';
import { scalarText } from '../../lib/scalar-text.ts';
import { modelEntry } from '../../wire/openai/index.ts';
import type { ModelsEndpoint } from '../contract.ts';

/** The models of the resource in the OpenAI format. */
export const readModels: NonNullable<ModelsEndpoint['read']> = (body, call) => {
  const list = isObject(body) ? body['data'] : undefined;
  if (!Array.isArray(list)) return err('no list of models');
  const data = list.filter(isObject).map((entry) => {
    const created = entry['created_at'];
    return modelEntry(scalarText(entry['id']), call.provider, typeof created === 'number' ? created : 0);
  });
  return ok({ data });
};
