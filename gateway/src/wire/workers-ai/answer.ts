/** Answers of Workers AI, which has each in an envelope `{result, success, errors, messages}`. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectAt, textAt } from '../json/json.ts';
import {
  readChatAnswer,
  type TextCompletion,
  type ToolCall,
  toChatCompletion,
  toTextCompletion,
  toUsage,
} from '../openai/index.ts';

/** A chat; newer models answer in the OpenAI format inside the envelope. The error says why the body is no answer. */
export function fromWorkersAiAnswer(body: unknown, ctx: WireContext): Result<object, string> {
  const result = resultOf(body);
  if (result === undefined) return err(NO_RESULT);
  if (Array.isArray(result['choices'])) return readChatAnswer(result, ctx, {});
  const text = responseText(result);
  const toolCalls = toolCallsOf(result, ctx);
  if (text === undefined && toolCalls.length === 0) return err('the result has no response');
  const finishReason = toolCalls.length > 0 ? 'tool_calls' : 'stop';
  const choices = [{ text: text ?? '', toolCalls, finishReason }];
  return ok(toChatCompletion({ choices, usage: toUsage(result['usage']) }, ctx));
}

/** A text completion. */
export function fromWorkersAiCompletion(body: unknown, ctx: WireContext): Result<TextCompletion, string> {
  const result = resultOf(body);
  const text = result === undefined ? undefined : responseText(result);
  if (result === undefined || text === undefined) return err(NO_RESULT);
  return ok(toTextCompletion({ choices: [{ text, finishReason: 'stop' }], usage: toUsage(result['usage']) }, ctx));
}

const NO_RESULT = 'the answer has no result';

/** The content of the envelope; undefined where the call did not succeed. */
export const resultOf = (body: unknown): JsonObject | undefined =>
  isObject(body) && body['success'] !== false ? objectAt(body, 'result') : undefined;

/** A text, or in answers of a response format the value itself. */
export function responseText(result: JsonObject): string | undefined {
  const { response } = result;
  return isObject(response) || Array.isArray(response) ? JSON.stringify(response) : textAt(result, 'response');
}

/** Calls as `{name, arguments}` without ids, or in the OpenAI format. */
export function toolCallsOf(result: JsonObject, ctx: WireContext): readonly ToolCall[] {
  const calls = result['tool_calls'];
  if (!Array.isArray(calls)) return [];
  return calls.filter(isObject).map((call) => {
    const called = objectAt(call, 'function') ?? call;
    const given = called['arguments'];
    return {
      id: textAt(call, 'id') ?? ctx.newId('call_', 24),
      type: 'function',
      function: {
        name: textAt(called, 'name') ?? '',
        arguments: typeof given === 'string' ? given : JSON.stringify(given ?? {}),
      },
    };
  });
}
