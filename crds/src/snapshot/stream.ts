/**
 * How sidecars get the Snapshot of their workspace (DESIGN section 5): a stream of frames, one JSON object a line, from the
 * operator's snapshot service; and one snapshot frame per mounted file, gzipped.
 */
import { z } from 'zod';
import { err, ok, type Result } from '../result.ts';
import type { AnyEntry } from './entries.ts';
import type { SchemaVersion } from './version.ts';

/** Audience of the ServiceAccount token that opens a stream. */
export const SNAPSHOT_AUDIENCE = 'gatehouse-snapshot';
/** Where a GET opens a stream, below the address of the service. */
export const SNAPSHOT_STREAM_PATH = '/v1/snapshot';
/** Query parameter: the version the client has already; the stream starts with a ping instead of that very content. */
export const SNAPSHOT_HAVE_PARAM = 'have';

/** A whole Snapshot; it replaces the one before. */
export interface SnapshotFrame {
  readonly kind: 'snapshot';
  /** Names the content: equal versions have equal entries, whoever sent them. Says nothing about which is newer. */
  readonly version: number;
  readonly schemaVersion: SchemaVersion;
  readonly entries: readonly AnyEntry[];
}

/** What comes over the stream; pings come at least every 30 s. */
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

/** Reads the JSON of a frame; entries are not looked into. The error says what is wrong without quoting content. */
export function parseFrame(text: string): Result<StreamFrame, string> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return err('not JSON');
  }
  const parsed = frame.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  const [issue] = parsed.error.issues;
  return err(`${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}
