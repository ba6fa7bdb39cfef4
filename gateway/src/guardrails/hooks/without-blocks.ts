import { isObject } from '@gatehouse/crds';
import { mergeObjects } from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';

const NOTHING: JsonObject = {};
/** Blocks that have none of the text of an answer. */
const OTHERS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'image_url']);

/** An answer whose texts were changed: what was there stands in the `content_blocks` of a chat completion again, and is taken from its content. */
export function withoutTextBlocks(answer: JsonObject): JsonObject {
  const { choices } = answer;
  if (!Array.isArray(choices)) return answer;
  const shown = choices.map(toShown);
  return shown.some((choice, i) => choice !== choices[i]) ? mergeObjects(NOTHING, answer, { choices: shown }) : answer;
}

function toShown(choice: unknown): unknown {
  const message = isObject(choice) ? choice['message'] : undefined;
  if (!isObject(choice) || !isObject(message)) return choice;
  const { content, content_blocks: blocks } = message;
  if (!Array.isArray(blocks) || sameText(blocks, content)) return choice;
  const kept: unknown[] = blocks.filter((block) => isObject(block) && OTHERS.has(block['type']));
  if (typeof content === 'string' && content !== '') kept.push({ type: 'text', text: content });
  return { ...choice, message: { ...message, content_blocks: kept } };
}

const sameText = (blocks: readonly unknown[], content: unknown): boolean =>
  blocks.map((block) => (isObject(block) && typeof block['text'] === 'string' ? block['text'] : '')).join('') ===
  (content ?? '');
