import { jsonSchema as entry } from '@gatehouse/crds/guardrails';
import {
  type CompiledSchema,
  compileSchema,
  type SchemaError,
  type SchemaVerdict,
} from '../../../lib/json-schema/index.ts';
import { runSteps, type Steps } from '../../../lib/steps.ts';
import { undecided } from '../../answers.ts';
import { type CheckAnswer, type CheckTools, defineCheck } from '../../contract.ts';
import { findJson, tooManyValues } from './candidates.ts';
import type { FoundJson } from './json-reader.ts';
import { shown } from './shown.ts';

/** Work on several pieces of JSON without a pause, in units of patterns: a few ms. */
const SLICE_UNITS = 50_000;

export const jsonSchema = defineCheck(entry, ({ schema, not }) => {
  const compiled = compileSchema(schema);
  if (compiled === undefined)
    return () => undecided({ name: 'InvalidSchema', message: 'the schema is no JSON Schema' });
  return ({ text }, tools) => runSteps(decide(text, { compiled, not, tools }), tools.nextSlice);
});

interface Options {
  readonly compiled: CompiledSchema;
  readonly not: boolean;
  readonly tools: CheckTools;
}

function* decide(text: string, { compiled, not, tools }: Options): Steps<CheckAnswer> {
  const candidates = yield* findJson(text);
  if (candidates === 'exhausted') return tooManyValues();
  const { found, isMeant } = candidates;
  const [first] = found;
  if (first === undefined) {
    const explanation = 'The text has no JSON.';
    return isMeant ? { verdict: false, data: null } : { verdict: false, data: { explanation, not } };
  }
  const valid = yield* firstValid(found, compiled, tools);
  if (valid === 'exhausted') {
    return undecided({ name: 'SchemaTooCostly', message: 'the schema needs too much work on this text' });
  }
  const validationErrors: SchemaError[] = [];
  // The verdict stands, however far this comes.
  if (valid === undefined) yield* tested(compiled, first, { tools, errors: validationErrors });
  const verdict = (valid !== undefined) !== not;
  const explanation = `JSON of the text is ${valid === undefined ? 'not ' : ''}valid by the schema.`;
  return { verdict, data: { matchedJson: shown(valid ?? first), not, explanation, validationErrors } };
}

function* firstValid(
  found: readonly FoundJson[],
  compiled: CompiledSchema,
  tools: CheckTools,
): Steps<FoundJson | 'exhausted' | undefined> {
  let from = tools.regex.left;
  for (const json of found) {
    const verdict = yield* tested(compiled, json, { tools });
    if (verdict === true) return json;
    if (verdict === 'exhausted') return verdict;
    if (from - tools.regex.left < SLICE_UNITS) continue;
    yield;
    from = tools.regex.left;
  }
  return undefined;
}

interface TestOptions {
  readonly tools: CheckTools;
  readonly errors?: SchemaError[];
}

function* tested(compiled: CompiledSchema, { value }: FoundJson, { tools, errors }: TestOptions): Steps<SchemaVerdict> {
  const verdict = compiled.test(value, tools.regex, errors);
  // What a promise is settled with comes back.
  return verdict instanceof Promise ? ((yield verdict) as SchemaVerdict) : verdict;
}
