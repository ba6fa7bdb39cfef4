/** An answer of the messages API as a chat completion. */
import { err, isObject, ok, type Result } from '@gatehouse/crds';
import type { JsonObject, WireContext } from '../contract.ts';
import { objectsAt, textAt } from '../json/json.ts';
import {
  type ChatCompletion,
  type ContentPart,
  finishReasonOf,
  type ToolCall,
  toChatCompletion,
} from '../openai/index.ts';
import { usageOfMessage } from './usage.ts';

/** Reads an answer; the error says why it cannot be read. */
export function fromAnthropicAnswer(body: unknown, ctx: WireContext): Result<ChatCompletion, string> {
  if (!isObject(body) || !Array.isArray(body['content'])) return err('the answer has no content list');
  const blocks = objectsAt(body, 'content');
  const choice = {
    text: blocks.map((block) => (block['type'] === 'text' ? (textAt(block, 'text') ?? '') : '')).join(''),
    toolCalls: blocks.filter(isToolUse).map(toToolCall),
    blocks: blocks.filter((block): block is ContentPart => !isToolUse(block) && typeof block['type'] === 'string'),
    finishReason: finishReasonOf(textAt(body, 'stop_reason'), ctx.strict),
  };
  const names = { id: textAt(body, 'id'), model: textAt(body, 'model') };
  return ok(toChatCompletion({ ...names, choices: [choice], usage: usageOfMessage(body) }, ctx));
}

const isToolUse = (block: JsonObject): boolean => block['type'] === 'tool_use';

function toToolCall(block: JsonObject): ToolCall {
  return {
    id: textAt(block, 'id') ?? '',
    type: 'function',
    function: { name: textAt(block, 'name') ?? '', arguments: JSON.stringify(block['input'] ?? {}) },
  };
}
