import { canonicalScope, SCOPES } from '@gatehouse/crds/kinds';
import type { SnapshotEntry } from '@gatehouse/crds/snapshot';
import type { Caller } from './caller.ts';

/** Every scope, for keys that have `*`. */
const ALL: ReadonlySet<string> = new Set(SCOPES.keys());

/** What says who calls. */
interface KnownKey extends Pick<SnapshotEntry<'key'>, 'id' | 'workspace'> {
  readonly body: {
    readonly name: string;
    readonly scopes: readonly string[];
    readonly user?: string | undefined;
    readonly expiresAt?: string | undefined;
  };
}

/** The holder of a key of the Snapshot. */
export function callerOfKey({ id, workspace, body }: KnownKey): Caller {
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
