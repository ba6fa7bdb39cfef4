/**
 * How sidecars get the Snapshot of their workspace: as a stream of frames, one JSON object per line, from the operator's snapshot
 * service, and as one gzipped snapshot frame per mounted file.
 */
import { gunzipSync, gzipSync } from 'node:zlib';
import { z } from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { type AnyEntry, SECRET_ENTRY_KINDS } from './entries.ts';
import type { SchemaVersion } from './version.ts';

/** Audience of the ServiceAccount token that opens a stream. */
export const SNAPSHOT_AUDIENCE = 'gatehouse-snapshot';
/** Path of the service; a GET opens a stream. */
export const SNAPSHOT_STREAM_PATH = '/v1/snapshot';
/** Query parameter: the version that the client has; if it is current, the stream starts with a ping instead of the content. */
export const SNAPSHOT_HAVE_PARAM = 'have';

/** The entry of the mounted ConfigMap and Secret with their part of a Snapshot, gzipped. */
export const MOUNTED_COPY_KEY = 'snapshot.json.gz';
/** A mounted file has less than 1 MiB; one that decompresses to more than this is refused. */
const MAX_UNPACKED_BYTES = 64 * 1024 * 1024;

/** A whole Snapshot, which replaces the previous one. Without entries: nothing is served to the sidecar any more. */
export interface SnapshotFrame {
  readonly kind: 'snapshot';
  /** Identifies the content: equal versions have equal entries, from any replica. It does not order Snapshots. */
  readonly version: number;
  readonly schemaVersion: SchemaVersion;
  readonly entries: readonly AnyEntry[];
}

/** The frames of the stream; pings are sent at least every 30 s. */
export type StreamFrame = SnapshotFrame | { readonly kind: 'ping' };

const frame = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('snapshot'),
    version: z.int().min(0),
    schemaVersion: z.looseObject({ major: z.int(), minor: z.int() }),
    entries: z.array(z.custom<AnyEntry>((value) => typeof value === 'object' && value !== null)),
  }),
  z.looseObject({ kind: z.literal('ping') }),
]);

/** The JSON of a frame, without its line break. */
export const toFrameText = (value: StreamFrame): string => JSON.stringify(value);

/** Parses the JSON of a frame; entries are not validated. The error quotes no content. */
export function parseFrame(text: string): Result<StreamFrame, string> {
  let value: unknown;
  try {
    value = parseJson(text);
  } catch {
    return err('not JSON');
  }
  const parsed = frame.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  return err(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}

/** The two files of a mounted copy: gzipped frames of the same version, the secret entries in the Secret's. */
export interface MountedCopy {
  readonly config: Buffer;
  readonly secret: Buffer;
}

/** Packs a Snapshot for mounting. Equal Snapshots give equal bytes. */
export function toMountedCopy(snapshot: Omit<SnapshotFrame, 'kind'>): MountedCopy {
  const pack = (secret: boolean): Buffer => {
    const entries = snapshot.entries.filter(({ kind }) => SECRET_ENTRY_KINDS.has(kind) === secret);
    return gzipSync(toFrameText({ kind: 'snapshot', ...snapshot, entries }));
  };
  return { config: pack(false), secret: pack(true) };
}

/**
 * Joins the files of a mounted copy. `MIXED`: they have different versions, as happens for a moment while the kubelet replaces one
 * after the other. The message quotes no content.
 */
export function readMountedCopy(
  copy: MountedCopy,
): Result<SnapshotFrame, { readonly code: 'MALFORMED' | 'MIXED'; readonly message: string }> {
  const config = unpack(copy.config);
  const secret = unpack(copy.secret);
  if (!config.ok) return err({ code: 'MALFORMED', message: `the ConfigMap: ${config.error}` });
  if (!secret.ok) return err({ code: 'MALFORMED', message: `the Secret: ${secret.error}` });
  if (config.value.version !== secret.value.version) {
    return err({ code: 'MIXED', message: 'the ConfigMap and the Secret are of different versions' });
  }
  return ok({ ...config.value, entries: [...config.value.entries, ...secret.value.entries] });
}

function unpack(bytes: Buffer): Result<SnapshotFrame, string> {
  let text: string;
  try {
    text = gunzipSync(bytes, { maxOutputLength: MAX_UNPACKED_BYTES }).toString('utf8');
  } catch {
    return err('not gzip, or too large');
  }
  const parsed = parseFrame(text);
  if (!parsed.ok) return parsed;
  return parsed.value.kind === 'snapshot' ? ok(parsed.value) : err('no snapshot');
}
