/** Answers of embedding upstreams that differ from OpenAI's. */
import { err, isObject, ok } from '@gatehouse/crds';
import { embeddingsBody, promptUsage } from '../../../wire/openai/index.ts';
import type { AnswerRule, BodyHook } from '../../contract.ts';

/** nomic: a list of vectors. */
export const vectorsAsData: AnswerRule = {
  kind: 'read',
  read(body, call) {
    const vectors = isObject(body) ? body['embeddings'] : undefined;
    if (!isObject(body) || !Array.isArray(vectors)) return err('embeddings are missing');
    const usage = isObject(body['usage']) ? body['usage'] : undefined;
    const model = typeof body['model'] === 'string' ? body['model'] : call.model;
    return ok(embeddingsBody({ provider: call.provider, model, vectors, usage }));
  },
};

/** voyage: `float` is the default and not accepted as a value. */
export const withoutFloatFormat: BodyHook = (params) => {
  if (params['encoding_format'] !== 'float') return params;
  const { encoding_format: _, ...rest } = params;
  return rest;
};

/** voyage reports the total only. */
export const promptUsageFromTotal: AnswerRule = {
  kind: 'read',
  read(body, call) {
    if (!isObject(body) || !Array.isArray(body['data'])) return err('data is missing');
    const total = isObject(body['usage']) ? body['usage']['total_tokens'] : undefined;
    const usage = typeof total === 'number' ? { usage: promptUsage(total) } : {};
    return ok({ ...body, ...usage, provider: call.provider });
  },
};
