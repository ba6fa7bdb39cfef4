/** A Snapshot on its way to a worker: only what differs, in parts. */
import type { AnyEntry, Snapshot } from '@gatehouse/crds/snapshot';
import type { SnapshotPart } from './messages.ts';

/** Entries of one part: an entry has a few hundred bytes, 256 KiB at most. */
const MAX_ENTRIES = 100;

/** What turns `previous` into `next`. */
export function toParts(previous: Snapshot | undefined, next: Snapshot, version: number): readonly SnapshotPart[] {
  const known = new Map((previous?.entries ?? []).map(({ id, digest }) => [id, digest]));
  const put = next.entries.filter(({ id, digest }) => known.get(id) !== digest);
  for (const { id } of next.entries) known.delete(id);
  const remove = [...known.keys()];
  const { schemaVersion } = next;
  const count = Math.max(1, Math.ceil(Math.max(put.length, remove.length) / MAX_ENTRIES));
  return Array.from({ length: count }, (_, at) => ({
    version,
    schemaVersion,
    put: put.slice(at * MAX_ENTRIES, (at + 1) * MAX_ENTRIES),
    remove: remove.slice(at * MAX_ENTRIES, (at + 1) * MAX_ENTRIES),
    isLast: at === count - 1,
  }));
}

/** Puts the parts together; returns the Snapshot after the last one of a version. */
export function createAssembly(): (part: SnapshotPart) => Snapshot | undefined {
  const entries = new Map<string, AnyEntry>();
  return ({ schemaVersion, put, remove, isLast }) => {
    for (const id of remove) entries.delete(id);
    for (const entry of put) entries.set(entry.id, entry);
    if (!isLast) return undefined;
    return { schemaVersion, entries: [...entries.values()].sort((a, b) => (a.id < b.id ? -1 : 1)) };
  };
}
