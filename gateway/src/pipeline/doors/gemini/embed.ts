/** `:embedContent` and `:batchEmbedContents` over embeddings. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectsAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { refuseShape } from '../refuse.ts';
import { textsOf } from './conversation.ts';
import { memberOf } from './members.ts';

const vendorParams = ['task_type', 'title'];

export const geminiEmbed: Door = {
  vendorParams,
  enter: (given) => ({
    params: { input: inputOf(given, 'content'), ...settingsOf(given) },
    dropped: [],
    toClient: (answer) => ({ embedding: vectorsOf(answer)[0] }),
  }),
};

export const geminiEmbedBatch: Door = {
  vendorParams,
  enter: (given) => {
    const requests = memberOf(given, 'requests');
    if (!Array.isArray(requests) || requests.length === 0 || !requests.every(isObject)) {
      return refuseShape('requests', 'a list of requests');
    }
    const [first = {}] = requests;
    const settings = JSON.stringify(settingsOf(first));
    for (const [i, request] of requests.entries()) {
      if (JSON.stringify(settingsOf(request)) !== settings)
        refuseShape(`requests[${i}]`, 'of the settings of the first');
    }
    return {
      params: { input: requests.map((request, i) => inputOf(request, `requests[${i}].content`)), ...settingsOf(first) },
      dropped: [],
      toClient: (answer) => ({ embeddings: vectorsOf(answer) }),
    };
  },
};

const inputOf = (request: JsonObject, path: string): string => textsOf(memberOf(request, 'content'), path).join('\n');

const settingsOf = (request: JsonObject): JsonObject =>
  withoutAbsent({
    dimensions: memberOf(request, 'outputDimensionality'),
    task_type: memberOf(request, 'taskType'),
    title: memberOf(request, 'title'),
    encoding_format: 'float',
  });

/** Throws UPSTREAM_INVALID_RESPONSE. */
function vectorsOf(answer: JsonObject): readonly object[] {
  const vectors = objectsAt(answer, 'data').map(({ embedding }) => embedding);
  if (vectors.length > 0 && vectors.every(Array.isArray)) return vectors.map((values) => ({ values }));
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The answer has no vectors of numbers' });
}
