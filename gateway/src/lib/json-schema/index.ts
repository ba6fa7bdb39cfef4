/** JSON Schema 2020-12, interpreted in slices and within the work that patterns share. */
import type { SchemaObject } from '@gatehouse/crds/json-schema';
import type { RegexWork } from '../regex.ts';
import { runSteps } from '../steps.ts';
import { compileNodes } from './compile.ts';
import { evaluate, type LateNode } from './node.ts';
import { type Frame, type SchemaError, Work, WorkEnded } from './run.ts';

export type { SchemaError } from './run.ts';

/** `exhausted`: the work ended, or the schema led too deep, before it was known. */
export type SchemaVerdict = boolean | 'exhausted';

export interface CompiledSchema {
  /** Whether the schema holds for a JSON value. Synchronous when that is little work. `errors` gets why it does not. */
  test(value: unknown, work: RegexWork, errors?: SchemaError[]): SchemaVerdict | Promise<SchemaVerdict>;
}

/** Undefined: it is no schema, as `indexSchema` says why. */
export function compileSchema(schema: SchemaObject): CompiledSchema | undefined {
  const root = compileNodes(schema);
  if (root === undefined) return undefined;
  return { test: (value, regex, errors) => run(root, value, { regex, errors }) };
}

interface Options {
  readonly regex: RegexWork;
  readonly errors: SchemaError[] | undefined;
}

function run(root: LateNode, value: unknown, { regex, errors }: Options): SchemaVerdict | Promise<SchemaVerdict> {
  const work = new Work(regex);
  const frame: Frame = { work, depth: 0, scope: undefined, evaluated: undefined, errors, place: undefined };
  const nextSlice = async (): Promise<void> => {
    await regex.nextSlice();
    work.startSlice();
  };
  try {
    const result = evaluate(root(), value, frame);
    if (typeof result === 'boolean') return result;
    const verdict = runSteps(result, nextSlice);
    return verdict instanceof Promise ? verdict.catch(ended) : verdict;
  } catch (error) {
    return ended(error);
  }
}

function ended(error: unknown): 'exhausted' {
  if (error instanceof WorkEnded) return 'exhausted';
  throw error;
}
