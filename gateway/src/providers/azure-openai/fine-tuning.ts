/** Fine-tuning jobs where they differ from OpenAI's. Source: Azure OpenAI, fine-tuning API. */
import { isObject, ok } from '@gatehouse/crds';
import type { AnswerRule, BodyHook, JsonObject } from '../contract.ts';

/** API versions before methods take the hyperparameters of the method at the top. */
export const olderMethod: BodyHook = (params) => {
  const { method, ...others } = params;
  if (!isObject(method) || params['hyperparameters'] !== undefined) return params;
  const { type } = method;
  const own = typeof type === 'string' && Object.hasOwn(method, type) ? method[type] : undefined;
  if (!isObject(own) || own['hyperparameters'] === undefined) return params;
  return { ...others, hyperparameters: own['hyperparameters'] };
};

const WAITING: ReadonlySet<unknown> = new Set(['created', 'pending']);

/** A job in the words of OpenAI for its state. */
export const finetuneAnswer: AnswerRule = {
  kind: 'read',
  read: (body, { provider }) => ok(isObject(body) ? { ...withState(body), provider } : { provider }),
};

function withState(body: JsonObject): JsonObject {
  if (Array.isArray(body['data'])) {
    return { ...body, data: body['data'].map((job: unknown) => (isObject(job) ? withState(job) : job)) };
  }
  return WAITING.has(body['status']) ? { ...body, status: 'queued' } : body;
}
