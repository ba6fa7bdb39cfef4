/** Model lists in other shapes. */
import { err, isObject, ok } from '@gatehouse/crds';
import { modelEntry } from '../../../wire/openai/index.ts';
import type { JsonObject, ModelsEndpoint } from '../../contract.ts';

type ReadModels = NonNullable<ModelsEndpoint['read']>;

const text = (entry: JsonObject, key: string): string => (typeof entry[key] === 'string' ? entry[key] : '');

/** together-ai: a bare list, the owner is an organisation. */
export const bareModelList: ReadModels = (body) => {
  if (!Array.isArray(body)) return err('no list of models');
  const data = body.filter(isObject).map((entry) => {
    const created = typeof entry['created'] === 'number' ? entry['created'] : 0;
    return modelEntry(text(entry, 'id'), text(entry, 'organization'), created);
  });
  return ok({ data });
};

/** replicate: pages of owner and name; the next page is a whole URL. */
export const ownedModelPages: ReadModels = (body) => {
  const results = isObject(body) ? body['results'] : undefined;
  if (!isObject(body) || !Array.isArray(results)) return err('no list of models');
  const data = results.filter(isObject).map((entry) => {
    const owner = text(entry, 'owner');
    return modelEntry(`${owner}/${text(entry, 'name')}`, owner);
  });
  const query = URL.parse(text(body, 'next'))?.search;
  return ok({ data, ...(query === undefined || query === '' ? {} : { next: `/models${query}` }) });
};
