/** Foundation models, then inference profiles. */

import { err, isObject, ok } from '@gatehouse/crds';
import { percentEncoded } from '../../lib/percent-encode.ts';
import { familyOf } from '../../wire/bedrock/index.ts';
import { objectsAt, textAt } from '../../wire/json/json.ts';
import { modelEntry } from '../../wire/openai/index.ts';
import type { JsonObject, ModelsEndpoint } from '../contract.ts';

const PROFILES = '/inference-profiles?maxResults=1000';
const OWNER = 'aws';

export const models: ModelsEndpoint = {
  path: '/foundation-models',
  read(body) {
    if (isObject(body) && Array.isArray(body['modelSummaries'])) {
      return ok({ data: objectsAt(body, 'modelSummaries').map(toModel), next: PROFILES });
    }
    if (!isObject(body) || !Array.isArray(body['inferenceProfileSummaries']))
      return err('the answer has no list of models');
    const data = objectsAt(body, 'inferenceProfileSummaries').map(toProfile);
    const token = textAt(body, 'nextToken');
    return ok(token ? { data, next: `${PROFILES}&nextToken=${percentEncoded(token)}` } : { data });
  },
};

function toModel(summary: JsonObject): JsonObject {
  return modelEntry(textAt(summary, 'modelId') ?? '', textAt(summary, 'providerName')?.toLowerCase() ?? OWNER);
}

/** Ids of the service's own profiles contain their vendor. */
function toProfile(summary: JsonObject): JsonObject {
  const id = textAt(summary, 'inferenceProfileId') ?? '';
  const family = familyOf(id);
  const createdMs = Date.parse(textAt(summary, 'createdAt') ?? '');
  const created = Number.isNaN(createdMs) ? 0 : Math.floor(createdMs / 1000);
  return modelEntry(id, family === 'other' ? OWNER : family, created);
}
