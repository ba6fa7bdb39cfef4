/** A Converse answer as a chat completion. */
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
import { converseUsage } from './usage.ts';

/** Reads an answer; the error says why it cannot be read. */
export function fromConverseAnswer(body: unknown, ctx: WireContext): Result<ChatCompletion, string> {
  const message = isObject(body) ? objectAt(objectAt(body, 'output'), 'message') : undefined;
  if (!isObject(body) || message === undefined) return err('the answer has no output message');
  const content = objectsAt(message, 'content');
  const choice = {
    text: content.map((block) => textOfBlock(block) ?? '').join(''),
    toolCalls: content.flatMap(toToolCalls),
    blocks: content.flatMap(toContentBlocks),
    finishReason: finishReasonOf(textAt(body, 'stopReason'), ctx.strict),
  };
  return ok(toChatCompletion({ choices: [choice], usage: converseUsage(objectAt(body, 'usage')) }, ctx));
}

/** The text of a block; text with citations is split into pieces. */
export function textOfBlock(block: JsonObject): string | undefined {
  const cited = objectAt(block, 'citationsContent');
  if (cited === undefined) return textAt(block, 'text');
  return objectsAt(cited, 'content')
    .map((piece) => textAt(piece, 'text') ?? '')
    .join('');
}

function toToolCalls(block: JsonObject): readonly ToolCall[] {
  const use = objectAt(block, 'toolUse');
  if (use === undefined) return [];
  const call = { name: textAt(use, 'name') ?? '', arguments: JSON.stringify(use['input'] ?? {}) };
  return [{ id: textAt(use, 'toolUseId') ?? '', type: 'function', function: call }];
}

function toContentBlocks(block: JsonObject): readonly ContentPart[] {
  const text = textOfBlock(block);
  if (text !== undefined) return [{ type: 'text', text }];
  return toThinkingBlocks(block);
}

/** Reasoning as thinking blocks, with the signature that the upstream requires in the history. */
export function toThinkingBlocks(block: JsonObject): readonly ContentPart[] {
  const reasoning = objectAt(block, 'reasoningContent');
  if (reasoning?.['redactedContent'] !== undefined) {
    return [{ type: 'redacted_thinking', data: reasoning['redactedContent'] }];
  }
  const text = objectAt(reasoning, 'reasoningText');
  if (text === undefined) return [];
  const signature = textAt(text, 'signature');
  return [
    { type: 'thinking', thinking: textAt(text, 'text') ?? '', ...(signature === undefined ? {} : { signature }) },
  ];
}
