/**
 * Patterns of users on RE2. A pattern that passed validation may still meet a long text on which its automaton has a new
 * state at every character, so work is counted in units and done in slices between which other requests are served.
 */
import { estimatePatternSize, MAX_PATTERN_SIZE } from '@gatehouse/crds/config';
import { RE2JS } from 're2js';
import { KEPT_BYTES, startSearch } from './regex-automaton.ts';
import { hasLiterals } from './regex-literals.ts';
import { type MatchVisitor, type WalkEnd, walkMatches } from './regex-matches.ts';
import { type RegexWork, runTask } from './regex-work.ts';

export type { MatchVisitor, PatternGroups, WalkEnd } from './regex-matches.ts';
export type { RegexWork } from './regex-work.ts';

/** `exhausted`: the work ended before it was known whether the text matches. */
export type RegexVerdict = boolean | 'exhausted';

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. Synchronous when that is little work. */
  test(text: string, work: RegexWork): RegexVerdict | Promise<RegexVerdict>;
  /** Visits the matches from left to right. Synchronous when that is little work. `invalid`: RE2 cannot express the pattern. */
  walk(text: string, work: RegexWork, visitor: MatchVisitor): WalkEnd | 'invalid' | Promise<WalkEnd>;
}

/** All patterns of one request together, in units: below a second. */
export const REQUEST_UNITS = 16_000_000;
/** What the first use of a pattern costs per step of its program, in units. */
const COMPILE_UNITS = 200;
/** Heap of a compiled pattern per step of its program, measured, in bytes. */
const BYTES_PER_STEP = 600;

/** What a pattern may keep in memory, in bytes. */
export const patternBytes = (pattern: string): number => KEPT_BYTES + estimatePatternSize(pattern) * BYTES_PER_STEP;

/**
 * Compiled when it is needed for the first time. A pattern that RE2 cannot express never matches; one whose program
 * is too large, saved before that was checked, is always `exhausted`.
 */
export function compileRegex(pattern: string): Pattern {
  let compiled: RE2JS | undefined;
  let failed = false;
  const size = estimatePatternSize(pattern);
  const compile = (work: RegexWork): RE2JS | undefined => {
    if (compiled !== undefined || failed) return compiled;
    try {
      compiled = RE2JS.compile(pattern);
      work.left -= size * COMPILE_UNITS;
    } catch {
      failed = true; // saved before patterns were checked
    }
    return compiled;
  };
  const isUsedUp = (work: RegexWork): boolean => size > MAX_PATTERN_SIZE || work.left <= 0;
  return {
    test: (text, work) => {
      if (isUsedUp(work)) return 'exhausted';
      const re2 = compile(work)?.re2();
      if (re2 === undefined || !hasLiterals(re2, text, work)) return false;
      return runTask(startSearch(re2.dfa, text), work);
    },
    walk: (text, work, visitor) => {
      if (isUsedUp(work)) return 'exhausted';
      const re2 = compile(work)?.re2();
      if (re2 === undefined) return 'invalid';
      return hasLiterals(re2, text, work) ? runTask(walkMatches(re2, text, visitor), work) : 'done';
    },
  };
}

/** Runs the slices of all requests of a process one after the other, each in its own turn of the event loop. */
export function createRegexScheduler(nextTurn: (task: () => void) => void = setImmediate): () => Promise<void> {
  const waiting: (() => void)[] = [];
  const give = (): void => {
    waiting.shift()?.();
    if (waiting.length > 0) nextTurn(give);
  };
  return () =>
    new Promise((resolve) => {
      if (waiting.push(resolve) === 1) nextTurn(give);
    });
}
