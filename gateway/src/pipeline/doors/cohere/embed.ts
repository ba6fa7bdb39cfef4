/** `POST /v2/embed` over embeddings. */
import { AppError } from '../../../errors/index.ts';
import { newId } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, objectsAt, withoutAbsent } from '../../../wire/json/json.ts';
import type { Door } from '../door.ts';
import { refuseParameter, refuseShape } from '../refuse.ts';

const ID_CHARS = 24;

export const cohereEmbed: Door = {
  vendorParams: ['input_type', 'truncate'],
  enter: (given) => {
    const texts = textsOf(given);
    return {
      params: withoutAbsent({
        model: given['model'],
        input: texts,
        input_type: given['input_type'],
        truncate: given['truncate'],
        dimensions: given['output_dimension'],
        encoding_format: 'float',
      }),
      dropped: typeof given['max_tokens'] === 'number' ? ['max_tokens'] : [],
      toClient: (answer) => ({
        id: newId('embd-', ID_CHARS),
        response_type: 'embeddings_by_type',
        embeddings: { float: vectorsOf(answer) },
        texts,
        meta: metaOf({ input_tokens: numberAt(objectAt(answer, 'usage'), 'prompt_tokens') }),
      }),
    };
  },
};

const API = { version: '2' };

export const metaOf = (units: JsonObject): JsonObject => ({ api_version: API, billed_units: withoutAbsent(units) });

/** Throws PARAMETER_INVALID and PARAMETER_UNSUPPORTED. */
function textsOf(given: JsonObject): readonly string[] {
  for (const name of ['images', 'inputs']) {
    if (given[name] !== undefined && given[name] !== null)
      refuseParameter(name, 'embeddings of texts alone are offered here; use texts');
  }
  const types = given['embedding_types'] ?? ['float'];
  if (!Array.isArray(types) || types.some((type) => type !== 'float'))
    refuseParameter('embedding_types', 'vectors are given as float alone');
  const { texts } = given;
  if (!Array.isArray(texts) || !texts.every((text) => typeof text === 'string'))
    return refuseShape('texts', 'a list of texts');
  return texts;
}

/** In the order of the texts. Throws UPSTREAM_INVALID_RESPONSE. */
function vectorsOf(answer: JsonObject): readonly unknown[] {
  const vectors = objectsAt(answer, 'data').map(({ embedding }) => embedding);
  if (vectors.length > 0 && vectors.every(Array.isArray)) return vectors;
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The answer has no vectors of numbers' });
}
