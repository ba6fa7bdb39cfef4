import { err, isObject, ok } from '@gatehouse/crds';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { modelEntry } from '../../wire/openai/index.ts';
import type { ModelsEndpoint } from '../contract.ts';

const PER_PAGE = 100;
const PATH = `/models/search?per_page=${PER_PAGE}`;

/** Pages are numbered from 1; a page that is not full is the last. */
export const models: ModelsEndpoint = {
  path: PATH,
  read(body, call, page) {
    if (!isObject(body) || !Array.isArray(body['result'])) return err('the answer has no list of models');
    const names = objectsAt(body, 'result').map((model) => textAt(model, 'name') ?? '');
    const data = names.map((name) => modelEntry(name, name.split('/')[1] ?? call.provider));
    const number = Number(/&page=(\d+)$/.exec(page ?? '')?.[1] ?? 1);
    return ok({ data, ...(names.length < PER_PAGE ? {} : { next: `${PATH}&page=${number + 1}` }) });
  },
};
