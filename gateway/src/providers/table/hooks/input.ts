import type { BodyHook } from '../../contract.ts';

/** For upstreams that require a list where OpenAI also accepts one text. */
export const inputAsList: BodyHook = (params) =>
  typeof params['input'] === 'string' ? { ...params, input: [params['input']] } : params;
