/** What a publish has to write. */
import { type Manifest, type Shard, type ShardRef, type Snapshot, shardName } from '@gatehouse/crds/snapshot';

export interface PublishPlan {
  /** The shards of the new manifest, in order. */
  readonly refs: readonly ShardRef[];
  /** Shards that the current manifest does not name: they have to be created. */
  readonly added: readonly Shard[];
  /** Shards that both manifests name. */
  readonly kept: readonly Shard[];
  /** False: the current manifest is up to date. */
  readonly changed: boolean;
}

/** Compares the shards to serve with the current manifest. */
export function planPublish(
  current: Manifest | undefined,
  shards: readonly Shard[],
  { fleet, schemaVersion }: { readonly fleet: string; readonly schemaVersion: Snapshot['schemaVersion'] },
): PublishPlan {
  const named = new Set(current?.shards.map(keyOf));
  const refs = shards.map(({ digest, secret }) => ({ name: shardName(fleet, digest), secret, digest }));
  const added = shards.filter((shard) => !named.has(keyOf(shard)));
  const sameVersion =
    current?.schemaVersion.major === schemaVersion.major && current.schemaVersion.minor === schemaVersion.minor;
  return {
    refs,
    added,
    kept: shards.filter((shard) => named.has(keyOf(shard))),
    changed: !sameVersion || added.length > 0 || named.size !== shards.length,
  };
}

const keyOf = ({ digest, secret }: Pick<ShardRef, 'digest' | 'secret'>): string => `${secret} ${digest}`;
