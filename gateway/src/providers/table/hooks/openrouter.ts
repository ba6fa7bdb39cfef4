import { isObject } from '@gatehouse/crds';
import type { BodyHook } from '../../contract.ts';

const objectOf = (value: unknown): Readonly<Record<string, unknown>> => (isObject(value) ? value : {});

/** Moves `reasoning_effort` and `stream_options` into OpenRouter's members `reasoning` and `usage`. */
export const nestReasoningAndUsage: BodyHook = (params) => {
  const { reasoning_effort, stream_options, ...rest } = params;
  if (reasoning_effort === undefined && stream_options === undefined) return params;
  const counted = objectOf(stream_options)['include_usage'] === true;
  return {
    ...rest,
    ...(reasoning_effort === undefined
      ? {}
      : { reasoning: { ...objectOf(rest['reasoning']), effort: reasoning_effort } }),
    ...(counted ? { usage: { ...objectOf(rest['usage']), include: true } } : {}),
  };
};
