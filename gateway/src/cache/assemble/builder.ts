import { isObject } from '@gatehouse/crds';
import { readJson } from '../../lib/json/index.ts';
import type { Frame, JsonObject } from '../../wire/contract.ts';

/** Rebuilds one answer from the events of its stream. */
export interface AnswerBuilder {
  /** False: the stream failed, or has an event that cannot be rebuilt. */
  take(frame: Frame): boolean;
  /** The answer, if the stream was complete. */
  finish(): object | undefined;
  /** What has come of the answer; undefined: nothing that can be shown. */
  soFar(): object | undefined;
}

/** The gateway's own event with guardrail results; not part of the answer. */
export const isHookResults = ({ event }: Frame): boolean => event === 'hook_results';

/** The JSON object of a frame. */
export function parseFrame({ data }: Frame): JsonObject | undefined {
  try {
    const value: unknown = readJson(data);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The objects of a list; other items and values are ignored. */
export const objectsOf = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];

/** Index of an item: its own `index`, else its position in the list. */
export const indexOf = (item: JsonObject, place: number): number => {
  const index = item['index'];
  return typeof index === 'number' ? index : place;
};
