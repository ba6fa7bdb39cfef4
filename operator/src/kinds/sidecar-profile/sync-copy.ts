/** Writes the mounted copy of the Snapshot for the sidecars of a namespace, or removes it where there is none. */
import { type OperatorAccount, secretsCommand } from '../../rbac.ts';
import {
  type Claimant,
  done,
  hasReason,
  type KubeClient,
  keyOf,
  type NamedWatches,
  type StepResult,
  stall,
} from '../../runtime/index.ts';
import { EMPTY_SNAPSHOT, type SidecarSnapshot } from '../../translate/index.ts';
import { type CopyInput, copiesOf, isOurs, isSameCopy } from './copies.ts';
import { SIDECAR_COPY } from './names.ts';
import { COPY_CONFIG_MAPS, COPY_SECRETS, FIELD_MANAGER, type SidecarCopy } from './ports.ts';
import { tooLarge } from './steps.ts';

export type CopyWatches = Readonly<Record<'configMaps' | 'secrets', NamedWatches<SidecarCopy>>>;

export interface SyncCopyOptions extends Omit<CopyInput, 'snapshot'> {
  readonly client: Pick<KubeClient, 'apply' | 'delete'>;
  readonly copies: CopyWatches;
  /** Undefined while it is unknown: the copy stays unchanged. */
  readonly snapshot: SidecarSnapshot | undefined;
  /** The account that the right to write them is granted to. */
  readonly operatorAccount: OperatorAccount;
  readonly signal: AbortSignal;
}

/** Every namespace counts for itself. */
export const claimantOf = (namespace: string): Claimant => ({ id: namespace, share: namespace });

/** Every profile of a namespace calls this; the first call does the work. */
export async function syncCopy(options: SyncCopyOptions): Promise<StepResult> {
  const { copies, namespace, owners, snapshot } = options;
  if (owners.length === 0) return done('The profile is gone'); // a copy without an owner would never be deleted
  const key = keyOf({ namespace, name: SIDECAR_COPY });
  for (const watches of Object.values(copies)) watches.want(claimantOf(namespace), new Set([key]));
  if (snapshot === undefined) return done('Nothing is known yet');
  return snapshot === EMPTY_SNAPSHOT ? remove(options, key) : write(options, key, snapshot);
}

// The Secret is always first: a sidecar loads the two when both have the same version, and credentials are removed at once.

async function write(
  { client, copies, namespace, owners, caPem, operatorAccount, signal }: SyncCopyOptions,
  key: string,
  snapshot: SidecarSnapshot,
): Promise<StepResult> {
  if (copies.secrets.isDenied(key)) return denied(operatorAccount, namespace);
  const made = copiesOf({ namespace, snapshot, caPem, owners });
  if (!made.ok) return tooLarge(made.error);
  const { secret, configMap } = made.value;
  const apply = { fieldManager: FIELD_MANAGER, force: true, signal };
  if (!isSameCopy(copies.secrets.store.get(key), secret)) await client.apply(COPY_SECRETS, secret, apply);
  if (!isSameCopy(copies.configMaps.store.get(key), configMap)) await client.apply(COPY_CONFIG_MAPS, configMap, apply);
  return done('The mounted copy is written');
}

/** A watch notices when the right has been granted. */
function denied(account: OperatorAccount, namespace: string): StepResult {
  const command = secretsCommand(account, namespace);
  const message = `The operator may not write the copy for sidecars into the namespace ${namespace}; grant it with: ${command}`;
  return stall('AccessDenied', message);
}

async function remove({ client, copies, signal }: SyncCopyOptions, key: string): Promise<StepResult> {
  for (const [kind, watches] of [
    [COPY_SECRETS, copies.secrets],
    [COPY_CONFIG_MAPS, copies.configMaps],
  ] as const) {
    const present = watches.store.get(key);
    if (present === undefined || !isOurs(present)) continue;
    const { uid } = present.metadata;
    await client.delete(kind, present.metadata, { uid, signal }).catch((error: unknown) => {
      if (!hasReason(error, 'NotFound')) throw error;
    });
  }
  return done('The mounted copy is gone');
}
