import { readdir, readlink, stat } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { TarEntry } from './tar.ts';

/** Files of an image by absolute path: text, bytes, or a file of this machine. */
export type ImageFiles = Readonly<Record<string, ImageFile>>;
export type ImageFile =
  | string
  | Buffer
  | { readonly content: string | Buffer; readonly mode: number }
  | { readonly source: string; readonly mode?: number };

const FILE_MODE = 0o644;
const FOLDER_MODE = 0o755;

/** Archive entries of the files and their folders. */
export function entriesOf(files: ImageFiles): TarEntry[] {
  return withFolders(Object.entries(files).map(([path, file]) => toEntry(path.replace(/^\/+/, ''), file)));
}

function toEntry(path: string, file: ImageFile): TarEntry {
  if (typeof file === 'string' || Buffer.isBuffer(file)) return toEntry(path, { content: file, mode: FILE_MODE });
  if ('source' in file) return { path, type: 'copy', mode: file.mode ?? FILE_MODE, source: file.source };
  return { path, type: 'file', mode: file.mode, content: Buffer.from(file.content) };
}

/** Adds the folders that no entry makes. */
export function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const all = new Map(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) {
      if (!all.has(folder)) all.set(folder, { path: folder, type: 'folder', mode: FOLDER_MODE });
    }
  }
  return [...all.values()];
}

/** Archive entries of a folder of this machine, links kept as links. */
export async function entriesOfFolder(folder: string): Promise<TarEntry[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return Promise.all(
    found.map(async (entry): Promise<TarEntry> => {
      const source = join(entry.parentPath, entry.name);
      const path = source.slice(folder.length).replace(/^\/+/, '');
      if (entry.isSymbolicLink()) return { path, type: 'link', target: await readlink(source) };
      const mode = (await stat(source)).mode & 0o7777;
      return entry.isDirectory() ? { path, type: 'folder', mode } : { path, type: 'copy', mode, source };
    }),
  );
}
