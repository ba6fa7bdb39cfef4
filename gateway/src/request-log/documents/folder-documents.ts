/** Documents of the request log as files of a folder, for processes of one machine. */
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createObjectFolder, hasCode } from '../../object-storage/index.ts';
import type { DocumentStore } from './document-store.ts';

/** The folder appears with the first document. */
export function createFolderDocuments(folder: string): DocumentStore {
  const objects = createObjectFolder(folder);
  return {
    name: 'folder',
    put: async (key, bytes, { signal }) => void (await objects.put(key, oneOf(bytes), { signal })),
    isRefusal: () => false,
    dropBefore: (ms) => dropFiles(folder, ms),
    close: objects.close,
  };
}

async function* oneOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

/** Another process may remove the same files. */
async function dropFiles(folder: string, beforeMs: number): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(orNothing<never[]>([]));
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) await dropFiles(path, beforeMs);
    else if (entry.isFile() && (await isOlder(path, beforeMs))) await rm(path, { force: true });
  }
}

const isOlder = async (path: string, ms: number): Promise<boolean> => {
  const found = await stat(path).catch(orNothing(undefined));
  return found !== undefined && found.mtimeMs < ms;
};

/** For what is not there. */
const orNothing =
  <T>(nothing: T) =>
  (error: unknown): T => {
    if (hasCode(error, 'ENOENT')) return nothing;
    throw error;
  };
