/** Vectors of embeddings, for clients that get one vector of each input. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { objectsAt } from '../../wire/json/json.ts';
import type { AskedEndpoint } from './door.ts';
import { refuseParameter } from './refuse.ts';

const APART = 'the model makes one vector of a text and another of an image; embed them apart';

/** A parameter that endpoints name whose models make vectors of their own of the text and of the image of an input. */
const OF_TWO_VECTORS = 'auto_truncate';

/** In the order of the inputs. `mayBeNone`: there are no inputs. Throws UPSTREAM_INVALID_RESPONSE. */
export function vectorsOf(answer: JsonObject, { mayBeNone = false } = {}): readonly unknown[] {
  const items = objectsAt(answer, 'data');
  if (items.some(({ embedding, image_embedding: ofImage }) => isGiven(embedding) && isGiven(ofImage)))
    throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: `The answer has two vectors of one input: ${APART}` });
  const vectors = items.map(({ embedding, image_embedding: ofImage }) => embedding ?? ofImage);
  if ((vectors.length > 0 || mayBeNone) && vectors.every(Array.isArray)) return vectors;
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The answer has no vectors of numbers' });
}

/**
 * Images where embeddings are made of texts alone, and inputs of which a model makes two vectors. `pathOf`: of an input in the
 * client's request. Throws PARAMETER_UNSUPPORTED.
 */
export const refusingInputs =
  (pathOf: (index: number, inputs: readonly unknown[]) => string) =>
  ({ input }: JsonObject, { names, isPlain }: AskedEndpoint): void => {
    const inputs: readonly unknown[] = Array.isArray(input) ? input : [input];
    const image = isPlain ? inputs.findIndex(hasImage) : -1;
    if (image >= 0) refuseParameter(pathOf(image, inputs), 'the provider makes vectors of texts alone');
    const both = inputs.findIndex((item) => hasImage(item) && hasText(item));
    if (both >= 0 && names(OF_TWO_VECTORS)) refuseParameter(pathOf(both, inputs), APART);
  };

const hasImage = (item: unknown): boolean => isObject(item) && isGiven(item['image']);
export const hasText = (item: unknown): boolean =>
  typeof item === 'string' || (isObject(item) && isGiven(item['text']));
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
