/** Rules for patterns of users, which run on RE2. */
import { RE2JS } from 're2js';
import { estimatePatternSize } from './pattern-size.ts';

/** Longest pattern in characters. */
export const MAX_PATTERN_LENGTH = 1_000;
/** Largest program of one pattern in steps: compiling it takes milliseconds. */
export const MAX_PATTERN_SIZE = 1_000;
/** Largest sum of the programs of all patterns of one config or guardrail, in steps. */
export const MAX_CONFIG_PATTERN_SIZE = 10_000;
/** Steps that each pattern counts at least: even the smallest one has a cost. */
const LEAST_PATTERN_SIZE = 10;

/** Steps that are left for further patterns of a config or guardrail. */
export interface PatternBudget {
  left: number;
}

export const createPatternBudget = (): PatternBudget => ({ left: MAX_CONFIG_PATTERN_SIZE });

/** `checked`: of patterns that were checked when they were saved; they are not compiled again. */
export type PatternRule = PatternBudget | 'checked';

/** Of the document that is being parsed: the schemas of its parts cannot be given one. */
let current: PatternRule | undefined;

/** Parses, synchronously, a part of a document whose patterns share a budget. */
export function withPatterns<T>(rule: PatternRule, parse: () => T): T {
  const before = current;
  current = rule;
  try {
    return parse();
  } finally {
    current = before;
  }
}

/** Why a value cannot be a pattern at all, or undefined. */
export const notText = (pattern: unknown): string | undefined =>
  typeof pattern === 'string' ? undefined : 'expected a pattern as text';

/** Takes the size of a valid pattern from the budget; the problem is that it does not suffice. */
function countPattern(pattern: string, budget: PatternBudget): string | undefined {
  budget.left -= Math.max(LEAST_PATTERN_SIZE, estimatePatternSize(pattern));
  if (budget.left >= 0) return undefined;
  return `with this pattern, those of the object have more than ${MAX_CONFIG_PATTERN_SIZE} steps together`;
}

/** Why a pattern is refused, or undefined: RE2 cannot run it, or its program would be too large. */
export function patternProblem(
  pattern: unknown,
  rule: PatternRule = current ?? createPatternBudget(),
): string | undefined {
  if (typeof pattern !== 'string') return notText(pattern);
  if (pattern.length > MAX_PATTERN_LENGTH) return `a pattern has at most ${MAX_PATTERN_LENGTH} characters`;
  const size = estimatePatternSize(pattern); // before anything is compiled
  if (size > MAX_PATTERN_SIZE) {
    return `the program of the pattern has about ${size} steps, since repeats multiply what they repeat and (?i) multiplies classes; at most ${MAX_PATTERN_SIZE} are allowed`;
  }
  if (rule === 'checked') return undefined;
  const problem = countPattern(pattern, rule);
  if (problem !== undefined) return problem;
  try {
    RE2JS.compile(pattern);
    return undefined;
  } catch (error) {
    return `not a valid RE2 pattern: ${error instanceof Error ? error.message : 'cannot be compiled'}`;
  }
}
