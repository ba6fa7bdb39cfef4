import { isObject } from '@gatehouse/crds';
import { mergeObjects } from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';

const NOTHING: JsonObject = {};

/** An answer whose texts were changed, without the probabilities of its tokens: they say what was there. */
export function withoutLogprobs(answer: JsonObject): JsonObject {
  const { choices, output } = answer;
  const changed: Record<string, unknown> = {};
  if (Array.isArray(choices) && choices.some(hasLogprobs)) changed['choices'] = choices.map(cleared);
  if (Array.isArray(output)) changed['output'] = output.map(clearedItem);
  return Object.keys(changed).length === 0 ? answer : mergeObjects(NOTHING, answer, changed);
}

const hasLogprobs = (value: unknown): boolean =>
  isObject(value) && value['logprobs'] !== undefined && value['logprobs'] !== null;

const cleared = (choice: unknown): unknown =>
  isObject(choice) && hasLogprobs(choice) ? { ...choice, logprobs: null } : choice;

/** An item of a response: its parts have the probabilities. */
function clearedItem(item: unknown): unknown {
  if (!isObject(item)) return item;
  const { content } = item;
  if (!Array.isArray(content) || !content.some(hasLogprobs)) return item;
  return {
    ...item,
    content: content.map((part: unknown) => (isObject(part) && hasLogprobs(part) ? { ...part, logprobs: [] } : part)),
  };
}
