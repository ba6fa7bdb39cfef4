import { AppError } from '../../errors/index.ts';
import type { Call } from '../contract.ts';
import { pathText } from '../engine/index.ts';

/** Models that only the alpha version of the API serves. */
const ALPHA = 'gemini-2.0-flash-thinking-exp';
const RESOURCE_PREFIX = 'models/';

/** The model without the prefix of the provider's list. Throws AppError `MODEL_REQUIRED`. */
export function modelName({ model, provider }: Call): string {
  const name = model.startsWith(RESOURCE_PREFIX) ? model.slice(RESOURCE_PREFIX.length) : model;
  if (name === '') throw new AppError('MODEL_REQUIRED', { param: 'model', provider });
  return name;
}

/** The path of a method of the model, version included. */
export function modelPath(call: Call, method: string): string {
  const name = modelName(call);
  return `/${name.includes(ALPHA) ? 'v1alpha' : 'v1beta'}/models/${pathText(name, 'model')}:${method}`;
}
