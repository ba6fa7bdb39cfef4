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
  const usage = cohereUsage(objectAt(body, 'usage'));
  const completion = toChatCompletion({ id: textAt(body, 'id'), choices: [choice], usage }, ctx);
  const citations = objectsAt(message, 'citations');
  const logprobs = logprobsOf(body);
  return ok({
    ...completion,
    ...(logprobs === null ? {} : { choices: completion.choices.map((choice) => ({ ...choice, logprobs })) }),
    ...(ctx.strict || citations.length === 0 ? {} : { citations }),
  });
}

/** The tool plan is the model's reasoning before its tool calls. */
function blocksOf(message: JsonObject): readonly ContentPart[] {
  const plan = textAt(message, 'tool_plan') ?? '';
  const content = message['content'];
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsAt(message, 'content');
  const blocks = parts.map(toBlock).filter((block) => block !== undefined);
  return plan === '' ? blocks : [{ type: 'thinking', thinking: plan }, ...blocks];
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

/** Entries of one token each; for texts of several tokens the upstream does not assign them. */
function logprobsOf(body: JsonObject): JsonObject | null {
  const content = objectsAt(body, 'logprobs').flatMap((entry) => {
    const token = textAt(entry, 'text');
    const values = entry['logprobs'];
    if (token === undefined || !Array.isArray(values) || values.length !== 1) return [];
    return [{ token, logprob: values[0], bytes: [...Buffer.from(token, 'utf8')], top_logprobs: [] }];
  });
  return content.length === 0 ? null : { content };
}
