import { err, isObject, ok } from '@gatehouse/crds';
import { percentEncoded } from '../../lib/percent-encode.ts';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { modelEntry } from '../../wire/openai/index.ts';
import type { ModelsEndpoint } from '../contract.ts';

const PATH = '/v1/models?page_size=1000';

export const models: ModelsEndpoint = {
  path: PATH,
  read(body, call) {
    if (!isObject(body)) return err('the list of models is no object');
    const names = objectsAt(body, 'models').map((model) => textAt(model, 'name') ?? '');
    const data = names.map((name) => modelEntry(name, call.provider));
    const token = textAt(body, 'next_page_token') ?? '';
    return ok({ data, ...(token === '' ? {} : { next: `${PATH}&page_token=${percentEncoded(token)}` }) });
  },
};
