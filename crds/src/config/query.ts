/** The grammar of conditional queries: docs/behaviour/routing.md#conditions. */
import { err, isObject, ok, type Result } from '../lib/result.ts';
import { createPatternBudget, notText, type PatternBudget, patternProblem } from '../patterns/index.ts';
import type { Issue } from '../schema/index.ts';

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

function refuse(here: QueryPosition, message: string): Query {
  here.issues.push({ code: 'invalid', path: here.path, message });
  return { kind: 'all', parts: [] };
}
