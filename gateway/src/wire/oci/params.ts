/** The parameters that a chat of OCI Generative AI says. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import { textAt } from '../json/json.ts';
import { taking } from '../params/params.ts';

export const GENERIC = 'GENERIC';

/** The format of a chat: what the client says, else that of the maker of the model. */
export const apiFormatOf = (params: JsonObject, model: string): string =>
  textAt(params, 'api_format')?.toUpperCase() ?? (model.startsWith('cohere.') ? 'COHERE' : GENERIC);

/** Same meaning on both sides, under another name. */
export const RENAMED: readonly (readonly [client: string, upstream: string])[] = [
  ['top_p', 'topP'],
  ['top_k', 'topK'],
  ['frequency_penalty', 'frequencyPenalty'],
  ['presence_penalty', 'presencePenalty'],
  ['n', 'numGenerations'],
  ['logit_bias', 'logitBias'],
  ['seed', 'seed'],
  ['metadata', 'metadata'],
  ['is_echo', 'isEcho'],
  ['parallel_tool_calls', 'isParallelToolCalls'],
];

/** Of a chat request. */
export const takesOciChat = taking(
  [
    ...['model', 'messages', 'api_format', 'max_tokens', 'max_completion_tokens', 'temperature', 'stop'],
    ...['logprobs', 'top_logprobs', 'tools', 'tool_choice', 'reasoning_effort', 'verbosity'],
    ...RENAMED.map(([client]) => client),
  ],
  { response_format: (format) => isObject(format) && typeof format['type'] === 'string' },
);
