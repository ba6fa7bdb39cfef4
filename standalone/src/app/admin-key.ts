/** The key of the organisation's administrator: from the environment, or generated on the first start and stored as a hash. */
import { createHash, randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { err, isObject, ok, parseJson, type Result } from '@gatehouse/crds';
import { type AnyEntry, digestOf, entryId, type Snapshot, type SnapshotEntry } from '@gatehouse/crds/snapshot';

export interface AdminKey {
  /** Lower-case hex. */
  readonly sha256: string;
  /** The key itself on the start that generated it; it is not stored. */
  readonly fresh: string | undefined;
}

/** 256 random bits. */
const KEY_BYTES = 32;
/** Shorter keys can be guessed. */
const MIN_KEY_CHARS = 32;
const FILE = 'admin-key.json';
const SHA256 = /^[0-9a-f]{64}$/;

const sha256Of = (key: string): string => createHash('sha256').update(key).digest('hex');

/**
 * The key of this start; `given` is the value of GATEHOUSE_ADMIN_KEY. A generated one still has to be stored. Errors: a text about
 * the key or the data folder.
 */
export async function loadAdminKey(folder: string, given: string | undefined): Promise<Result<AdminKey, string>> {
  const key = given?.trim();
  if (key !== undefined && key !== '') {
    if (key.length >= MIN_KEY_CHARS) return ok({ sha256: sha256Of(key), fresh: undefined });
    return err(
      `GATEHOUSE_ADMIN_KEY has fewer than ${MIN_KEY_CHARS} characters; generate one with openssl rand -hex 32`,
    );
  }
  const file = join(folder, FILE);
  const stored = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => error);
  if (typeof stored === 'string') return parseStored(stored, file);
  if (stored.code !== 'ENOENT') return err(`${file} cannot be read (${stored.code})`);
  const fresh = `gwk_${randomBytes(KEY_BYTES).toString('base64url')}`;
  return ok({ sha256: sha256Of(fresh), fresh });
}

/** Stores the hash of a new key, readable by the owner of the process only. */
export async function storeAdminKey(folder: string, { sha256 }: AdminKey): Promise<Result<undefined, string>> {
  const file = join(folder, FILE);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await writeFile(file, `${JSON.stringify({ sha256 })}\n`, { mode: 0o600, flag: 'wx' });
    return ok(undefined);
  } catch (error) {
    return err(unwritable(file, error));
  }
}

/** Whether a key could be stored; tries it with a folder of another name. Errors: a text about the data folder. */
export async function canStoreAdminKey(folder: string): Promise<Result<undefined, string>> {
  try {
    await rmdir(await mkdtemp(join(await nearestFolder(resolve(folder)), '.gatehouse-')));
    return ok(undefined);
  } catch (error) {
    return err(unwritable(folder, error));
  }
}

/** The path itself, or the part of it that exists: the rest can be made there. */
async function nearestFolder(path: string): Promise<string> {
  try {
    await stat(path);
    return path;
  } catch (error) {
    const above = dirname(path);
    if (codeOf(error) === 'ENOENT' && above !== path) return nearestFolder(above);
    throw error;
  }
}

const unwritable = (path: string, error: unknown): string =>
  `${path} cannot be written (${codeOf(error)}); set GATEHOUSE_ADMIN_KEY, or --data to a folder that can be written`;

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code; // the file system throws no others

function parseStored(text: string, file: string): Result<AdminKey, string> {
  try {
    const stored: unknown = parseJson(text);
    const sha256 = isObject(stored) ? stored['sha256'] : undefined;
    if (typeof sha256 === 'string' && SHA256.test(sha256)) return ok({ sha256, fresh: undefined });
  } catch {
    // reported below
  }
  return err(`${file} is damaged; remove it and the next start generates a new admin key`);
}

/** Adds the admin key to a Snapshot; its id has a colon, which no ApiKey can have. */
export function withAdminKey(snapshot: Snapshot, sha256: string): Snapshot {
  const body: SnapshotEntry<'key'>['body'] = {
    name: 'admin',
    sha256: [sha256],
    scopes: ['*'],
    defaults: { allowConfigOverride: true },
    rateLimits: [],
  };
  const id = entryId('key', null, 'standalone:admin');
  const entry: AnyEntry = { kind: 'key', id, workspace: null, generation: 1, digest: digestOf(body), body };
  const index = snapshot.entries.findIndex((other) => other.id > id);
  return { ...snapshot, entries: snapshot.entries.toSpliced(index < 0 ? snapshot.entries.length : index, 0, entry) };
}
