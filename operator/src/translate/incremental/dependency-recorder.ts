import type { Lookups } from '../types/index.ts';

type LookupName = keyof Lookups;

/** One lookup a translator asked, and what it was told. */
export interface Dependency {
  readonly lookup: LookupName;
  readonly args: readonly string[];
  readonly answer: unknown;
}

type Ask = (...args: readonly string[]) => unknown;

/** Questions whose answers are not written down: somebody else says when to ask them again. */
const UNRECORDED: ReadonlySet<LookupName> = new Set<LookupName>(['isContested']);

/** Stands for the answer to a lookup that failed: no answer is equal to it. */
const FAILED = Symbol('failed');

export interface DependencyRecorder {
  /** Runs with the lookups, and writes down every lookup and answer. */
  record<T>(run: (view: Lookups) => T): { readonly value: T; readonly reads: readonly Dependency[] };
}

export function createDependencyRecorder(lookups: Lookups): DependencyRecorder {
  let reads: Dependency[] = [];
  const view: Record<string, Ask> = {};
  for (const lookup of Object.keys(lookups) as LookupName[]) {
    const ask = lookups[lookup] as Ask; // all questions take texts; only their answers differ
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

/** Whether the world would answer the same today; a lookup that fails is another answer. */
export function areUnchanged(lookups: Lookups, reads: readonly Dependency[]): boolean {
  try {
    return reads.every(({ lookup, args, answer }) => (lookups[lookup] as Ask)(...args) === answer);
  } catch {
    return false;
  }
}
