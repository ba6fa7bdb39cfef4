/** A chat completion as an answer of Cohere's chat. */
import { AppError } from '../../../errors/index.ts';
import { newId } from '../../../lib/random.ts';
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, objectsAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';
import { toFinishReason } from '../../../wire/openai/index.ts';
import { firstChoice, textOf } from '../chat-parts.ts';
import { logprobsOf, ThoughtReader } from './said.ts';

export const answerId = (answer: JsonObject): string => textAt(answer, 'id') || newId('chat-');

const REASONS: ReadonlyMap<string, string> = new Map([
  ['stop', 'COMPLETE'],
  ['length', 'MAX_TOKENS'],
  ['tool_calls', 'TOOL_CALL'],
  ['function_call', 'TOOL_CALL'],
  ['content_filter', 'ERROR'],
]);

/** Source: Cohere API v2, ChatFinishReason. */
const OWN_REASONS: ReadonlySet<string> = new Set([
  ...['COMPLETE', 'STOP_SEQUENCE', 'MAX_TOKENS', 'TOOL_CALL', 'ERROR', 'TIMEOUT'],
]);

export function toReason(reason: string | undefined, hasCalls: boolean): string {
  if (reason !== undefined && OWN_REASONS.has(reason)) return reason;
  const known = toFinishReason(reason ?? 'stop');
  return hasCalls && known !== 'length' ? 'TOOL_CALL' : (REASONS.get(known) ?? 'COMPLETE');
}

export function toUsage(usage: JsonObject | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const tokens = {
    input_tokens: numberAt(usage, 'prompt_tokens') ?? 0,
    output_tokens: numberAt(usage, 'completion_tokens') ?? 0,
  };
  const cached = numberAt(objectAt(usage, 'prompt_tokens_details'), 'cached_tokens');
  const billed = objectAt(usage, 'billed_units') ?? tokens;
  return { billed_units: billed, tokens, ...(cached === undefined ? {} : { cached_tokens: cached }) };
}

/** Throws UPSTREAM_INVALID_RESPONSE for what is no chat completion. */
export function toAnswer(answer: JsonObject): JsonObject {
  const choice = firstChoice(answer);
  const message = objectAt(choice, 'message');
  if (message === undefined) throw new AppError('UPSTREAM_INVALID_RESPONSE', { detail: 'The answer has no message' });
  const text = textOf(message);
  const { plan, thinking } = new ThoughtReader().read(message);
  const logprobs = logprobsOf(choice);
  const calls = objectsAt(message, 'tool_calls');
  const citations = objectsAt(answer, 'citations');
  const content = [
    ...(thinking === '' ? [] : [{ type: 'thinking', thinking }]),
    ...(text === '' ? [] : [{ type: 'text', text }]),
  ];
  return withoutAbsent({
    id: answerId(answer),
    finish_reason: toReason(textAt(choice, 'finish_reason'), calls.length > 0),
    message: withoutAbsent({
      role: 'assistant',
      content: content.length === 0 ? undefined : content,
      tool_plan: plan === '' ? undefined : plan,
      tool_calls: calls.length === 0 ? undefined : calls.map(toCall),
      citations: citations.length === 0 ? undefined : citations,
    }),
    logprobs: logprobs.length === 0 ? undefined : logprobs,
    usage: toUsage(objectAt(answer, 'usage')),
  });
}

function toCall(call: JsonObject): object {
  const called = objectAt(call, 'function');
  return {
    id: textAt(call, 'id') || newId('call_'),
    type: 'function',
    function: { name: textAt(called, 'name') ?? '', arguments: textAt(called, 'arguments') ?? '{}' },
  };
}
