import type { BodyHook } from '../../contract.ts';

/** For upstreams that want a list where OpenAI also takes one text. */
export const inputAsList: BodyHook = (params) =>
  typeof params['input'] === 'string' ? { ...params, input: [params['input']] } : params;
