/** Turns a checked query into a predicate; spec behaviour-config-routing section 3. */
import { assertNever } from '@gatehouse/crds';
import type { Query, QueryOperator, QuerySubject } from '@gatehouse/crds/config';
import { compileRegex } from '../lib/regex.ts';

type Facts = Readonly<Record<string, unknown>>;

/** What a condition may look at. */
export interface QueryFacts {
  readonly metadata: Facts;
  readonly params: Facts;
  readonly pathname: string;
}

export type Matcher = (facts: QueryFacts) => boolean;
type Predicate = (value: unknown) => boolean;

const never: Predicate = () => false;

/** All members of an object query must hold, operators of one path included. */
export function compileQuery(query: Query): Matcher {
  if (query.kind === 'test') {
    const read = compileSubject(query.subject);
    const holds = compileOperator(query.operator, query.operand);
    return (facts) => holds(read(facts));
  }
  const parts = query.parts.map(compileQuery);
  if (query.kind === 'any') return (facts) => parts.some((part) => part(facts));
  return (facts) => parts.every((part) => part(facts));
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
      return (value) => typeof value === 'string' && pattern.test(value);
    }
    default:
      return assertNever(operator);
  }
}

/** Both sides are read as floats; what is no number never compares. */
function compareNumbers(operand: unknown, holds: (a: number, b: number) => boolean): Predicate {
  const limit = Number.parseFloat(String(operand));
  return (value) => holds(Number.parseFloat(String(value)), limit);
}
