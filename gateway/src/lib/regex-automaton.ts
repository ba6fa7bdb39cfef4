/** Steps through a text with the automaton of re2js, whose own loop cannot be interrupted and falls back to a far slower one. */
import type { RE2JS } from 're2js';
import { contextAt, runeAt, widthOf } from './regex-text.ts';
import type { RegexTask, RegexWork } from './regex-work.ts';

export type Dfa = ReturnType<RE2JS['re2']>['dfa'];

/** What a step costs for the first time, and per state of the program that is active in it, in units. */
const MISS_UNITS = 60;
const ACTIVE_UNITS = 8;
/** What the automaton of one pattern may hold while it works and between two uses, as re2js counts bytes. */
const WORKING_BYTES = 1024 * 1024;
export const KEPT_BYTES = 16 * 1024;

/** Constants of re2js for positions and directions of its automaton, which it does not export. */
const UNANCHORED = 0;
const END_TEXT = -1;

/** The last character whose class is looked up in a table. */
const MAX_LATIN1 = 0xff;

interface State {
  readonly isMatch: boolean;
  readonly nfaStates: readonly number[];
  readonly flag: number;
  readonly matchIDs: readonly number[];
  readonly next: readonly (State | null)[] | null;
}

/** Looks for a match that begins at or after `from`. */
export function startSearch(dfa: Dfa, text: string, from = 0): RegexTask<boolean | 'exhausted'> {
  dfa.stateBudget = WORKING_BYTES;
  if (dfa.memBudget > WORKING_BYTES) dfa.memBudget = WORKING_BYTES;
  const input = { context: () => contextAt(text, from), step: () => (runeAt(text, from) << 3) | 1 };
  let state: State | null = dfa.start(input, from);
  let at = from;

  /** A step that is not cached yet; the automaton clears its states when there is no room for another. */
  const make = (before: State, classOfRune: number, rune: number): State | null => {
    const next: State | null = dfa.step(before, classOfRune, rune, UNANCHORED);
    if (next !== null) return next;
    const kept: State | null = dfa.resetCache(before);
    return kept === null ? null : dfa.step(kept, classOfRune, rune, UNANCHORED);
  };

  /** The state after the next character. */
  const step = (before: State, rune: number, work: RegexWork): State | null => {
    const classOfRune = dfa.runeClass(rune);
    const known = before.next?.[classOfRune] ?? null;
    work.left -= known === null ? MISS_UNITS + ACTIVE_UNITS * before.nfaStates.length : 1;
    return known ?? make(before, classOfRune, rune);
  };

  const atEnd = (): boolean | 'exhausted' => {
    const last = state === null ? null : make(state, dfa.numClasses, END_TEXT);
    return last === null ? 'exhausted' : last.isMatch;
  };

  /** Goes on through states that are known and characters of Latin-1, which most texts consist of. True: a match. */
  const advanceKnown = (work: RegexWork, until: number): boolean => {
    if (state === null) return false;
    const { latin1Class } = dfa;
    const end = Math.min(text.length, at + work.left - until);
    // Both are read far more often than anything else: not from the closure.
    let known: State = state;
    let i = at;
    while (i < end) {
      const code = text.charCodeAt(i);
      const next: State | null | undefined = code > MAX_LATIN1 ? null : known.next?.[latin1Class[code] ?? 0];
      if (next === null || next === undefined) break;
      known = next;
      i += 1;
      if (known.isMatch) break;
    }
    work.left -= i - at;
    at = i;
    state = known;
    return known.isMatch;
  };

  /** True: a match. */
  const advanceOne = (work: RegexWork): boolean => {
    if (state === null || at >= text.length) return false;
    const rune = runeAt(text, at);
    state = step(state, rune, work);
    at += widthOf(rune);
    return state?.isMatch === true;
  };

  const advance = (work: RegexWork, until: number): boolean | 'exhausted' | undefined => {
    while (state !== null && at < text.length && work.left > until) {
      if (advanceKnown(work, until) || (work.left > until && advanceOne(work))) return true;
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
