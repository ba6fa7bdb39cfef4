/** Vectors of embeddings, for clients that get one vector of each input. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../errors/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { objectsAt } from '../../wire/json/json.ts';
import { refuseParameter } from './refuse.ts';

const APART = 'the model makes one vector of a text and another of an image; embed them apart';

/** A parameter that endpoints name whose models make vectors of their own of the text and of the image of an input. */
const OF_TWO_VECTORS = 'auto_truncate';

/** In the order of the inputs. Throws UPSTREAM_INVALID_RESPONSE. */
export function vectorsOf(answer: JsonObject): readonly unknown[] {
  const items = objectsAt(answer, 'data');
  if (items.some(({ embedding, image_embedding: ofImage }) => isGiven(embedding) && isGiven(ofImage)))
    throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: `The answer has two vectors of one input: ${APART}` });
  const vectors = items.map(({ embedding, image_embedding: ofImage }) => embedding ?? ofImage);
  if (vectors.length > 0 && vectors.every(Array.isArray)) return vectors;
  throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The answer has no vectors of numbers' });
}

/** `pathOf`: of an input in the client's request. Throws PARAMETER_UNSUPPORTED. */
export const refusingTwoVectors =
  (pathOf: (index: number) => string) =>
  ({ input }: JsonObject, names: (param: string) => boolean): void => {
    const at = (Array.isArray(input) ? input : [input]).findIndex(hasBoth);
    if (at >= 0 && names(OF_TWO_VECTORS)) refuseParameter(pathOf(at), APART);
  };

const hasBoth = (item: unknown): boolean => isObject(item) && isGiven(item['text']) && isGiven(item['image']);
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;
