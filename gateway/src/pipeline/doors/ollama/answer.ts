/** Chat completions as answers of Ollama, whole and line by line. */
import { AppError } from '../../../errors/index.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { parseArguments, toFinishReason } from '../../../wire/openai/index.ts';
import { firstChoice, textOf, thinkingOf } from '../chat-parts.ts';
import type { DoorContext } from '../door.ts';

export const NANOS_PER_MS = 1_000_000;

/** What a piece of an answer says; both kinds of answers are made of it. */
export interface Said {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly object[];
}

/** Where an answer has what was said. */
export type Shape = (said: Said) => JsonObject;

export const chatShape: Shape = ({ text, thinking, calls }) => ({
  message: {
    role: 'assistant',
    content: text,
    ...(thinking === '' ? {} : { thinking }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  },
});

export const generateShape: Shape = ({ text, thinking }) => ({
  response: text,
  ...(thinking === '' ? {} : { thinking }),
});

export interface AnswerOptions {
  readonly model: string;
  readonly shape: Shape;
  readonly context: DoorContext;
}

export const NOTHING_SAID: Said = { text: '', thinking: '', calls: [] };

/** The members that every line has. */
export const lineOf = ({ model, shape, context }: AnswerOptions, said: Said): JsonObject => ({
  model,
  created_at: new Date(context.now()).toISOString(),
  ...shape(said),
  done: false,
});

/** The last line, or a whole answer. */
export function lastLine(
  options: AnswerOptions,
  {
    said,
    reason,
    usage,
  }: { readonly said: Said; readonly reason: string | undefined; readonly usage: JsonObject | undefined },
): JsonObject {
  return withoutAbsent({
    ...lineOf(options, said),
    done: true,
    done_reason: toFinishReason(reason ?? 'stop') === 'length' ? 'length' : 'stop',
    total_duration: Math.round(options.context.elapsedMs() * NANOS_PER_MS),
    prompt_eval_count: numberAt(usage, 'prompt_tokens'),
    eval_count: numberAt(usage, 'completion_tokens'),
  });
}

/** Throws UPSTREAM_INVALID_RESPONSE for what is no chat completion. */
export function toAnswer(answer: JsonObject, options: AnswerOptions): JsonObject {
  const choice = firstChoice(answer);
  const message = objectAt(choice, 'message');
  if (message === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The answer has no message' });
  const calls = objectsAt(message, 'tool_calls').map((call) => toCall(call));
  const said = { text: textOf(message), thinking: thinkingOf(message), calls };
  return lastLine(options, { said, reason: textAt(choice, 'finish_reason'), usage: objectAt(answer, 'usage') });
}

export function toCall(call: JsonObject): object {
  const called = objectAt(call, 'function');
  const id = textAt(call, 'id');
  return {
    ...(id === undefined || id === '' ? {} : { id }),
    function: { name: textAt(called, 'name') ?? '', arguments: parseArguments(called?.['arguments']) },
  };
}
