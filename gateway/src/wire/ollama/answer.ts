/** Answers of Ollama's own API in the formats of OpenAI. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, Usage, WireContext } from '../contract.ts';
import { numberAt, objectAt, objectsAt, orAbsent, textAt, withoutAbsent } from '../json/json.ts';
import {
  type AnyFinishReason,
  type ChatCompletion,
  embeddingsBody,
  finishReasonOf,
  promptUsage,
  type ToolCall,
  toChatCompletion,
} from '../openai/index.ts';

/** The error says why the body is no answer. */
export function fromOllamaChat(body: unknown, ctx: WireContext): Result<ChatCompletion, string> {
  const message = isObject(body) ? objectAt(body, 'message') : undefined;
  if (!isObject(body) || message === undefined) return err('the answer has no message');
  const toolCalls = toToolCalls(message, ctx);
  const choice = {
    text: textAt(message, 'content') ?? '',
    toolCalls,
    finishReason: reasonOf(body, toolCalls.length > 0, ctx),
  };
  const made = toChatCompletion({ choices: [choice], usage: usageOf(body, saysSomething(message)) }, ctx);
  const thinking = textAt(message, 'thinking') ?? '';
  const beside = thinking === '' ? {} : { reasoning_content: thinking };
  const logprobs = logprobsOf(body);
  const choices = made.choices.map((one) => ({ ...one, logprobs, message: { ...one.message, ...beside } }));
  return ok({ ...made, choices, ...timingsOf(body, ctx) });
}

/** Vectors are lists of numbers; there are none where there is no input. The error says why the body is no answer. */
export function fromOllamaEmbed(body: unknown, ctx: WireContext): Result<JsonObject, string> {
  const vectors = isObject(body) ? body['embeddings'] : undefined;
  if (!isObject(body) || !Array.isArray(vectors)) return err('the answer has no embeddings');
  if (!vectors.every(isVector)) return err('the answer has embeddings that are no lists of numbers');
  if (vectors.length === 0 && hasInput(ctx.params)) return err('the answer has no embeddings');
  const tokens = countAt(body, 'prompt_eval_count');
  const usage = tokens === undefined ? undefined : promptUsage(tokens);
  const answer = embeddingsBody({ provider: ctx.provider, model: ctx.model, vectors, usage });
  return ok({ ...answer, ...timingsOf(body, ctx) });
}

const isVector = (value: unknown): boolean => Array.isArray(value) && value.every((item) => Number.isFinite(item));

const hasInput = ({ input }: JsonObject): boolean =>
  Array.isArray(input) ? input.length > 0 : input !== undefined && input !== null && input !== '';

/** Older servers give calls no ids. */
export const toToolCalls = (message: JsonObject, ctx: WireContext): readonly ToolCall[] =>
  objectsAt(message, 'tool_calls').map((call) => {
    const called = objectAt(call, 'function');
    return {
      id: textAt(call, 'id') || ctx.newId('call_', 24),
      type: 'function',
      function: { name: textAt(called, 'name') ?? '', arguments: JSON.stringify(called?.['arguments'] ?? {}) },
    };
  });

/** A call ends with `stop`, too. */
export function reasonOf(body: JsonObject, hasCalls: boolean, { strict }: WireContext): AnyFinishReason {
  const reason = textAt(body, 'done_reason');
  return hasCalls && (reason ?? 'stop') === 'stop' ? 'tool_calls' : finishReasonOf(reason, strict);
}

/**
 * A count that is absent is none: of a prompt that the server still had, or of an answer that says nothing. That of a prompt has what came
 * from its cache. Undefined: the server did not count what it said.
 */
export function usageOf(body: JsonObject, saysSomething: boolean): Usage | undefined {
  const prompt = countAt(body, 'prompt_eval_count');
  const completion = countAt(body, 'eval_count');
  if (completion === undefined && (prompt === undefined || saysSomething)) return undefined;
  const [prompt_tokens, completion_tokens] = [prompt ?? 0, completion ?? 0];
  const cached = countAt(body, 'prompt_eval_cached_count');
  return {
    ...{ prompt_tokens, completion_tokens, total_tokens: prompt_tokens + completion_tokens },
    ...(cached === undefined ? {} : { prompt_tokens_details: { cached_tokens: cached } }),
  };
}

/** The member when it is a count. */
function countAt(body: JsonObject, name: string): number | undefined {
  const count = numberAt(body, name);
  return Number.isSafeInteger(count) && Number(count) >= 0 ? count : undefined;
}

/** Whether a message, or a piece of one, is anything that is counted. */
export const saysSomething = (message: JsonObject | undefined): boolean =>
  Boolean(textAt(message, 'content') || textAt(message, 'thinking')) || objectsAt(message, 'tool_calls').length > 0;

const DURATIONS = ['total_duration', 'load_duration', 'prompt_eval_duration', 'eval_duration'] as const;

/** How long the server took, in ns: for clients alone that are not strict. */
export function timingsOf(body: JsonObject, { strict }: WireContext): JsonObject {
  const said = orAbsent(withoutAbsent(Object.fromEntries(DURATIONS.map((name) => [name, numberAt(body, name)]))));
  return strict || said === undefined ? {} : { durations: said };
}

/** They have the members of a chat's. */
export function logprobsOf(body: JsonObject): JsonObject | null {
  const entries = objectsAt(body, 'logprobs');
  return entries.length === 0 ? null : { content: entries.map((entry) => ({ top_logprobs: [], ...entry })) };
}
