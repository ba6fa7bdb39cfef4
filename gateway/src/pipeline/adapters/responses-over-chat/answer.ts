/** A chat completion as a response. */
import { isObject } from '@gatehouse/crds';
import { AppError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { objectAt, textAt } from '../../../wire/json/json.ts';
import { toUsage } from '../../../wire/openai/index.ts';
import { createEnvelope, endOf, namesOf } from './envelope.ts';
import { Output } from './output.ts';
import type { ResponseOptions } from './stream.ts';

/** Throws UPSTREAM_INVALID_RESPONSE for what is no chat completion. */
export function toResponse(
  answer: JsonObject,
  { params, request, context }: Omit<ResponseOptions, 'maxChars'>,
): object {
  const choices: unknown = answer['choices'];
  const choice: unknown = Array.isArray(choices) ? choices[0] : undefined;
  if (!isObject(choice)) {
    throw new AppError('UPSTREAM_INVALID_RESPONSE', {
      provider: context.provider,
      detail: `The answer of ${context.provider} is no chat completion: it has no choices`,
    });
  }
  const { status, reason } = endOf(textAt(choice, 'finish_reason') ?? 'stop');
  const output = new Output({
    emit: () => undefined,
    newId: (prefix, length) => context.newId(prefix, length),
    clientTools: request.clientTools,
    keepsThoughts: request.keepsThoughts,
  });
  output.add(objectAt(choice, 'message') ?? {}, choice['logprobs']);
  output.close(status);
  return createEnvelope(params)(namesOf(answer, context), {
    status,
    reason,
    completedAt: status === 'completed' ? Math.floor(context.now() / 1000) : undefined,
    output: output.values,
    usage: toUsage(answer['usage']),
  });
}
