/** Entries from drafts. An entry that has not changed stays the same object. */
import { type AnyEntry, digestOf, entryId } from '@gatehouse/crds/snapshot';
import type { EntryDraft } from '../types/index.ts';

interface EntryOptions {
  readonly generation: number;
  readonly stale: boolean;
  /** Entries of the same object; an equal one is reused. */
  readonly before: readonly AnyEntry[];
}

/** The entries that a rule has made. */
export function toEntries(
  drafts: readonly EntryDraft[],
  { generation, stale, before }: EntryOptions,
): readonly AnyEntry[] {
  const entries = drafts.map(({ kind, workspace, name, body }) => {
    const id = entryId(kind, workspace, name);
    const digest = digestOf(body);
    const known = before.find((entry) => entry.id === id);
    // Nothing reads the generation of a credential, and a new one would move a shard of secrets with each edit of the object.
    // A higher generation is that of a deleted object with the same name.
    const had = known?.generation ?? generation;
    const isCurrent = kind === 'credential' ? had <= generation : had === generation;
    if (known?.digest === digest && isCurrent && isStale(known) === stale) return known;
    // In the order of canonical JSON. A draft pairs kind and body correctly, which the spread hides.
    return { body, digest, generation, id, kind, ...(stale ? { stale: true as const } : {}), workspace } as AnyEntry;
  });
  return isSame(entries, before) ? before : entries;
}

/** The last good entries, marked stale. */
export function toStale(before: readonly AnyEntry[]): readonly AnyEntry[] {
  if (before.every(isStale)) return before;
  return before.map((entry) => (isStale(entry) ? entry : { ...entry, stale: true as const }));
}

const isStale = (entry: AnyEntry): boolean => entry.stale === true;

const isSame = (a: readonly AnyEntry[], b: readonly AnyEntry[]): boolean =>
  a.length === b.length && a.every((entry, i) => entry === b[i]);
