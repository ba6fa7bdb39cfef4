/** Which pod calls the fleet: its projected ServiceAccount token says so, and the Snapshot knows the workspace. */
import { AppError } from '../errors/index.ts';
import { looksLikeToken, type TokenCheck } from '../identity/index.ts';
import type { SnapshotHolder, SnapshotView } from '../snapshot/index.ts';

/** Whose token the fleet has checked. */
export interface Pod {
  readonly id: string;
  readonly workspace: string;
  readonly snapshot: SnapshotView;
}

export interface PodPorts {
  readonly tokens: TokenCheck;
  readonly snapshots: Pick<SnapshotHolder, 'current'>;
}

const HEADER = 'x-gw-api-key';

/** Rejects with AppError SNAPSHOT_MISSING, KEY_INVALID, KEY_EXPIRED, KEY_WITHOUT_WORKSPACE or WORKSPACE_FORBIDDEN. */
export async function podOfToken(token: string | undefined, { tokens, snapshots }: PodPorts): Promise<Pod> {
  const snapshot = snapshots.current;
  if (snapshot === undefined) throw new AppError('SNAPSHOT_MISSING', { retryAfterMs: 1_000 });
  const holder = token !== undefined && looksLikeToken(token) ? tokens.identify(token, HEADER, snapshot) : undefined;
  if (holder === undefined) throw notOfPod('has none of an issuer that is known here');
  const { key, pod } = await holder;
  const { workspace } = key;
  if (pod === undefined) throw notOfPod('has one that belongs to no pod');
  if (workspace === null || snapshot.workspace(workspace) === undefined) throw new AppError('KEY_WITHOUT_WORKSPACE');
  return { id: pod, workspace, snapshot };
}

const notOfPod = (why: string): AppError =>
  new AppError('KEY_INVALID', {
    param: HEADER,
    detail: `Invalid API Key: calls of sidecars need the token of a pod, and this one ${why}`,
  });
