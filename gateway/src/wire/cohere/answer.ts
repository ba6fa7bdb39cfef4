/** An answer of Cohere's v2 chat as a chat completion. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectAt, objectsAt, textAt } from '../json/json.ts';
import {
  type ChatCompletion,
  type ContentPart,
  finishReasonOf,
  type ToolCall,
  toChatCompletion,
} from '../openai/index.ts';
import { logprobsOf } from './logprobs.ts';
import { cohereUsage } from './usage.ts';

/** The error says why the body is no answer. */
export function fromCohereAnswer(body: unknown, ctx: WireContext): Result<ChatCompletion, string> {
  const message = isObject(body) ? objectAt(body, 'message') : undefined;
  if (!isObject(body) || message === undefined) return err('the answer has no message');
  const blocks = blocksOf(message);
  const choice = {
    text: blocks.map((block) => (block.type === 'text' ? (textAt(block, 'text') ?? '') : '')).join(''),
    toolCalls: objectsAt(message, 'tool_calls').map(toToolCall),
    blocks,
    finishReason: finishReasonOf(textAt(body, 'finish_reason'), ctx.strict),
  };
  const usage = cohereUsage(objectAt(body, 'usage'), ctx.strict);
  const completion = toChatCompletion({ id: textAt(body, 'id'), choices: [choice], usage }, ctx);
  const citations = objectsAt(message, 'citations');
  const logprobs = logprobsOf(objectsAt(body, 'logprobs'), ctx.strict);
  return ok({
    ...completion,
    ...(logprobs === null ? {} : { choices: completion.choices.map((choice) => ({ ...choice, logprobs })) }),
    ...(ctx.strict || citations.length === 0 ? {} : { citations }),
  });
}

/** The tool plan is the model's reasoning before its tool calls, and says so. */
function blocksOf(message: JsonObject): readonly ContentPart[] {
  const plan = textAt(message, 'tool_plan') ?? '';
  const content = message['content'];
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsAt(message, 'content');
  const blocks = parts.map(toBlock).filter((block) => block !== undefined);
  return plan === '' ? blocks : [{ type: 'thinking', tool_plan: true, thinking: plan }, ...blocks];
}

function toBlock(part: JsonObject): ContentPart | undefined {
  const text = textAt(part, 'text');
  const thinking = textAt(part, 'thinking');
  if (thinking !== undefined) return { type: 'thinking', thinking };
  return text === undefined ? undefined : { type: 'text', text };
}

const toToolCall = (call: JsonObject): ToolCall => ({
  id: textAt(call, 'id') ?? '',
  type: 'function',
  function: {
    name: textAt(objectAt(call, 'function'), 'name') ?? '',
    arguments: textAt(objectAt(call, 'function'), 'arguments') ?? '{}',
  },
});
