/**
 * Records which lookups a rule makes and what they return, so that an object is translated again only when one of them changes.
 */
import type { Lookups } from '../types/index.ts';

type LookupName = keyof Lookups;

/** One lookup with its arguments and its result. */
export interface Dependency {
  readonly lookup: LookupName;
  readonly args: readonly string[];
  readonly answer: unknown;
}

type Ask = (...args: readonly string[]) => unknown;

/** Lookups that are not recorded: other code decides when their users are translated again. */
const UNRECORDED: ReadonlySet<LookupName> = new Set<LookupName>(['isContested']);

/** The result of a lookup that threw; equal to no other result. */
const FAILED = Symbol('failed');

export interface DependencyRecorder {
  /** Runs with the lookups and records every call and its result. */
  record<T>(run: (view: Lookups) => T): { readonly value: T; readonly reads: readonly Dependency[] };
}

export function createDependencyRecorder(lookups: Lookups): DependencyRecorder {
  let reads: Dependency[] = [];
  const view: Record<string, Ask> = {};
  for (const lookup of Object.keys(lookups) as LookupName[]) {
    const ask = lookups[lookup] as Ask; // all lookups take texts; only their results differ
    if (UNRECORDED.has(lookup)) view[lookup] = ask;
    else
      view[lookup] = (...args) => {
        const read: { -readonly [M in keyof Dependency]: Dependency[M] } = { lookup, args, answer: FAILED };
        reads.push(read);
        read.answer = ask(...args);
        return read.answer;
      };
  }
  return {
    record: (run) => {
      reads = [];
      const value = run(view as unknown as Lookups);
      return { value, reads };
    },
  };
}

/** Whether every lookup returns the same now; one that throws does not. */
export function areUnchanged(lookups: Lookups, reads: readonly Dependency[]): boolean {
  try {
    return reads.every(({ lookup, args, answer }) => (lookups[lookup] as Ask)(...args) === answer);
  } catch {
    return false;
  }
}
