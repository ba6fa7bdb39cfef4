/**
 * Patterns of users on RE2. A pattern that passed validation may still meet a long text on which its automaton has a new
 * state at every character, so work is counted in units and done in slices between which other requests are served.
 */
import { estimatePatternSize, MAX_PATTERN_SIZE } from '@gatehouse/crds/config';
import { RE2JS } from 're2js';

/** The work that the patterns of one request may still do. */
export interface RegexWork {
  /** Units: about one per character, more where the automaton meets a state for the first time. */
  left: number;
  /** Resolves when the next slice may run. */
  nextSlice(): Promise<void>;
}

/** `exhausted`: the work ended before it was known whether the text matches. */
export type RegexVerdict = boolean | 'exhausted';

export interface Pattern {
  /** Whether the pattern occurs anywhere in the text. Synchronous when that is little work. */
  test(text: string, work: RegexWork): RegexVerdict | Promise<RegexVerdict>;
}

/** All patterns of one request together, in units: below a second. */
export const REQUEST_UNITS = 16_000_000;
/** Work without a pause, in units: a few ms. */
const SLICE_UNITS = 50_000;
/** What the first use of a pattern costs per step of its program, in units. */
const COMPILE_UNITS = 200;
/** What a step costs for the first time, and per state of the program that is active in it, in units. */
const MISS_UNITS = 60;
const ACTIVE_UNITS = 8;
/** What the automaton of one pattern may hold while it works and between two uses, as re2js counts bytes. */
const WORKING_BYTES = 1024 * 1024;
const KEPT_BYTES = 16 * 1024;
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
  return {
    test: (text, work) => {
      if (size > MAX_PATTERN_SIZE || work.left <= 0) return 'exhausted';
      const re2 = compile(work)?.re2();
      if (re2 === undefined) return false;
      const search = startSearch(re2.dfa, text);
      const first = search.advance(work);
      const verdict = first === undefined ? inSlices(search, work) : first;
      if (verdict instanceof Promise) return verdict.finally(search.end);
      search.end();
      return verdict;
    },
  };
}

async function inSlices(search: Search, work: RegexWork): Promise<RegexVerdict> {
  for (;;) {
    await work.nextSlice();
    const verdict = search.advance(work);
    if (verdict !== undefined) return verdict;
  }
}

interface Search {
  /** Works for one slice; undefined: there is more to do. */
  advance(work: RegexWork): RegexVerdict | undefined;
  /** Releases the automaton's states when they are many. */
  end(): void;
}

/** Constants of re2js for positions and directions of its automaton, which it does not export. */
const UNANCHORED = 0;
const END_TEXT = -1;
const BEGIN_OF_TEXT_AND_LINE = 4 | 1;

type Dfa = ReturnType<RE2JS['re2']>['dfa'];

interface State {
  readonly isMatch: boolean;
  readonly nfaStates: readonly number[];
  readonly flag: number;
  readonly matchIDs: readonly number[];
  readonly next: readonly (State | null)[] | null;
}

/** Drives the automaton of re2js: its own loop cannot be interrupted, and falls back to a far slower one. */
function startSearch(dfa: Dfa, text: string): Search {
  dfa.stateBudget = WORKING_BYTES;
  if (dfa.memBudget > WORKING_BYTES) dfa.memBudget = WORKING_BYTES;
  let state: State | null = dfa.start({ context: () => BEGIN_OF_TEXT_AND_LINE }, 0);
  let at = 0;

  /** A step that is not cached yet; the automaton clears its states when there is no room for another. */
  const make = (from: State, classOfRune: number, rune: number): State | null => {
    const next: State | null = dfa.step(from, classOfRune, rune, UNANCHORED);
    if (next !== null) return next;
    const kept: State | null = dfa.resetCache(from);
    return kept === null ? null : dfa.step(kept, classOfRune, rune, UNANCHORED);
  };

  /** The state after the next character. */
  const step = (from: State, rune: number, work: RegexWork): State | null => {
    const classOfRune = dfa.runeClass(rune);
    const known = from.next?.[classOfRune] ?? null;
    work.left -= known === null ? MISS_UNITS + ACTIVE_UNITS * from.nfaStates.length : 1;
    return known ?? make(from, classOfRune, rune);
  };

  const atEnd = (): RegexVerdict => {
    const last = state === null ? null : make(state, dfa.numClasses, END_TEXT);
    return last === null ? 'exhausted' : last.isMatch;
  };

  const advance = (work: RegexWork): RegexVerdict | undefined => {
    const end = Math.max(0, work.left - SLICE_UNITS);
    while (state !== null && at < text.length && work.left > end) {
      const rune = text.codePointAt(at) ?? 0;
      state = step(state, rune, work);
      if (state?.isMatch) return true;
      at += rune > 0xffff ? 2 : 1;
    }
    if (state === null || at >= text.length) return atEnd();
    return work.left > 0 ? undefined : 'exhausted';
  };

  return {
    advance,
    end: () => {
      if (dfa.stateBudget - dfa.memBudget > KEPT_BYTES) dfa.clearCache();
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
