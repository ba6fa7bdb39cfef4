import { isObject } from '@gatehouse/crds';
import { withoutAbsent } from '../../../wire/json/json.ts';
import type { BodyHook } from '../../contract.ts';
import type { RemoteFile } from '../../openai-like/index.ts';

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

/** OpenRouter takes the URL of a file in place of its data. */
export const fileAtUrl: RemoteFile = ({ url, name }) =>
  url === undefined ? undefined : { type: 'file', file: withoutAbsent({ filename: name, file_data: url }) };
