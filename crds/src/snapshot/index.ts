import type { AnyEntry } from './entries.ts';
import type { SchemaVersion } from './version.ts';

export { canonicalJson, digestOf } from './canonical.ts';
export {
  type AccessBody,
  type AnyEntry,
  access,
  configBody,
  credentialBody,
  ENTRY_BODIES,
  type EntryBody,
  type EntryKind,
  entryId,
  GATEWAY_AUDIENCE,
  isOrganisationOnly,
  keyBody,
  organisationBody,
  type PriceBody,
  policyBody,
  priceBody,
  providerBody,
  type RateLimitBody,
  rateLimit,
  SECRET_ENTRY_KINDS,
  SIDECAR_PLACEHOLDER_KEY,
  type SnapshotEntry,
  sidecarBody,
  type TokenPrices,
  type UsageLimitBody,
  usageLimit,
  workspaceBody,
} from './entries.ts';
export { guardrailBody } from './guardrail-body.ts';
export {
  KEYS_AUDIENCE,
  KEYS_STREAM_PATH,
  type KeyRecord,
  type KeyStreamFrame,
  type KeysFrame,
  keyFrames,
  parseKeysFrame,
} from './key-stream.ts';
export type { PromptTemplateBody } from './prompt-bodies.ts';
export {
  assembleSnapshot,
  compareRevisions,
  contentDigest,
  isIntact,
  MANIFEST_KEY,
  type Manifest,
  type ManifestProblem,
  manifestName,
  NO_REVISION,
  nextRevision,
  parseManifest,
  type Revision,
  readShard,
  renderManifest,
  renderShard,
  revisionOf,
  SHARD_KEY,
  type ShardRef,
  shardDigest,
  shardName,
} from './published.ts';
export { type ReachBody, reach } from './reach.ts';
export { MAX_SHARD_BYTES, type Oversized, type Shard, type Split, splitIntoShards } from './split.ts';
export {
  MOUNTED_COPY_KEY,
  parseFrame,
  readMountedCopy,
  SNAPSHOT_AUDIENCE,
  SNAPSHOT_HAVE_PARAM,
  SNAPSHOT_STREAM_PATH,
  type SnapshotFrame,
  type StreamFrame,
  toFrameText,
  toMountedCopy,
} from './stream.ts';
export { isReadable, SCHEMA_VERSION, type SchemaVersion } from './version.ts';

/** Everything one fleet serves. Entries are sorted by id. */
export interface Snapshot {
  readonly schemaVersion: SchemaVersion;
  readonly entries: readonly AnyEntry[];
}
