/** Placeholders of a redacted request, replaced in a whole answer: docs/behaviour/guardrails.md#placeholders. */
import { isObject } from '@gatehouse/crds';
import { insideJson, type Placeholders } from '../../guardrails/stream/index.ts';
import { mergeObjects } from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';

/** Members of answers that hold what a model said. */
const SAID = ['choices', 'content', 'output'] as const;
/** A member that holds JSON as a text: the arguments of a tool. */
const JSON_TEXT = 'arguments';
const NOTHING: JsonObject = {};

/** The same object where no placeholder is in it. Texts of all choices and arguments of tools are looked at. */
export function restoreAnswer(answer: JsonObject, placeholders: Placeholders): JsonObject {
  const changed: Record<string, unknown> = {};
  for (const name of SAID) {
    const value = answer[name];
    const restored = restoreValue(value, placeholders, name);
    if (restored !== value) changed[name] = restored;
  }
  return Object.keys(changed).length === 0 ? answer : mergeObjects(NOTHING, answer, changed);
}

/** The value itself where nothing in it is restored. `name`: of the member that holds it. */
function restoreValue(value: unknown, placeholders: Placeholders, name: string): unknown {
  if (typeof value === 'string') return placeholders.restore(value, name === JSON_TEXT ? insideJson : undefined);
  if (Array.isArray(value)) {
    const items = value.map((item: unknown) => restoreValue(item, placeholders, name));
    return items.some((item, i) => item !== value[i]) ? items : value;
  }
  if (!isObject(value)) return value;
  let changed: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    const restored = restoreValue(member, placeholders, key);
    if (restored === member) continue;
    changed ??= Object.assign(Object.create(null), value); // names come from the provider
    if (changed !== undefined) changed[key] = restored;
  }
  return changed ?? value;
}
