import type { Lookups } from '../types/index.ts';

type Question = keyof Lookups;

/** One question a translator asked, and what it was told. */
export interface Read {
  readonly question: Question;
  readonly args: readonly string[];
  readonly answer: unknown;
}

type Ask = (...args: readonly string[]) => unknown;

/** Questions whose answers are not written down: somebody else says when to ask them again. */
const UNRECORDED: ReadonlySet<Question> = new Set<Question>(['isContested']);

/** Stands for the answer to a question that failed: no answer is equal to it. */
const FAILED = Symbol('failed');

export interface Recorder {
  /** Runs with the lookups, and writes down every question and answer. */
  record<T>(run: (view: Lookups) => T): { readonly value: T; readonly reads: readonly Read[] };
}

export function createRecorder(lookups: Lookups): Recorder {
  let reads: Read[] = [];
  const view: Record<string, Ask> = {};
  for (const question of Object.keys(lookups) as Question[]) {
    const ask = lookups[question] as Ask; // all questions take texts; only their answers differ
    if (UNRECORDED.has(question)) view[question] = ask;
    else
      view[question] = (...args) => {
        const read: { -readonly [M in keyof Read]: Read[M] } = { question, args, answer: FAILED };
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

/** Whether the world would answer the same today; a question that fails is another answer. */
export function stillHold(lookups: Lookups, reads: readonly Read[]): boolean {
  try {
    return reads.every(({ question, args, answer }) => (lookups[question] as Ask)(...args) === answer);
  } catch {
    return false;
  }
}
