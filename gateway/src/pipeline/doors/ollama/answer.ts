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
  readonly logprobs: readonly JsonObject[];
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

export const NOTHING_SAID: Said = { text: '', thinking: '', calls: [], logprobs: [] };

/** The members that every line has. */
export const lineOf = ({ model, shape, context }: AnswerOptions, said: Said): JsonObject => ({
  model,
  created_at: new Date(context.now()).toISOString(),
  ...shape(said),
  ...(said.logprobs.length === 0 ? {} : { logprobs: said.logprobs }),
  done: false,
});

/** Log probabilities of a choice or of a piece of it. */
export const logprobsOf = (choice: JsonObject | undefined): readonly JsonObject[] =>
  objectsAt(objectAt(choice, 'logprobs'), 'content');

/** Why a server of Ollama answers without saying anything. */
const OWN_REASONS: ReadonlySet<string> = new Set(['load', 'unload']);

function toReason(reason: string | undefined): string {
  if (reason !== undefined && OWN_REASONS.has(reason)) return reason;
  return toFinishReason(reason ?? 'stop') === 'length' ? 'length' : 'stop';
}

/** What an answer says beside what was said. */
interface Ending {
  readonly said: Said;
  readonly reason: string | undefined;
  readonly usage: JsonObject | undefined;
  /** Of a server of Ollama, in ns. */
  readonly durations: JsonObject | undefined;
}

/** The last line, or a whole answer. */
export function lastLine(options: AnswerOptions, { said, reason, usage, durations }: Ending): JsonObject {
  return withoutAbsent({
    ...lineOf(options, said),
    done: true,
    done_reason: toReason(reason),
    total_duration: Math.round(options.context.elapsedMs() * NANOS_PER_MS),
    ...durations,
    prompt_eval_count: numberAt(usage, 'prompt_tokens'),
    prompt_eval_cached_count: numberAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens'),
    eval_count: numberAt(usage, 'completion_tokens'),
  });
}

/** Throws UPSTREAM_INVALID_RESPONSE for what is no chat completion. */
export function toAnswer(answer: JsonObject, options: AnswerOptions): JsonObject {
  const choice = firstChoice(answer);
  const message = objectAt(choice, 'message');
  if (message === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The answer has no message' });
  const calls = objectsAt(message, 'tool_calls').map((call) => toCall(call));
  const said = { text: textOf(message), thinking: thinkingOf(message), calls, logprobs: logprobsOf(choice) };
  return lastLine(options, {
    said,
    reason: textAt(choice, 'finish_reason'),
    usage: objectAt(answer, 'usage'),
    durations: objectAt(answer, 'durations'),
  });
}

export function toCall(call: JsonObject): object {
  const called = objectAt(call, 'function');
  const id = textAt(call, 'id');
  return {
    ...(id === undefined || id === '' ? {} : { id }),
    function: { name: textAt(called, 'name') ?? '', arguments: parseArguments(called?.['arguments']) },
  };
}
