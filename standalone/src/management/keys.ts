/** The keys of the Snapshot that is served, as the management API knows them. */
import { canonicalScope, SCOPES } from '@gatehouse/crds/kinds';
import type { Snapshot, SnapshotEntry } from '@gatehouse/crds/snapshot';
import type { Caller, KeyDirectory } from '@gatehouse/operator/management';

type KeyEntry = SnapshotEntry<'key'>;

/** Every scope, for keys that have `*`. */
const ALL: ReadonlySet<string> = new Set(SCOPES.keys());

/** Follows the Snapshot: a key that has left it is not known any more. */
export function createKeyDirectory(snapshot: () => Snapshot): KeyDirectory {
  let indexed: { readonly snapshot: Snapshot; readonly byHash: ReadonlyMap<string, KeyEntry> } | undefined;
  return {
    find: (sha256) => {
      const now = snapshot();
      if (indexed?.snapshot !== now) indexed = { snapshot: now, byHash: indexOf(now) };
      const entry = indexed.byHash.get(sha256);
      return entry === undefined ? undefined : callerOf(entry);
    },
  };
}

function indexOf({ entries }: Snapshot): ReadonlyMap<string, KeyEntry> {
  const keys = entries.filter((entry): entry is KeyEntry => entry.kind === 'key');
  return new Map(keys.flatMap((entry) => entry.body.sha256.map((hash) => [hash, entry] as const)));
}

function callerOf({ id, workspace, body }: KeyEntry): Caller {
  const { name, scopes, user, expiresAt } = body;
  return {
    keyId: id,
    keyName: name,
    type: typeOf(workspace, user),
    workspace: workspace ?? undefined,
    user,
    scopes: scopes.includes('*') ? ALL : new Set(scopes.map(canonicalScope)),
    expiresAtMs: expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt),
  };
}

function typeOf(workspace: string | null, user: string | undefined): Caller['type'] {
  if (workspace === null) return 'organisation-service';
  return user === undefined ? 'workspace-service' : 'workspace-user';
}
