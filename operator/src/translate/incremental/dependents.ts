import type { Lookups } from '../types/index.ts';
import { type Read, stillHold } from './dependency-recorder.ts';
import { LayeredMap } from './layered-map.ts';

interface Readers {
  readonly reads: readonly Read[];
  /** Keys of the objects. */
  readonly keys: LayeredMap<true>;
}

/** The objects of one Kind by the questions they asked. */
export type ReadersOfKind = LayeredMap<Readers>;

/** The questions as a text, whatever was answered. */
export function questionsOf(reads: readonly Read[]): string {
  return JSON.stringify(reads.map(({ question, args }) => [question, ...args]));
}

/** Keys of the objects that would be told something else today. */
export function misinformed(readers: ReadersOfKind, lookups: Lookups): readonly string[] {
  const keys: string[] = [];
  readers.forEach((group) => {
    if (stillHold(lookups, group.reads)) return;
    group.keys.forEach((_, key) => {
      keys.push(key);
    });
  });
  return keys;
}

/** What one object asked, before and now; undefined while it did not exist. */
export interface Rereading {
  readonly key: string;
  readonly before: string | undefined;
  readonly now: { readonly questions: string; readonly reads: readonly Read[] } | undefined;
}

/** The readers after some objects have asked again, have come or have gone. */
export function updateReaders(readers: ReadersOfKind, rereadings: readonly Rereading[]): ReadersOfKind {
  const moves = new Map<string, Map<string, true | undefined>>();
  const reads = new Map<string, readonly Read[]>();
  const move = (questions: string, key: string, stays: true | undefined): void => {
    const keys = moves.get(questions) ?? new Map<string, true | undefined>();
    moves.set(questions, keys.set(key, stays));
  };
  for (const { key, before, now } of rereadings) {
    if (before !== undefined) move(before, key, undefined);
    if (now === undefined) continue;
    move(now.questions, key, true);
    reads.set(now.questions, now.reads);
  }
  const changes = new Map<string, Readers | undefined>();
  for (const [questions, moved] of moves) {
    const group = readers.get(questions);
    const keys = (group?.keys ?? new LayeredMap<true>()).with(moved);
    const known = reads.get(questions) ?? group?.reads;
    changes.set(questions, keys.size === 0 || known === undefined ? undefined : { reads: known, keys });
  }
  return readers.with(changes);
}
