/** The upstream's reasoning as content blocks, for answers that are not strict. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../contract.ts';
import type { BlockDelta, ContentPart } from './chat.ts';

/** The reasoning text of a message or delta, in either spelling that upstreams use. */
export function reasoningOf(message: JsonObject): string | undefined {
  for (const key of ['reasoning_content', 'reasoning']) {
    const value = message[key];
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** A chat answer whose messages carry their reasoning as `content_blocks` too; the same object when there is none. */
export function withContentBlocks(body: JsonObject): JsonObject {
  const choices: unknown = body['choices'];
  if (!Array.isArray(choices)) return body;
  const extended: unknown[] = choices.map((choice: unknown) => (isObject(choice) ? extendChoice(choice) : choice));
  return extended.some((choice, i) => choice !== choices[i]) ? { ...body, choices: extended } : body;
}

function extendChoice(choice: JsonObject): JsonObject {
  const message = choice['message'];
  if (!isObject(message) || message['content_blocks'] !== undefined) return choice;
  const thinking = reasoningOf(message);
  if (thinking === undefined) return choice;
  const signature = signatureOf(message);
  const blocks: ContentPart[] = [{ type: 'thinking', thinking, ...(signature === undefined ? {} : { signature }) }];
  const content = message['content'];
  if (typeof content === 'string' && content !== '') blocks.push({ type: 'text', text: content });
  return { ...choice, message: { ...message, content_blocks: blocks } };
}

/** OpenRouter puts the signature of a model's thinking into `reasoning_details`. */
function signatureOf(message: JsonObject): string | undefined {
  const details: unknown = message['reasoning_details'];
  if (!Array.isArray(details)) return undefined;
  for (const item of details) if (isObject(item) && typeof item['signature'] === 'string') return item['signature'];
  return undefined;
}

/** Numbers the blocks of one streamed choice: thinking and text in order of arrival. */
export interface BlockCounter {
  next(delta: JsonObject): readonly BlockDelta[];
}

/** Text becomes a block only after the choice had reasoning: plain streams stay unchanged. */
export function createBlockCounter(): BlockCounter {
  let index = -1;
  let kind: 'thinking' | 'text' | undefined;
  const enter = (next: 'thinking' | 'text'): number => {
    if (kind !== next) index += 1;
    kind = next;
    return index;
  };
  return {
    next(delta) {
      const blocks: BlockDelta[] = [];
      const thinking = reasoningOf(delta);
      if (thinking !== undefined) blocks.push({ index: enter('thinking'), delta: { thinking } });
      const text = delta['content'];
      if (kind !== undefined && typeof text === 'string' && text !== '') {
        blocks.push({ index: enter('text'), delta: { text } });
      }
      return blocks;
    },
  };
}
