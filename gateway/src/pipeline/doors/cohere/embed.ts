/** `POST /v2/embed` over embeddings. */
import { newId } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { DroppedNames } from '../dropped-names.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';
import { hasText, refusingInputs, vectorsOf } from '../vectors.ts';
import { inputOf } from './embed-input.ts';

export const cohereEmbed: Door = {
  vendorParams: ['input_type', 'truncate', 'embedding_types'],
  forOthers: { ownParam: 'embedding_types', params: withFloatsAlone },
  refuseAt: refusingInputs(pathOf),
  enter: (given) => {
    const input = inputOf(given);
    const types = typesOf(given);
    return {
      params: withoutAbsent({
        model: given['model'],
        input,
        input_type: given['input_type'],
        truncate: given['truncate'],
        dimensions: given['output_dimension'],
        encoding_format: 'float',
        embedding_types: types,
      }),
      dropped: unreadOf(given),
      toClient: (answer) => {
        const usage = objectAt(answer, 'usage');
        const units = { input_tokens: numberAt(usage, 'prompt_tokens') };
        return {
          id: newId('embd-'),
          response_type: 'embeddings_by_type',
          embeddings: objectAt(answer, 'embeddings_by_type') ?? { float: vectorsOf(answer) },
          texts: input.filter((item) => typeof item === 'string'),
          meta: metaOf(objectAt(usage, 'billed_units') ?? units),
        };
      },
    };
  },
};

/** Images alone may have come as either. */
function pathOf(index: number, inputs: readonly unknown[]): string {
  return inputs.some(hasText) ? `inputs[${index}]` : `images[${index}] or inputs[${index}]`;
}

const READ: ReadonlySet<string> = new Set([
  ...['model', 'texts', 'images', 'inputs', 'input_type', 'truncate', 'output_dimension', 'embedding_types'],
]);

function unreadOf(given: JsonObject): readonly string[] {
  const dropped = new DroppedNames();
  dropped.addOthers(given, (name) => READ.has(name));
  return dropped.names;
}

const API = { version: '2' };

export const metaOf = (units: JsonObject): JsonObject => ({ api_version: API, billed_units: withoutAbsent(units) });

/** The types of vectors, where a client asks for others than floats. Throws PARAMETER_INVALID. */
function typesOf({ embedding_types: types }: JsonObject): readonly string[] | undefined {
  if (types === undefined || types === null) return undefined;
  if (!Array.isArray(types) || !types.every((type) => typeof type === 'string'))
    return refuseShape('embedding_types', 'a list of types');
  return types.every((type) => type === 'float') ? undefined : types;
}

/** Throws PARAMETER_UNSUPPORTED: other vendors have no other types. */
function withFloatsAlone(params: JsonObject): JsonObject {
  if (params['embedding_types'] === undefined) return params;
  return refuseParameter('embedding_types', 'models of other vendors than Cohere give vectors as float alone');
}
