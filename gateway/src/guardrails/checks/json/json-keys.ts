import { isObject } from '@gatehouse/crds';
import { jsonKeys as entry } from '@gatehouse/crds/guardrails';
import { runSteps, type Steps } from '../../../lib/steps.ts';
import { emptyText, excerptOf } from '../../answers.ts';
import { type CheckAnswer, defineCheck } from '../../contract.ts';
import { findJson, tooManyValues } from './candidates.ts';
import type { FoundJson } from './json-reader.ts';
import { shown } from './shown.ts';

const PASSES = {
  any: (found: number) => found > 0,
  all: (_: number, missing: number) => missing === 0,
  none: (found: number) => found === 0,
} as const;

/** Members that are compared without a pause: about a ms. */
const SLICE_MEMBERS = 20_000;

export const jsonKeys = defineCheck(entry, ({ keys, operator }) => {
  const wanted = new Set(keys);
  const passes = PASSES[operator];

  function* decide(text: string): Steps<CheckAnswer> {
    const candidates = yield* findJson(text);
    if (candidates === 'exhausted') return tooManyValues();
    return answer(text, yield* lookAt(candidates.found));
  }

  function* lookAt(found: readonly FoundJson[]): Steps<Looked | undefined> {
    let shownOne: Looked | undefined;
    let looked = 0;
    for (const json of found) {
      if (!isObject(json.value)) continue;
      if (looked > SLICE_MEMBERS) {
        yield;
        looked = 0;
      }
      const names = Object.keys(json.value);
      looked += names.length + 1;
      const present = names.filter((name) => wanted.has(name));
      const verdict = passes(present.length, wanted.size - present.length);
      if (verdict) return { json, present, verdict };
      shownOne ??= { json, present, verdict };
    }
    return shownOne;
  }

  function answer(text: string, looked: Looked | undefined): CheckAnswer {
    const { verdict = false, present = [] } = looked ?? {};
    const has = new Set(present);
    const presentKeys = [...wanted].filter((key) => has.has(key));
    const missingKeys = [...wanted].filter((key) => !has.has(key));
    const explanation =
      looked === undefined
        ? 'The text has no JSON object.'
        : `The object has ${presentKeys.length} of ${wanted.size} keys; '${operator}' of them must be there.`;
    const matchedJson = looked === undefined ? null : shown(looked.json);
    const textExcerpt = excerptOf(text);
    return { verdict, data: { matchedJson, verdict, explanation, presentKeys, missingKeys, operator, textExcerpt } };
  }

  return ({ text }, tools) => (text === '' ? emptyText() : runSteps(decide(text), tools.nextSlice));
});

/** An object, and which of the keys it has. */
interface Looked {
  readonly json: FoundJson;
  readonly present: readonly string[];
  readonly verdict: boolean;
}
