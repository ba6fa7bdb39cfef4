/** Members that some upstreams leave out. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../../wire/contract.ts';
import type { OpenAiDialect } from '../../../wire/openai/index.ts';

const NO_USAGE = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 } as const;

const choicesOf = (body: JsonObject): readonly unknown[] => {
  const choices: unknown = body['choices'];
  return Array.isArray(choices) ? choices : [];
};

const isWholeAnswer = (body: JsonObject): boolean =>
  choicesOf(body).some((choice) => isObject(choice) && isObject(choice['message']));

/** Adds the role of complete messages, and usage where the upstream has none. */
function fillAnswer(body: JsonObject): JsonObject {
  if (!isWholeAnswer(body)) return body;
  const choices = choicesOf(body).map((choice) => {
    const message = isObject(choice) ? choice['message'] : undefined;
    if (!isObject(choice) || !isObject(message)) return choice;
    return { ...choice, message: { role: 'assistant', ...message } };
  });
  return { ...body, choices, usage: body['usage'] ?? NO_USAGE };
}

/** lemonfox-ai. */
export const roleAndUsage: OpenAiDialect = { body: fillAnswer };

/** sambanova: the chunk with usage ends the message without a finish reason. */
export const roleUsageAndEnd: OpenAiDialect = {
  body(body) {
    if (!isObject(body['usage']) || isWholeAnswer(body)) return fillAnswer(body);
    return { ...body, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
  },
};

/** huggingface sends an empty id; the codec adds one that is constant within a stream. */
export const stableId: OpenAiDialect = {
  body(body) {
    if (body['id'] !== '') return body;
    const { id: _, ...rest } = body;
    return rest;
  },
};

/** cortex: deltas are typed parts. */
export const untypedDelta: OpenAiDialect = {
  message(message) {
    if (message['type'] !== 'text') return message;
    const { type: _, ...rest } = message;
    return rest;
  },
};
