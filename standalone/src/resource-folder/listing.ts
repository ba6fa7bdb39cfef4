/** Lists the resource files of a folder, with a signature that changes with the file. */
import type { Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';

/** A file without its content. */
export interface FileStamp {
  /** Changes when the file has to be read again. */
  readonly signature: string;
  readonly bytes: number;
}

export interface Listing {
  /** By path, sorted. */
  readonly files: ReadonlyMap<string, FileStamp>;
  /** Every folder that was read. */
  readonly folders: readonly string[];
  /** Paths that could not be read, with the error code of the system. */
  readonly unreadable: ReadonlyMap<string, string>;
}

/** Bounds the cost of a mistake such as `--resources /`. */
const MAX_FILES = 10_000;
const MAX_FOLDERS = 1_000;
const RESOURCE_FILE = /\.(?:ya?ml|json)$/i;

interface Walk {
  readonly files: Map<string, FileStamp>;
  readonly folders: string[];
  readonly unreadable: Map<string, string>;
  /** Real paths of the visited folders, against links that form a cycle. */
  readonly seen: Set<string>;
}

/**
 * Lists the resource files of folders, and files that are named directly whatever their extension. Names that begin with a dot are
 * skipped: editors keep copies there, and Kubernetes the versions of a mounted ConfigMap, to which the visible files are
 * links. Links are followed.
 */
export async function listFiles(roots: readonly string[]): Promise<Listing> {
  const walk: Walk = { files: new Map(), folders: [], unreadable: new Map(), seen: new Set() };
  for (const root of roots) await visit(root, walk, { named: true });
  return { ...walk, files: new Map([...walk.files].sort(([a], [b]) => (a < b ? -1 : 1))) };
}

async function visit(path: string, walk: Walk, { named }: { readonly named: boolean }): Promise<void> {
  const found = await stat(path).catch((error: unknown) => codeOf(error));
  if (typeof found === 'string') {
    // A file that has just been removed, or a broken link, is not a problem.
    if (named || found !== 'ENOENT') walk.unreadable.set(path, found);
  } else if (found.isDirectory()) await visitFolder(path, walk);
  else if (found.isFile() && (named || RESOURCE_FILE.test(path)) && walk.files.size < MAX_FILES) {
    walk.files.set(path, fileStampOf(found));
  }
}

async function visitFolder(path: string, walk: Walk): Promise<void> {
  const names = await readNames(path, walk);
  for (const name of names) {
    if (!name.startsWith('.') && name !== 'node_modules') await visit(join(path, name), walk, { named: false });
  }
}

async function readNames(path: string, walk: Walk): Promise<readonly string[]> {
  try {
    const real = await realpath(path);
    if (walk.seen.has(real) || walk.seen.size >= MAX_FOLDERS) return [];
    walk.seen.add(real);
    const names = await readdir(path);
    walk.folders.push(path);
    return names.sort();
  } catch (error) {
    walk.unreadable.set(path, codeOf(error));
    return [];
  }
}

/** The signature of a file as it is now; undefined: it is not there. */
export async function signatureOf(path: string): Promise<string | undefined> {
  const found = await stat(path).catch((error: unknown) => codeOf(error));
  return typeof found === 'string' ? undefined : fileStampOf(found).signature;
}

/** When the file of a signature was written, in Unix time. */
export const writtenAtMs = (signature: string): number => Math.floor(Number(signature.split(':')[2]));

/** A file replaced by one of the same size and time still has another inode number. */
const fileStampOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): FileStamp => ({
  signature: [ino, size, mtimeMs, ctimeMs].join(':'),
  bytes: size,
});

/** The error code of the system, e.g. EACCES. */
export function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'EIO';
}
