import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@gatehouse/crds';
import type { JsonObject } from '../../wire/contract.ts';

/** Blocks that have none of the text of an answer. */
const OTHERS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking', 'image_url']);
/** Members of a choice that quote its text, or count its characters. */
const QUOTES: ReadonlySet<string> = new Set(['groundingMetadata', 'citationMetadata']);

/**
 * An answer whose texts were changed: what was there stands in other members of a chat completion again. The `content_blocks` of a
 * changed message get the text of its content; citations and grounding of it are left out. Where only these were changed, they stay.
 */
export function withoutCopies(answer: JsonObject, before: JsonObject): JsonObject {
  const { choices, citations } = answer;
  if (!Array.isArray(choices)) return answer;
  const given: readonly unknown[] = Array.isArray(before['choices']) ? before['choices'] : [];
  const isChanged = choices.map((choice, i) => !isDeepStrictEqual(messageOf(choice), messageOf(given[i])));
  const shown = choices.map((choice: unknown, i) => (isChanged[i] === true ? toShown(choice, given[i]) : choice));
  const isQuoted = isChanged.includes(true) && Array.isArray(citations) && citations.some(isObject);
  if (!isQuoted && shown.every((choice, i) => choice === choices[i])) return answer;
  const members = Object.entries(answer).filter(([name]) => name !== 'choices' && !(isQuoted && name === 'citations'));
  return { ...Object.fromEntries(members), choices: shown };
}

const messageOf = (choice: unknown): unknown => (isObject(choice) ? choice['message'] : undefined);

function toShown(choice: unknown, given: unknown): unknown {
  if (!isObject(choice)) return choice;
  const members = Object.entries(choice).filter(([name]) => !QUOTES.has(name));
  const { message } = choice;
  const shown = isObject(message) ? toShownMessage(message, messageOf(given)) : message;
  if (shown === message && members.length === Object.keys(choice).length) return choice;
  return { ...Object.fromEntries(members), message: shown };
}

function toShownMessage(message: JsonObject, given: unknown): JsonObject {
  const { content, content_blocks: blocks } = message;
  if (isObject(given) && isDeepStrictEqual(given['content'], content)) return message;
  const { citations, ...others } = message;
  const isQuoted = Array.isArray(citations) && citations.some(isObject);
  return { ...(isQuoted ? others : message), ...(Array.isArray(blocks) ? shownBlocks(blocks, content) : {}) };
}

function shownBlocks(blocks: readonly unknown[], content: unknown): JsonObject {
  const kept: unknown[] = blocks.filter((block) => isObject(block) && OTHERS.has(block['type']));
  if (typeof content === 'string' && content !== '') kept.push({ type: 'text', text: content });
  return { content_blocks: kept };
}
