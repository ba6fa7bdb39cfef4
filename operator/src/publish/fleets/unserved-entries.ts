/** Entries of a Snapshot that the pods of a fleet do not serve, by the objects that they were made of. */
import { MAX_SHARD_BYTES, type Oversized } from '@gatehouse/crds/snapshot';
import { originsOf } from '../../translate/index.ts';
import type { Acknowledgement } from '../index.ts';
import type { RejectedEntry } from './ports.ts';

/** Entries by the objects they may have been made of. */
export type UnservedEntries = ReadonlyMap<string, RejectedEntry>;

export const NONE_UNSERVED: UnservedEntries = new Map();

/** Entries of a fleet that are reported; others follow when some of these have been fixed. */
const MAX_ENTRIES = 1_000;
/** Bounds of the status of a fleet, in characters. */
const MAX_ID = 2_048;
const MAX_TEXT = 1_000;
const KIB = 1_024;

/** Entries that were not published, since they do not fit into a shard. */
export function oversizedEntries(oversized: readonly Oversized[]): UnservedEntries {
  return byOrigin(
    oversized.map(({ id, bytes }) => ({
      entry: id,
      reason: 'TooLarge',
      message: `published as ${Math.ceil(bytes / KIB)} KiB, where ${MAX_SHARD_BYTES / KIB} KiB is the most`,
    })),
  );
}

/** Entries that some ready pod cannot use; of several reasons, that of the first pod by name. */
export function skippedEntries(table: readonly Acknowledgement[]): UnservedEntries {
  const ready = table.filter(({ pod }) => pod.ready);
  return byOrigin(
    ready.flatMap(({ answer }) =>
      (answer?.skipped ?? []).map(({ id, reason }) => ({
        entry: id,
        reason: 'Unusable',
        message: reason.slice(0, MAX_TEXT),
      })),
    ),
  );
}

function byOrigin(entries: readonly RejectedEntry[]): UnservedEntries {
  const unserved = new Map<string, RejectedEntry>();
  for (const rejected of entries.slice(0, MAX_ENTRIES)) {
    if (rejected.entry.length > MAX_ID) continue;
    for (const origin of originsOf(rejected.entry)) if (!unserved.has(origin)) unserved.set(origin, rejected);
  }
  return unserved;
}

/** The objects whose unserved entries differ. */
export function changedOrigins(before: UnservedEntries, after: UnservedEntries): ReadonlySet<string> {
  const origins = [...before.keys(), ...after.keys()];
  return new Set(origins.filter((origin) => !isSame(before.get(origin), after.get(origin))));
}

const isSame = (a: RejectedEntry | undefined, b: RejectedEntry | undefined): boolean =>
  a?.entry === b?.entry && a?.reason === b?.reason && a?.message === b?.message;

/** Each entry once, sorted. */
export function toRejectedEntries(...all: readonly UnservedEntries[]): readonly RejectedEntry[] {
  const entries = new Map(all.flatMap((unserved) => [...unserved.values()].map((row) => [row.entry, row] as const)));
  return [...entries.values()].sort((a, b) => (a.entry < b.entry ? -1 : 1));
}
