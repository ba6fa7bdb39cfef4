import type { AnyEntry } from './entries.ts';
import type { SchemaVersion } from './version.ts';

export { canonicalJson, digestOf } from './canonical.ts';
export {
  type AnyEntry,
  configBody,
  credentialBody,
  ENTRY_BODIES,
  type EntryBody,
  type EntryKind,
  entryId,
  keyBody,
  organisationBody,
  providerBody,
  rateLimit,
  SECRET_ENTRY_KINDS,
  type SnapshotEntry,
  sidecarBody,
  workspaceBody,
} from './entries.ts';
export {
  parseFrame,
  SNAPSHOT_AUDIENCE,
  SNAPSHOT_HAVE_PARAM,
  SNAPSHOT_STREAM_PATH,
  type SnapshotFrame,
  type StreamFrame,
  toFrameText,
} from './stream.ts';
export { isReadable, SCHEMA_VERSION, type SchemaVersion } from './version.ts';

/** Everything one fleet serves. Entries are sorted by id. */
export interface Snapshot {
  readonly schemaVersion: SchemaVersion;
  readonly entries: readonly AnyEntry[];
}
