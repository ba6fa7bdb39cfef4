/** The models of all publishers that are served. */

import { err, isObject, ok } from '@gatehouse/crds';
import { percentEncoded } from '../../lib/percent-encode.ts';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { modelEntry } from '../../wire/openai/index.ts';
import type { Call, JsonObject, ModelsEndpoint } from '../contract.ts';

const PUBLISHERS: readonly string[] = ['google', 'anthropic', 'meta', 'mistralai'];
const NAME = /^publishers\/([^/]+)\/models\/(.+)$/;

const pathOf = (publisher: string): string => `/v1beta1/publishers/${publisher}/models`;

export const models: ModelsEndpoint = {
  path: pathOf('google'),
  read(body, _call, page) {
    if (!isObject(body)) return err('the list of models is no object');
    const names = objectsAt(body, 'publisherModels').map((model) => NAME.exec(textAt(model, 'name') ?? ''));
    const found = names
      .filter((match) => match !== null)
      .map(([, publisher = '', model = '']) => ({ publisher, model }));
    const next = nextPath(publisherOf(page), textAt(body, 'nextPageToken') ?? '');
    return ok({ data: found.map(entryOf), ...(next === undefined ? {} : { next }) });
  },
};

const entryOf = ({ publisher, model }: { readonly publisher: string; readonly model: string }): JsonObject =>
  modelEntry(publisher === 'google' ? model : `${publisher}.${model}`, publisher);

const publisherOf = (page: string | undefined): string =>
  PUBLISHERS.find((publisher) => page?.startsWith(pathOf(publisher))) ?? 'google';

/** The next page of a publisher, else the first page of the publisher after it. */
function nextPath(publisher: string, token: string): string | undefined {
  if (token !== '') return `${pathOf(publisher)}?pageToken=${percentEncoded(token)}`;
  const next = PUBLISHERS[PUBLISHERS.indexOf(publisher) + 1];
  return next === undefined ? undefined : pathOf(next);
}

/**
 * The quota project for user tokens, which have no project of their own. Service accounts have one and may lack the right to
 * name another.
 */
export function quotaProject({ endpoint, fields }: Call): string | undefined {
  if (endpoint !== 'listModels' || fields.secret('api_key') === undefined) return undefined;
  return fields.secret('vertex_service_account_json') === undefined ? fields.text('vertex_project_id') : undefined;
}
