/** Placeholders of a redacted request, replaced in a whole answer: docs/behaviour/guardrails.md#placeholders. */
import { isObject } from '@gatehouse/crds';
import type { Restorable } from '../../guardrails/index.ts';
import { insideJson, Restorer } from '../../guardrails/stream/index.ts';
import { mergeObjects } from '../../lib/json/index.ts';
import type { Steps } from '../../lib/steps.ts';
import type { JsonObject } from '../../wire/contract.ts';

/** Members of answers that hold what a model said. */
const SAID = ['choices', 'content', 'output'] as const;
/** A member that holds JSON as a text: the arguments of a tool. */
const JSON_TEXT = 'arguments';
const NOTHING: JsonObject = {};

/**
 * The same object where no placeholder is in it. Texts of all choices and arguments of tools are looked at. Throws
 * UPSTREAM_TOO_LARGE.
 */
export function* restoreAnswer(answer: JsonObject, placeholders: Restorable): Steps<JsonObject> {
  const restorer = new Restorer(placeholders);
  const changed: Record<string, unknown> = {};
  for (const name of SAID) {
    const value = answer[name];
    const restored = yield* restoreValue(value, restorer, name);
    if (restored !== value) changed[name] = restored;
  }
  return Object.keys(changed).length === 0 ? answer : mergeObjects(NOTHING, answer, changed);
}

/** The value itself where nothing in it is restored. `name`: of the member that holds it. */
function* restoreValue(value: unknown, restorer: Restorer, name: string): Steps<unknown> {
  if (typeof value === 'string') return yield* restorer.restore(value, name === JSON_TEXT ? insideJson : undefined);
  if (Array.isArray(value)) return yield* restoreItems(value, restorer, name);
  return isObject(value) ? yield* restoreMembers(value, restorer) : value;
}

function* restoreItems(list: readonly unknown[], restorer: Restorer, name: string): Steps<readonly unknown[]> {
  const items: unknown[] = [];
  for (const item of list) {
    if (restorer.isPauseDue()) yield;
    items.push(yield* restoreValue(item, restorer, name));
  }
  return items.some((item, i) => item !== list[i]) ? items : list;
}

function* restoreMembers(value: object, restorer: Restorer): Steps<object> {
  let changed: Record<string, unknown> | undefined;
  for (const [key, member] of Object.entries(value)) {
    if (restorer.isPauseDue()) yield;
    const restored = yield* restoreValue(member, restorer, key);
    if (restored === member) continue;
    changed ??= Object.assign(Object.create(null), value); // names come from the provider
    if (changed !== undefined) changed[key] = restored;
  }
  return changed ?? value;
}
