import { err, isObject, ok } from '@gatehouse/crds';
import { percentEncoded } from '../../lib/percent-encode.ts';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { modelEntry } from '../../wire/openai/index.ts';
import type { ModelsEndpoint } from '../contract.ts';

const PATH = '/v1beta/models?pageSize=1000';

export const models: ModelsEndpoint = {
  path: PATH,
  read(body, call) {
    if (!isObject(body)) return err('the list of models is no object');
    const models = objectsAt(body, 'models').map((model) => {
      const id = (textAt(model, 'name') ?? '').replace(/^models\//, '');
      return { id, name: textAt(model, 'displayName') ?? id };
    });
    const data = models.map(({ id }) => modelEntry(id, call.provider));
    const displayNames = new Map(models.map(({ id, name }) => [id, name]));
    const token = textAt(body, 'nextPageToken') ?? '';
    return ok({
      data,
      displayNames,
      ...(token === '' ? {} : { next: `${PATH}&pageToken=${percentEncoded(token)}` }),
    });
  },
};
