/** Members of chat completions that every door reads. */
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../wire/contract.ts';
import { objectAt, objectsAt, textAt } from '../../wire/json/json.ts';
import { reasoningOf } from '../../wire/openai/index.ts';

/** A door has one answer: of several choices, the first. */
export function firstChoice({ choices }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(choices)) return undefined;
  for (const choice of choices) if (isObject(choice) && (choice['index'] ?? 0) === 0) return choice;
  return undefined;
}

/** The text of a content, which may be a list of parts, with what a model says that refuses. */
export function textOf({ content, refusal }: JsonObject): string {
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const text = typeof content === 'string' ? content : parts.map((part) => textAt(part, 'text') ?? '').join('');
  return typeof refusal === 'string' ? text + refusal : text;
}

/** The thinking of a message or of a piece of one. */
export function thinkingOf(message: JsonObject): string {
  const blocks = objectsAt(message, 'content_blocks');
  if (blocks.length === 0) return reasoningOf(message) ?? '';
  return blocks
    .map((block) => textAt(block, 'thinking') ?? textAt(objectAt(block, 'delta'), 'thinking') ?? '')
    .join('');
}
