import { err, isObject, ok } from '@gatehouse/crds';
import { percentEncoded } from '../../lib/percent-encode.ts';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { modelEntry } from '../../wire/openai/index.ts';
import type { ModelsEndpoint } from '../contract.ts';

const PAGE = '/models?limit=1000';

/** The vendor's list, page by page. */
export const models: ModelsEndpoint = {
  path: PAGE,
  read(body) {
    if (!isObject(body) || !Array.isArray(body['data'])) return err('the answer has no list of models');
    const entries = objectsAt(body, 'data');
    const data = entries.map((model) => {
      const createdMs = Date.parse(textAt(model, 'created_at') ?? '');
      const created = Number.isNaN(createdMs) ? 0 : Math.floor(createdMs / 1000);
      return modelEntry(textAt(model, 'id') ?? '', 'anthropic', created);
    });
    const last = textAt(body, 'last_id');
    const next = body['has_more'] === true && last ? `${PAGE}&after_id=${percentEncoded(last)}` : undefined;
    const displayNames = new Map(
      entries.map((model) => [textAt(model, 'id') ?? '', textAt(model, 'display_name') ?? textAt(model, 'id') ?? '']),
    );
    return ok(next === undefined ? { data, displayNames } : { data, displayNames, next });
  },
};
