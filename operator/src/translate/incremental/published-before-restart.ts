/**
 * The entries that were published before this process started, by object. An object that is broken now keeps its published
 * entries, as if the process had never restarted.
 */
import type { KindName } from '@gatehouse/crds/kinds';
import type { AnyEntry } from '@gatehouse/crds/snapshot';
import type { WorldObject } from '../types/index.ts';
import { keyOf, originOf } from './origins.ts';

/** Published entries by the object they were made of. */
export interface PublishedEntries {
  /**
   * Leaves out entries of a generation that the object has not reached: they are of a deleted object with the same name.
   */
  of(kind: KindName, workspace: string | null, object: Identity): readonly AnyEntry[];
}

type Identity = Pick<WorldObject['metadata'], 'name' | 'generation'>;

export const NO_ENTRIES: readonly AnyEntry[] = [];
export const NOTHING_PUBLISHED: PublishedEntries = { of: () => NO_ENTRIES };

/** Groups published entries by the object they were made of; entries without one, and those that are not permitted any more, are dropped. */
export function indexPublished(
  entries: readonly AnyEntry[],
  isPermitted: (entry: AnyEntry) => boolean = () => true,
): PublishedEntries {
  const byObject = new Map<string, AnyEntry[]>();
  for (const entry of entries) {
    const origin = isPermitted(entry) ? originOf(entry) : undefined;
    if (origin === undefined) continue;
    const key = keyOf(origin.kind, entry.workspace, origin.name);
    byObject.set(key, [...(byObject.get(key) ?? []), entry]);
  }
  return {
    of: (kind, workspace, { name, generation = 0 }) =>
      byObject.get(keyOf(kind, workspace, name))?.filter((entry) => entry.generation <= generation) ?? NO_ENTRIES,
  };
}

/** The first of several that has entries of an object returns all of them. */
export const mergePublished = (...all: readonly PublishedEntries[]): PublishedEntries => ({
  of: (kind, workspace, object) => {
    for (const published of all) {
      const entries = published.of(kind, workspace, object);
      if (entries.length > 0) return entries;
    }
    return NO_ENTRIES;
  },
});
