/** How much a model thinks, in the format of a chat request. */
import type { JsonObject } from '../../../wire/contract.ts';
import { numberAt, objectAt, textAt, withoutAbsent } from '../../../wire/json/json.ts';

/** Budgets of thinking in tokens up to which an effort is meant; the highest has no bound. */
const EFFORTS: readonly (readonly [effort: string, belowTokens: number])[] = [
  ['low', 4096],
  ['medium', 16_384],
];

/** Modes that others know; `adaptive` leaves the amount to the model, as nothing does. */
const MODES: ReadonlySet<unknown> = new Set(['enabled', 'disabled']);

/** `reasoning_effort`, or `thinking` where the body of the endpoint says it. */
export function toReasoning(given: JsonObject, saysThinking: boolean): JsonObject {
  const thinking = objectAt(given, 'thinking');
  const effort = toEffort(textAt(objectAt(given, 'output_config'), 'effort'));
  if (saysThinking) {
    return withoutAbsent({ thinking: MODES.has(thinking?.['type']) ? thinking : undefined, reasoning_effort: effort });
  }
  return withoutAbsent({ reasoning_effort: effort ?? effortOf(thinking) });
}

/** The scale of chat requests has no `max`. */
const toEffort = (effort: string | undefined): string | undefined => (effort === 'max' ? 'high' : effort);

/** Thinking that is off, or without a budget, asks for nothing: the model decides. */
function effortOf(thinking: JsonObject | undefined): string | undefined {
  const budget = thinking?.['type'] === 'enabled' ? numberAt(thinking, 'budget_tokens') : undefined;
  if (budget === undefined) return undefined;
  return EFFORTS.find(([, below]) => budget < below)?.[0] ?? 'high';
}
