/** Compiles a checked query into a predicate; docs/reference/config.md#conditions. */

import { assertNever } from '@gatehouse/crds';
import type { Query, QueryOperator, QuerySubject } from '@gatehouse/crds/config';
import { AppError } from '../errors/index.ts';
import { compileRegex, patternBytes, type RegexVerdict, type RegexWork } from '../lib/regex.ts';
import { scalarText } from '../lib/scalar-text.ts';

type Facts = Readonly<Record<string, unknown>>;

/** The values that conditions can test. */
export interface QueryFacts {
  readonly metadata: Facts;
  readonly params: Facts;
  readonly pathname: string;
  /** The work that patterns of the request may still do. */
  readonly work: RegexWork;
}

/** Throws or rejects with CONDITION_TOO_COSTLY. */
export type Matcher = (facts: QueryFacts) => boolean | Promise<boolean>;
type Predicate = (value: unknown, work: RegexWork) => boolean | Promise<boolean>;

const never: Predicate = () => false;

/** All members of an object query must hold, including the operators of one path. */
export function compileQuery(query: Query): Matcher {
  if (query.kind === 'test') {
    const read = compileSubject(query.subject);
    const holds = compileOperator(query.operator, query.operand);
    return (facts) => holds(read(facts), facts.work);
  }
  const parts = query.parts.map(compileQuery);
  const isAny = query.kind === 'any';
  return (facts) => decide(parts, facts, { until: isAny });
}

/** Memory that the patterns of a query may use, in bytes. */
export function queryBytes(query: Query): number {
  if (query.kind === 'test') return query.operator === '$regex' ? patternBytes(String(query.operand)) : 0;
  return query.parts.reduce((sum, part) => sum + queryBytes(part), 0);
}

/** Evaluates the parts in order until one equals `until`. Awaits only asynchronous parts. */
function decide(
  parts: readonly Matcher[],
  facts: QueryFacts,
  { until, from = 0 }: { readonly until: boolean; readonly from?: number },
): boolean | Promise<boolean> {
  for (let i = from; i < parts.length; i += 1) {
    const held = parts[i]?.(facts);
    if (held instanceof Promise) {
      return held.then((later) => (later === until ? until : decide(parts, facts, { until, from: i + 1 })));
    }
    if (held === until) return until;
  }
  return !until;
}

function compileSubject(subject: QuerySubject): (facts: QueryFacts) => unknown {
  if (subject.source === 'url.pathname') return (facts) => facts.pathname;
  const { source, key } = subject;
  return (facts) => (Object.hasOwn(facts[source], key) ? facts[source][key] : undefined);
}

function compileOperator(operator: QueryOperator, operand: unknown): Predicate {
  switch (operator) {
    case '$eq':
      return (value) => value === operand;
    case '$ne':
      return (value) => value !== operand;
    case '$gt':
      return compareNumbers(operand, (a, b) => a > b);
    case '$gte':
      return compareNumbers(operand, (a, b) => a >= b);
    case '$lt':
      return compareNumbers(operand, (a, b) => a < b);
    case '$lte':
      return compareNumbers(operand, (a, b) => a <= b);
    case '$in':
      return Array.isArray(operand) ? (value) => operand.includes(value) : never;
    case '$nin':
      return Array.isArray(operand) ? (value) => !operand.includes(value) : never;
    case '$regex': {
      const pattern = compileRegex(String(operand));
      return (value, work) => {
        if (typeof value !== 'string') return false;
        const verdict = pattern.test(value, work);
        return verdict instanceof Promise ? verdict.then(decided) : decided(verdict);
      };
    }
    default:
      return assertNever(operator);
  }
}

/** Throws for an undecided condition: treating it as false would open what it guards. */
function decided(verdict: RegexVerdict): boolean {
  if (verdict === 'exhausted') throw new AppError('CONDITION_TOO_COSTLY');
  return verdict;
}

/** Both sides are parsed as floats; comparisons with NaN are false. */
function compareNumbers(operand: unknown, holds: (a: number, b: number) => boolean): Predicate {
  const limit = Number.parseFloat(scalarText(operand));
  return (value) => holds(Number.parseFloat(scalarText(value)), limit);
}
