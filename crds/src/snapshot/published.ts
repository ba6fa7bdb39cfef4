/**
 * The published form of a Snapshot, which operator and gateways share: immutable shards, each a JSON list of entries named by its
 * digest, and the manifest that names the shards of one version (DESIGN section 5). Pure.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { err, isObject, ok, type Result } from '../result.ts';
import { canonicalJson, digestOf } from './canonical.ts';
import { type AnyEntry, entryId } from './entries.ts';
import { isReadable, type SchemaVersion } from './version.ts';

/** The entry of the manifest ConfigMap that holds the document. */
export const MANIFEST_KEY = 'manifest.json';
/** The entry of a shard's ConfigMap or Secret that holds the list. */
export const SHARD_KEY = 'shard.json';

/** Names of a shard that are of its digest: 64 bits, in hex. */
const NAME_DIGITS = 16;
/** Rows of a manifest: more would not fit into a ConfigMap of 1 MiB. */
const MAX_SHARDS = 6_000;

/** The ConfigMap that says what a fleet serves. */
export const manifestName = (fleet: string): string => `${fleet}-snapshot`;

/** The ConfigMap, or Secret, of a shard. */
export const shardName = (fleet: string, digest: string): string => `${fleet}-shard-${digest.slice(0, NAME_DIGITS)}`;

const schemaVersion = z.looseObject({ major: z.int().min(0), minor: z.int().min(0) });

const shardRef = z.looseObject({
  /** Of the object; it becomes part of a path. */
  name: z.string().regex(/^[a-z0-9][-a-z0-9.]{0,252}$/),
  /** A Secret, not a ConfigMap. */
  secret: z.boolean(),
  /** SHA-256 of the shard's text, lower-case hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});

const manifestHead = z.looseObject({ version: z.int().min(1), schemaVersion });

export const manifestSchema = manifestHead.extend({
  shards: z.array(shardRef).max(MAX_SHARDS),
  /** When the version was published, in ms since 1970. */
  publishedAt: z.int().min(0).optional(),
  /** Who published it: the identity of the operator's leader. */
  publisher: z.string().optional(),
});

export type Manifest = z.output<typeof manifestSchema>;
export type ShardRef = z.output<typeof shardRef>;

/** The text of a manifest. */
export const renderManifest = (manifest: Manifest): string => canonicalJson(manifest);

/** Why there is no manifest in a text. `UNREADABLE`: it is of a major version that this build does not know. */
export interface ManifestProblem {
  readonly code: 'MALFORMED' | 'UNREADABLE';
  /** The version it stands for, where that much could be read. */
  readonly version: number | undefined;
  readonly message: string;
}

/** Reads a manifest; members that are not known are kept. The version comes first: a newer major may look different. */
export function parseManifest(text: string): Result<Manifest, ManifestProblem> {
  const value = parseJson(text);
  const head = manifestHead.safeParse(value);
  if (!head.success) return err({ code: 'MALFORMED', version: undefined, message: problemOf(head.error) });
  const { version } = head.data;
  if (!isReadable(head.data.schemaVersion)) {
    const { major, minor } = head.data.schemaVersion;
    return err({ code: 'UNREADABLE', version, message: `schemaVersion ${major}.${minor} is not readable` });
  }
  const parsed = manifestSchema.safeParse(value);
  if (parsed.success) return ok(parsed.data);
  return err({ code: 'MALFORMED', version, message: problemOf(parsed.error) });
}

/** The text of a shard. Entries that were read from one come out byte for byte. */
export const renderShard = (entries: readonly AnyEntry[]): string =>
  `[${entries.map((entry) => canonicalJson(entry)).join(',')}]`;

/** SHA-256 of a shard's text, lower-case hex. */
export const shardDigest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Entries of a shard's text, not looked into. The error says what is wrong and quotes nothing. */
export function readShard(text: string, digest: string): Result<readonly AnyEntry[], string> {
  if (shardDigest(text) !== digest) return err('the content is not what its digest says');
  const value = parseJson(text);
  if (!Array.isArray(value) || !value.every(isEntryLike)) return err('the content is no list of entries');
  return ok(value);
}

// Who loads them validates each entry by its kind; here only what finds and compares them is needed.
const isEntryLike = (value: unknown): value is AnyEntry =>
  isObject(value) && typeof value['id'] === 'string' && typeof value['digest'] === 'string';

/** Whether an entry is what it says it is: its digest is that of its body, and its id is of its kind and workspace. Costs a hash. */
export const isIntact = ({ kind, id, workspace, digest, body }: AnyEntry): boolean =>
  isObject(body) && id.startsWith(entryId(kind, workspace, '')) && digestOf(body) === digest;

/** What shards are the Snapshot of a manifest together; entries come in the order of the shards. */
export function assemble(
  manifest: { readonly schemaVersion: SchemaVersion; readonly shards: readonly Pick<ShardRef, 'digest'>[] },
  entriesOf: (digest: string) => readonly AnyEntry[] | undefined,
): Result<{ readonly schemaVersion: SchemaVersion; readonly entries: readonly AnyEntry[] }, readonly string[]> {
  const parts: (readonly AnyEntry[])[] = [];
  const missing: string[] = [];
  for (const { digest } of manifest.shards) {
    const entries = entriesOf(digest);
    if (entries === undefined) missing.push(digest);
    else parts.push(entries);
  }
  if (missing.length > 0) return err(missing);
  return ok({ schemaVersion: manifest.schemaVersion, entries: parts.flat() });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}
