/** A published Snapshot in memory, for tests of what loads it. */
import {
  type AnyEntry,
  type Manifest,
  type Revision,
  renderManifest,
  renderShard,
  SCHEMA_VERSION,
  shardName,
  splitIntoShards,
} from '@gatehouse/crds/snapshot';
import type { ManifestObject } from './api.ts';

export interface TestPublication {
  readonly manifest: Manifest;
  readonly object: ManifestObject;
  /** Text by digest. */
  readonly shards: ReadonlyMap<string, string>;
  readonly entriesOf: (digest: string) => readonly AnyEntry[] | undefined;
}

export function publication({ epoch, version }: Revision, entries: readonly AnyEntry[], uid = 'uid'): TestPublication {
  const { shards } = splitIntoShards(entries);
  const manifest: Manifest = {
    ...(epoch === 0 ? {} : { epoch }),
    version,
    schemaVersion: { ...SCHEMA_VERSION },
    shards: shards.map(({ digest, secret }) => ({ name: shardName('main', digest), secret, digest })),
  };
  return {
    manifest,
    object: { uid, text: renderManifest(manifest) },
    shards: new Map(shards.map((shard) => [shard.digest, renderShard(shard.entries)])),
    entriesOf: (digest) => shards.find((shard) => shard.digest === digest)?.entries,
  };
}

export const SILENT_LOG = { info: () => undefined, warn: () => undefined, error: () => undefined };
