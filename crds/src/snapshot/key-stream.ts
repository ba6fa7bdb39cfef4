/** How the management API learns the keys of an installation: as a stream of frames, one JSON object per line. */
import { z } from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { type AnyEntry, keyBody, type SnapshotEntry } from './entries.ts';

/** Audience of the ServiceAccount token that opens a stream of keys. */
export const KEYS_AUDIENCE = 'gatehouse-management';
/** Path of the snapshot service; a GET opens a stream of keys. */
export const KEYS_STREAM_PATH = '/v1/keys';

/** The part of a key's entry that says who calls; without limits and defaults. */
const keyRecord = z.looseObject({
  id: z.string(),
  workspace: z.string().nullable(),
  body: keyBody.pick({ name: true, sha256: true, previous: true, scopes: true, expiresAt: true, user: true }),
});

export type KeyRecord = z.output<typeof keyRecord>;

/** Changes of the keys since the last frame. The frames up to the first one without `more` hold all keys. */
export interface KeysFrame {
  readonly kind: 'keys';
  readonly set: readonly KeyRecord[];
  /** Ids of keys that are not valid any more. */
  readonly gone: readonly string[];
  /** The change goes on in the next frame. */
  readonly more: boolean;
}

/** Pings are sent at least every 30 s. */
export type KeyStreamFrame = KeysFrame | { readonly kind: 'ping' };

const frame = z.discriminatedUnion('kind', [
  z.looseObject({
    kind: z.literal('keys'),
    set: z.array(keyRecord),
    gone: z.array(z.string()),
    more: z.boolean(),
  }),
  z.looseObject({ kind: z.literal('ping') }),
]);

/** Parses the JSON of a frame. The error quotes no content. */
export function parseKeysFrame(text: string): Result<KeyStreamFrame, string> {
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

/** Keys per frame: about a quarter of a MiB. */
const KEYS_PER_FRAME = 1_000;

/**
 * What changed from one list of entries to another, both sorted by id. An entry that is the same object in both has not changed.
 * Without a list of before: all keys, in at least one frame. Frames are made as they are taken.
 */
export function* keyFrames(before: readonly AnyEntry[] | undefined, after: readonly AnyEntry[]): Generator<KeysFrame> {
  const { set, gone } = differencesOf(before ?? [], after);
  const length = Math.max(set.length, gone.length);
  if (before !== undefined && length === 0) return;
  for (let start = 0; start === 0 || start < length; start += KEYS_PER_FRAME) {
    const end = start + KEYS_PER_FRAME;
    yield { kind: 'keys', set: set.slice(start, end).map(toRecord), gone: gone.slice(start, end), more: end < length };
  }
}

interface Differences {
  readonly set: readonly SnapshotEntry<'key'>[];
  readonly gone: readonly string[];
}

/** One pass over both: equal entries cost a comparison of references. */
function differencesOf(before: readonly AnyEntry[], after: readonly AnyEntry[]): Differences {
  const set: SnapshotEntry<'key'>[] = [];
  const gone: string[] = [];
  let i = 0;
  for (const entry of after) {
    let old = before[i];
    for (; old !== undefined && old !== entry && old.id < entry.id; old = before[i]) {
      if (old.kind === 'key') gone.push(old.id);
      i += 1;
    }
    if (old !== entry && entry.kind === 'key') set.push(entry);
    if (old?.id === entry.id) i += 1;
  }
  for (const { kind, id } of before.slice(i)) if (kind === 'key') gone.push(id);
  return { set, gone };
}

const toRecord = ({ id, workspace, body }: SnapshotEntry<'key'>): KeyRecord => {
  const { name, sha256, previous, scopes, expiresAt, user } = body;
  return {
    id,
    workspace,
    body: {
      name,
      sha256,
      scopes,
      ...(previous === undefined ? {} : { previous }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(user === undefined ? {} : { user }),
    },
  };
};
