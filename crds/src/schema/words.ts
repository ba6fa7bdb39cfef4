/** Words for what zod says by itself; messages that a schema brings stay as they are. */
import type { z } from 'zod';

type ZodIssue = z.ZodError['issues'][number];

/** How zod begins the messages of its own. */
const OWN = /^(Too (small|big)|Invalid input): /;

const TYPES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  null: 'null',
};

/** What a bound counts; undefined: the number itself. */
const COUNTED: Readonly<Record<string, string>> = {
  string: 'characters',
  array: 'items',
  set: 'items',
  object: 'members',
  record: 'members',
  map: 'members',
};

/** The message of an issue about `given`. */
export function wordsOf(issue: ZodIssue, given: unknown): string {
  if (!OWN.test(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      return wrongType(TYPES[issue.expected], given) ?? issue.message;
    case 'too_small':
      return bounded(issue.inclusive === false ? 'more than' : 'at least', issue.minimum, issue.origin);
    case 'too_big':
      return bounded(issue.inclusive === false ? 'less than' : 'at most', issue.maximum, issue.origin);
    default:
      return issue.message;
  }
}

function bounded(relation: string, bound: number | bigint, origin: string): string {
  const counted = COUNTED[origin];
  const amount = `${relation} ${bound}`;
  if (counted === undefined) return `expected a number of ${amount}`;
  return `expected ${amount} ${Number(bound) === 1 ? counted.slice(0, -1) : counted}`;
}

function wrongType(expected: string | undefined, given: unknown): string | undefined {
  if (expected === undefined) return undefined;
  if (given === undefined) return `required: expected ${expected}`;
  if (typeof given === 'number' && expected === TYPES['int']) return `expected ${expected}`;
  return `expected ${expected}, not ${typeNameOf(given)}`;
}

function typeNameOf(given: unknown): string {
  if (given === null) return 'null';
  if (Array.isArray(given)) return 'a list';
  return TYPES[typeof given] ?? typeof given;
}
