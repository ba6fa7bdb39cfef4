import { isDeepStrictEqual } from 'node:util';
import { isObject } from '@gatehouse/crds';
import { mergeObjects } from '../../lib/json/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { hasOwnSeal } from '../../wire/openai/index.ts';

const NOTHING: JsonObject = {};

/** A response whose texts were changed: a signature of a summary that was changed is left out, for the model refuses both together. */
export function withoutSeals(answer: JsonObject, before: JsonObject): JsonObject {
  const { output } = answer;
  if (!Array.isArray(output)) return answer;
  const given: readonly unknown[] = Array.isArray(before['output']) ? before['output'] : [];
  const shown = output.map((item: unknown, i) =>
    isObject(item) && hasOwnSeal(item) && !isDeepStrictEqual(summaryOf(item), summaryOf(given[i]))
      ? unsealed(item)
      : item,
  );
  return shown.every((item, i) => item === output[i]) ? answer : mergeObjects(NOTHING, answer, { output: shown });
}

const summaryOf = (item: unknown): unknown => (isObject(item) ? item['summary'] : undefined);

const unsealed = ({ encrypted_content: _, ...rest }: JsonObject): JsonObject => rest;
