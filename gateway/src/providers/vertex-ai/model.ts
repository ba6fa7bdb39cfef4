/** The publisher of a model and the model's name there. */
import { AppError } from '../../errors/index.ts';
import type { Call } from '../contract.ts';

export type Family = 'google' | 'anthropic' | 'meta' | 'mistralai' | 'endpoints';

export interface VertexModel {
  readonly family: Family;
  /** The model without its family prefix. */
  readonly name: string;
}

const FAMILIES: ReadonlyMap<string, Family> = new Map(
  (['google', 'anthropic', 'meta', 'mistralai', 'endpoints'] as const).map((family) => [family, family]),
);

/** Names that identify the publisher without a prefix. */
const BY_NAME: readonly (readonly [pattern: RegExp, family: Family])[] = [
  [/^claude/, 'anthropic'],
  [/^(?:mistral|codestral)/, 'mistralai'],
  [/^(?:projects\/.+\/endpoints\/[^/]+|\d+)$/, 'endpoints'],
];

export function readModel(model: string): VertexModel {
  const dot = model.indexOf('.');
  const family = dot < 0 ? undefined : FAMILIES.get(model.slice(0, dot));
  if (family !== undefined) return { family, name: model.slice(dot + 1) };
  const named = BY_NAME.find(([pattern]) => pattern.test(model))?.[1];
  return { family: named ?? 'google', name: model };
}

/** The model of a call. Throws AppError `MODEL_REQUIRED`. */
export function modelOf({ model, provider }: Call): VertexModel {
  const read = readModel(model);
  if (read.name === '') throw new AppError('MODEL_REQUIRED', { param: 'model', provider });
  return read;
}
