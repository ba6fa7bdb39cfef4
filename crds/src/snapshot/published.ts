/**
 * The published form of a Snapshot, which operator and gateways share: immutable shards, each a JSON list of entries named by its
 * digest, and the manifest that names the shards of one version. Epoch and version order manifests, the digest identifies the
 * content: docs/behaviour/publishing.md. Pure.
 */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { parseJson } from '../lib/parse-json.ts';
import { err, isObject, ok, type Result } from '../lib/result.ts';
import { canonicalJson, digestOf } from './canonical.ts';
import { type AnyEntry, entryId } from './entries.ts';
import { isReadable, type SchemaVersion } from './version.ts';

/** The entry of the manifest ConfigMap with the document. */
export const MANIFEST_KEY = 'manifest.json';
/** The entry of a shard's ConfigMap or Secret with the list. */
export const SHARD_KEY = 'shard.json';

/** Digits of the digest in the name of a shard: 64 bits, in hex. */
const NAME_DIGITS = 16;
/** Rows of a manifest: more would not fit into a ConfigMap of 1 MiB. */
const MAX_SHARDS = 6_000;

/** The name of the ConfigMap with the manifest of a fleet. */
export const manifestName = (fleet: string): string => `${fleet}-snapshot`;

/** The name of the ConfigMap or Secret of a shard. */
export const shardName = (fleet: string, digest: string): string => `${fleet}-shard-${digest.slice(0, NAME_DIGITS)}`;

const schemaVersion = z.looseObject({ major: z.int().min(0), minor: z.int().min(0) });

const shardRef = z.looseObject({
  /** Name of the object; it becomes part of a path. */
  name: z.string().regex(/^[a-z0-9][-a-z0-9.]{0,252}$/),
  /** A Secret, not a ConfigMap. */
  secret: z.boolean(),
  /** SHA-256 of the shard's text, lower-case hex. */
  digest: z.string().regex(/^[0-9a-f]{64}$/),
});

/** Bounds that no installation reaches: a larger number is an error, and no later revision could be published after it. */
const MAX_EPOCH = 2 ** 40;
const MAX_VERSION = 2 ** 48;

const manifestHead = z.looseObject({
  /** A new epoch begins when the version would decrease. Operators without epochs leave it out: 0. */
  epoch: z.int().min(0).max(MAX_EPOCH).optional(),
  version: z.int().min(1).max(MAX_VERSION),
  schemaVersion,
});

export const manifestSchema = manifestHead.extend({
  shards: z.array(shardRef).max(MAX_SHARDS),
  /** See `contentDigest`. Operators without digests leave it out: then it is not compared. */
  digest: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
  /** When the version was published, in ms since 1970. */
  publishedAt: z.int().min(0).optional(),
  /** Who published it: the identity of the operator's leader. */
  publisher: z.string().optional(),
});

export type Manifest = z.output<typeof manifestSchema>;
export type ShardRef = z.output<typeof shardRef>;

/** The text of a manifest. */
export const renderManifest = (manifest: Manifest): string => canonicalJson(manifest);

/** Orders the manifests of a fleet: by epoch, then by version. */
export interface Revision {
  readonly epoch: number;
  readonly version: number;
}

/** Before everything that is published. */
export const NO_REVISION: Revision = { epoch: 0, version: 0 };

export const revisionOf = ({ epoch = 0, version }: { readonly epoch?: number | undefined; readonly version: number }) =>
  ({ epoch, version }) satisfies Revision;

/** Negative when the first comes before the second, 0 when they are the same. */
export const compareRevisions = (a: Revision, b: Revision): number => a.epoch - b.epoch || a.version - b.version;

/** The revision after another one: in the same epoch, or the first of the next epoch when versions are used up. */
export const nextRevision = ({ epoch, version }: Revision): Revision =>
  version < MAX_VERSION ? { epoch, version: version + 1 } : { epoch: epoch + 1, version: 1 };

/** SHA-256 of the content of a manifest, lower-case hex: equal digests mean equal content. */
export function contentDigest({
  schemaVersion: { major, minor },
  shards,
}: {
  readonly schemaVersion: SchemaVersion;
  readonly shards: readonly Pick<ShardRef, 'secret' | 'digest'>[];
}): string {
  const content = { schemaVersion: { major, minor }, shards: shards.map(({ secret, digest }) => ({ secret, digest })) };
  return digestOf(content);
}

/** Why a text is not a usable manifest. `UNREADABLE`: its major version is not supported by this build. */
export interface ManifestProblem {
  readonly code: 'MALFORMED' | 'UNREADABLE';
  /** Undefined where not even epoch and version could be read. */
  readonly revision: Revision | undefined;
  readonly message: string;
}

/** Parses a manifest; unknown members are kept. The schema version is checked first: a newer major may have another form. */
export function parseManifest(text: string): Result<Manifest, ManifestProblem> {
  const value = decodeJson(text);
  const head = manifestHead.safeParse(value);
  if (!head.success) return err({ code: 'MALFORMED', revision: undefined, message: problemOf(head.error) });
  const revision = revisionOf(head.data);
  if (!isReadable(head.data.schemaVersion)) {
    const { major, minor } = head.data.schemaVersion;
    return err({ code: 'UNREADABLE', revision, message: `schemaVersion ${major}.${minor} is not readable` });
  }
  const parsed = manifestSchema.safeParse(value);
  if (!parsed.success) return err({ code: 'MALFORMED', revision, message: problemOf(parsed.error) });
  const { digest } = parsed.data;
  if (digest === undefined || digest === contentDigest(parsed.data)) return ok(parsed.data);
  return err({ code: 'MALFORMED', revision, message: 'digest: does not match the shards' });
}

/** The text of a shard. Entries read from a shard give the same bytes again. */
export const renderShard = (entries: readonly AnyEntry[]): string =>
  `[${entries.map((entry) => canonicalJson(entry)).join(',')}]`;

/** SHA-256 of a shard's text, lower-case hex. */
export const shardDigest = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The entries of a shard's text, not validated. The error quotes no content. */
export function readShard(text: string, digest: string): Result<readonly AnyEntry[], string> {
  if (shardDigest(text) !== digest) return err('the content does not match its digest');
  const value = decodeJson(text);
  if (!Array.isArray(value) || !value.every(isEntryLike)) return err('the content is not a list of entries');
  return ok(value);
}

// Entries are validated by kind when they are loaded; here only id and digest are needed.
const isEntryLike = (value: unknown): value is AnyEntry =>
  isObject(value) && typeof value['id'] === 'string' && typeof value['digest'] === 'string';

/** Whether digest and id of an entry match its body, kind and workspace. Computes a hash. */
export const isIntact = ({ kind, id, workspace, digest, body }: AnyEntry): boolean =>
  isObject(body) && id.startsWith(entryId(kind, workspace, '')) && digestOf(body) === digest;

/** The Snapshot of a manifest, with entries in the order of the shards; the digests of missing shards otherwise. */
export function assembleSnapshot(
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

function decodeJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function problemOf({ issues: [issue] }: z.ZodError): string {
  return `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`;
}
