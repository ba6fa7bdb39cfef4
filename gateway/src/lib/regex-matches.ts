/** Walks over the matches of a pattern in a text. */
import type { RE2JS } from 're2js';
import { startSearch } from './regex-automaton.ts';
import { Captures } from './regex-captures.ts';
import { runeAt, widthOf } from './regex-text.ts';
import type { RegexTask, RegexWork } from './regex-work.ts';

/** The groups of a pattern. */
export interface PatternGroups {
  readonly count: number;
  /** Their numbers by name. */
  readonly names: ReadonlyMap<string, number>;
}

export interface MatchVisitor {
  /** Groups from the first one whose positions are asked for. */
  readonly groups: number;
  /**
   * Gets a match: its begin and end, then those of the groups, -1 for one that takes no part. The array changes after the
   * call. False ends the walk. Matches may be empty; the next one begins behind an empty one, as in JavaScript.
   */
  visit(positions: Readonly<Int32Array>, groups: PatternGroups): boolean;
}

/** What a visit costs at least, in units. */
const VISIT_UNITS = 2;

/** `exhausted`: the work ended before the walk did. */
export type WalkEnd = 'done' | 'exhausted';

export function walkMatches(re2: ReturnType<RE2JS['re2']>, text: string, visitor: MatchVisitor): RegexTask<WalkEnd> {
  const search = startSearch(re2.dfa, text);
  let groups: PatternGroups | undefined;
  let captures: Captures | undefined;

  const next = (positions: Readonly<Int32Array>, work: RegexWork): boolean => {
    work.left -= VISIT_UNITS;
    const [begin = 0, end = 0] = positions;
    groups ??= { count: re2.numSubexp, names: new Map(Object.entries(re2.namedGroups)) };
    const goesOn = visitor.visit(positions, groups);
    const from = end > begin ? end : end + widthOf(runeAt(text, end));
    if (!goesOn || from > text.length) return false;
    captures?.restart(from, work);
    return true;
  };

  const visitAll = (found: Captures, work: RegexWork, until: number): WalkEnd | undefined => {
    for (;;) {
      const positions = found.advance(work, until);
      if (positions === undefined || positions === 'exhausted') return positions;
      if (positions === 'none' || !next(positions, work)) return 'done';
    }
  };

  const advance = (work: RegexWork, until: number): WalkEnd | undefined => {
    if (captures !== undefined) return visitAll(captures, work, until);
    // Most texts do not match, which the automaton knows at a fraction of the work.
    const exists = search.advance(work, until);
    if (exists !== true) return exists === false ? 'done' : exists;
    captures = new Captures(re2, text, visitor.groups);
    return visitAll(captures, work, until);
  };
  return { advance, end: search.end };
}
