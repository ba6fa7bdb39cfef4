import { canonicalScope, SCOPES } from '@gatehouse/crds/kinds';
import type { SnapshotEntry } from '@gatehouse/crds/snapshot';
import type { Caller } from './caller.ts';

/** Every scope, for keys that have `*`. */
const ALL: ReadonlySet<string> = new Set(SCOPES.keys());

/** What says who calls. */
interface KnownKey extends Pick<SnapshotEntry<'key'>, 'id' | 'workspace'> {
  readonly body: {
    readonly previous?: { readonly sha256: string; readonly expiresAt: string } | undefined;
    readonly name: string;
    readonly scopes: readonly string[];
    readonly user?: string | undefined;
    readonly expiresAt?: string | undefined;
  };
}

/** The hashes by which a key of the Snapshot is known. */
export const hashesOf = ({ sha256, previous }: KeyHashes): readonly string[] =>
  previous === undefined ? sha256 : [...sha256, previous.sha256];

interface KeyHashes {
  readonly sha256: readonly string[];
  readonly previous?: { readonly sha256: string } | undefined;
}

/** The holder of a key of the Snapshot, found by one of its hashes. */
export function callerOfKey({ id, workspace, body }: KnownKey, sha256: string): Caller {
  const { name, scopes, user, expiresAt, previous } = body;
  const ends = [expiresAt, previous?.sha256 === sha256 ? previous.expiresAt : undefined];
  return {
    keyId: id,
    keyName: name,
    type: typeOf(workspace, user),
    workspace: workspace ?? undefined,
    user,
    scopes: scopes.includes('*') ? ALL : new Set(scopes.map(canonicalScope)),
    expiresAtMs: Math.min(...ends.map((end) => (end === undefined ? Number.POSITIVE_INFINITY : Date.parse(end)))),
  };
}

function typeOf(workspace: string | null, user: string | undefined): Caller['type'] {
  if (workspace === null) return 'organisation-service';
  return user === undefined ? 'workspace-service' : 'workspace-user';
}
