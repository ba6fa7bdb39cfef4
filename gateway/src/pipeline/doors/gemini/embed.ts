/** `:embedContent` and `:batchEmbedContents` over embeddings. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import { withoutAbsent } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { DroppedNames } from '../dropped-names.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';
import { refusingInputs, vectorsOf } from '../vectors.ts';
import { textsOf } from './conversation.ts';
import { memberOf, objectOf, textIn, toCamel } from './members.ts';
import { checkPart } from './shapes.ts';

const vendorParams = ['task_type', 'title'];

export const geminiEmbed: Door = {
  vendorParams,
  refuseAt: refusingInputs(() => 'content'),
  enter: (given) => ({
    params: { input: inputOf(given, 'content'), ...settingsOf(given) },
    dropped: unreadOf([given]),
    toClient: (answer) => ({ embedding: toVector(vectorsOf(answer)[0]) }),
  }),
};

export const geminiEmbedBatch: Door = {
  vendorParams,
  refuseAt: refusingInputs((i) => `requests[${i}].content`),
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
      dropped: unreadOf(requests),
      toClient: (answer) => ({ embeddings: vectorsOf(answer).map(toVector) }),
    };
  },
};

const toVector = (values: unknown): object => ({ values });

const IN_REQUEST: ReadonlySet<string> = new Set(['model', 'content', 'outputDimensionality', 'taskType', 'title']);

function unreadOf(requests: readonly JsonObject[]): readonly string[] {
  const dropped = new DroppedNames();
  for (const request of requests) dropped.addOthers(request, (name) => IN_REQUEST.has(toCamel(name)));
  return dropped.names;
}

/** Its texts are one; with an image it is an object of both. Throws PARAMETER_INVALID and PARAMETER_UNSUPPORTED. */
function inputOf(request: JsonObject, path: string): string | JsonObject {
  const content = memberOf(request, 'content');
  const parts = isObject(content) ? content['parts'] : undefined;
  const media = (Array.isArray(parts) ? parts : []).map((part: unknown, i) => {
    if (!isObject(part)) return undefined;
    checkPart(part, `${path}.parts[${i}]`);
    return objectOf(part, 'inlineData');
  });
  const at = media.findIndex((inline) => inline !== undefined);
  if (!Array.isArray(parts) || at < 0) return textsOf(content, path).join('\n');
  const type = textIn(media[at], 'mimeType') ?? '';
  const data = textIn(media[at], 'data');
  if (!type.startsWith('image/') || data === undefined)
    return refuseParameter(`${path}.parts[${at}]`, 'texts and one image in base64 are taken here');
  const text = textsOf({ parts: parts.toSpliced(at, 1) }, path).join('\n');
  return { ...(text === '' ? {} : { text }), image: { base64: `data:${type};base64,${data}` } };
}

const settingsOf = (request: JsonObject): JsonObject =>
  withoutAbsent({
    dimensions: memberOf(request, 'outputDimensionality'),
    task_type: memberOf(request, 'taskType'),
    title: memberOf(request, 'title'),
    encoding_format: 'float',
  });
