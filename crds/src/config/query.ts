/** The grammar of conditional queries: docs/behaviour/routing.md#conditions. */
import { RE2JS } from 're2js';
import { err, isObject, ok, type Result } from '../lib/result.ts';
import type { Issue } from '../schema/index.ts';
import { estimatePatternSize } from './pattern-size.ts';

export type QueryOperator = '$eq' | '$ne' | '$gt' | '$gte' | '$lt' | '$lte' | '$in' | '$nin' | '$regex';

/** Where a test reads its value; `key` is empty for the path of the URL. */
export type QuerySubject =
  | { readonly source: 'metadata' | 'params'; readonly key: string }
  | { readonly source: 'url.pathname' };

export type Query =
  | { readonly kind: 'all' | 'any'; readonly parts: readonly Query[] }
  | {
      readonly kind: 'test';
      readonly subject: QuerySubject;
      readonly operator: QueryOperator;
      readonly operand: unknown;
    };

/** Levels of $and and $or: bounds the stack of every walk. */
export const MAX_QUERY_DEPTH = 8;
/** Longest pattern in characters. */
export const MAX_PATTERN_LENGTH = 1_000;
/** Largest program of one pattern in steps: compiling it takes milliseconds. */
export const MAX_PATTERN_SIZE = 1_000;
/** Largest sum of the programs of all patterns of one config, in steps. */
export const MAX_CONFIG_PATTERN_SIZE = 10_000;
/** Steps that each pattern counts at least: even the smallest one has a cost. */
const LEAST_PATTERN_SIZE = 10;

const OPERATORS: ReadonlySet<string> = new Set<QueryOperator>([
  '$eq',
  '$ne',
  '$gt',
  '$gte',
  '$lt',
  '$lte',
  '$in',
  '$nin',
  '$regex',
]);

/** Steps that are left for further patterns of a config. */
export interface PatternBudget {
  left: number;
}

export const createPatternBudget = (): PatternBudget => ({ left: MAX_CONFIG_PATTERN_SIZE });

interface QueryPosition {
  readonly path: readonly (string | number)[];
  readonly depth: number;
  readonly issues: Issue[];
  readonly patterns: PatternBudget | 'checked';
}

/**
 * Parses a query; every problem is reported with its path below `path`. `{}` always holds. `patterns`: shared by the queries of
 * a config; `checked` for a query whose patterns were checked when it was saved.
 */
export function parseQuery(
  input: unknown,
  path: readonly (string | number)[] = [],
  patterns: PatternBudget | 'checked' = createPatternBudget(),
): Result<Query, readonly Issue[]> {
  const issues: Issue[] = [];
  const query = parseEntries(input, { path, depth: 0, issues, patterns });
  return issues.length === 0 ? ok(query) : err(issues);
}

function parseEntries(input: unknown, here: QueryPosition): Query {
  if (!isObject(input)) return refuse(here, 'expected an object');
  if (here.depth > MAX_QUERY_DEPTH) return refuse(here, `at most ${MAX_QUERY_DEPTH} levels of $and and $or`);
  const parts = Object.entries(input).map(([key, value]) =>
    parseEntry(key, value, { ...here, path: [...here.path, key] }),
  );
  return { kind: 'all', parts };
}

function parseEntry(key: string, value: unknown, here: QueryPosition): Query {
  if (key === '$and' || key === '$or') {
    if (!Array.isArray(value) || value.length === 0) return refuse(here, 'expected a non-empty list of queries');
    const parts = value.map((item, i) =>
      parseEntries(item, { ...here, depth: here.depth + 1, path: [...here.path, i] }),
    );
    return { kind: key === '$and' ? 'all' : 'any', parts };
  }
  const subject = parseSubject(key);
  if (subject === undefined) return refuse(here, 'use metadata.KEY, params.KEY or url.pathname');
  const tests = isObject(value) ? Object.entries(value) : [['$eq', value] as const];
  const parts = tests.map(([name, operand]) =>
    parseTest(subject, name, operand, { ...here, path: [...here.path, name] }),
  );
  return { kind: 'all', parts };
}

function parseTest(subject: QuerySubject, name: string, operand: unknown, here: QueryPosition): Query {
  if (!OPERATORS.has(name)) return refuse(here, `unknown operator ${name}`);
  if (name === '$regex') {
    const problem = here.patterns === 'checked' ? notText(operand) : patternProblem(operand, here.patterns);
    if (problem !== undefined) return refuse(here, problem);
  }
  return { kind: 'test', subject, operator: name as QueryOperator, operand };
}

/** Exactly two segments: a deeper path is refused, not cut off. */
function parseSubject(path: string): QuerySubject | undefined {
  if (path === 'url.pathname') return { source: 'url.pathname' };
  const [source, key, ...rest] = path.split('.');
  if ((source !== 'metadata' && source !== 'params') || key === undefined || key === '' || rest.length > 0)
    return undefined;
  return { source, key };
}

const notText = (pattern: unknown): string | undefined =>
  typeof pattern === 'string' ? undefined : 'expected a pattern as text';

/** Why a pattern is refused, or undefined: RE2 cannot run it, or its program would be too large. */
export function patternProblem(pattern: unknown, budget: PatternBudget = createPatternBudget()): string | undefined {
  if (typeof pattern !== 'string') return notText(pattern);
  if (pattern.length > MAX_PATTERN_LENGTH) return `a pattern has at most ${MAX_PATTERN_LENGTH} characters`;
  const size = estimatePatternSize(pattern); // before anything is compiled
  if (size > MAX_PATTERN_SIZE) {
    return `the program of the pattern has about ${size} steps, since repeats multiply what they repeat and (?i) multiplies classes; at most ${MAX_PATTERN_SIZE} are allowed`;
  }
  budget.left -= Math.max(LEAST_PATTERN_SIZE, size);
  if (budget.left < 0) {
    return `with this pattern, those of the config have more than ${MAX_CONFIG_PATTERN_SIZE} steps together`;
  }
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `not a valid RE2 pattern: ${error instanceof Error ? error.message : 'cannot be compiled'}`;
  }
}

function refuse(here: QueryPosition, message: string): Query {
  here.issues.push({ code: 'invalid', path: here.path, message });
  return { kind: 'all', parts: [] };
}
