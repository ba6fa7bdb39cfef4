/** A chat completion as an answer of the Gemini API. */
import { AppError } from '../../../errors/index.ts';
import { newId } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { parseArguments } from '../../../wire/openai/index.ts';
import { firstChoice } from '../chat-parts.ts';
import { extrasOf, toFinishReason } from './candidate.ts';
import { saidParts } from './said.ts';

export function toUsage(usage: JsonObject | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const prompt = numberAt(usage, 'prompt_tokens') ?? 0;
  const completion = numberAt(usage, 'completion_tokens') ?? 0;
  const thoughts = numberAt(objectAt(usage, 'completion_tokens_details'), 'reasoning_tokens') ?? 0;
  return withoutAbsent({
    promptTokenCount: prompt,
    candidatesTokenCount: Math.max(0, completion - thoughts),
    thoughtsTokenCount: thoughts === 0 ? undefined : thoughts,
    cachedContentTokenCount: numberAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens'),
    totalTokenCount: numberAt(usage, 'total_tokens') ?? prompt + completion,
  });
}

export function toFunctionCall(call: JsonObject): JsonObject {
  const called = objectAt(call, 'function');
  const id = textAt(call, 'id');
  return withoutAbsent({
    functionCall: {
      ...(id === undefined || id === '' ? {} : { id }),
      name: textAt(called, 'name') ?? '',
      args: parseArguments(called?.['arguments']),
    },
    thoughtSignature: textAt(called, 'thought_signature'),
  });
}

/** What is the same in all pieces of an answer. */
export const envelopeOf = (answer: JsonObject): JsonObject => ({
  modelVersion: textAt(answer, 'model') ?? '',
  responseId: textAt(answer, 'id') || newId(''),
});

/** Throws UPSTREAM_INVALID_RESPONSE for what is no chat completion. */
export function toAnswer(answer: JsonObject): JsonObject {
  const choice = firstChoice(answer);
  const message = objectAt(choice, 'message');
  if (message === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The answer has no message' });
  const parts = [...saidParts(message), ...objectsAt(message, 'tool_calls').map(toFunctionCall)];
  const candidate = withoutAbsent({
    content: { role: 'model', parts },
    finishReason: toFinishReason(textAt(choice, 'finish_reason') ?? 'stop'),
    index: 0,
    ...extrasOf(choice),
  });
  const promptFeedback = objectAt(choice, 'promptFeedback');
  return withoutAbsent({
    ...(promptFeedback === undefined ? { candidates: [candidate] } : { promptFeedback }),
    usageMetadata: toUsage(objectAt(answer, 'usage')),
    ...envelopeOf(answer),
  });
}
