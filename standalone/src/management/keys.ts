/** The keys of the Snapshot that is served, as the management API knows them. */
import type { Snapshot, SnapshotEntry } from '@gatehouse/crds/snapshot';
import { callerOfKey, hashesOf, type KeyDirectory } from '@gatehouse/operator/management';

type KeyEntry = SnapshotEntry<'key'>;

/** Follows the Snapshot: a key that has left it is not known any more. */
export function createKeyDirectory(snapshot: () => Snapshot): KeyDirectory {
  let indexed: { readonly snapshot: Snapshot; readonly byHash: ReadonlyMap<string, KeyEntry> } | undefined;
  return {
    find: (sha256) => {
      const now = snapshot();
      if (indexed?.snapshot !== now) indexed = { snapshot: now, byHash: indexOf(now) };
      const entry = indexed.byHash.get(sha256);
      return entry === undefined ? undefined : callerOfKey(entry, sha256);
    },
  };
}

function indexOf({ entries }: Snapshot): ReadonlyMap<string, KeyEntry> {
  const keys = entries.filter((entry): entry is KeyEntry => entry.kind === 'key');
  return new Map(keys.flatMap((entry) => hashesOf(entry.body).map((hash) => [hash, entry] as const)));
}
