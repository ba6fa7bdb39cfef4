import type { Lookups } from './lookups.ts';

type Question = keyof Lookups;

/** One question a translator asked, and what it was told. */
export interface Read {
  readonly question: Question;
  readonly args: readonly string[];
  readonly answer: unknown;
}

type Ask = (...args: readonly string[]) => unknown;

/** The same lookups, with every question and answer written down. */
export function recordReads(lookups: Lookups): { readonly view: Lookups; readonly reads: readonly Read[] } {
  const reads: Read[] = [];
  const view: Record<string, Ask> = {};
  for (const question of Object.keys(lookups) as Question[]) {
    const ask = lookups[question] as Ask; // all questions take texts; only their answers differ
    view[question] = (...args) => {
      const answer = ask(...args);
      reads.push({ question, args, answer });
      return answer;
    };
  }
  return { view: view as unknown as Lookups, reads };
}

/** Whether the world would answer the same today. */
export function stillHolds(lookups: Lookups, { question, args, answer }: Read): boolean {
  return (lookups[question] as Ask)(...args) === answer;
}
