/** Documents in a folder of this machine. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LogObjects, LogObjectsAway } from '../documents.ts';
import { isObjectKey } from './object-key.ts';

export const createFolderObjects = (folder: string): LogObjects => ({
  get: async (key) => {
    if (!isObjectKey(key)) return undefined;
    try {
      return await readFile(join(folder, key), 'utf8');
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return undefined;
      throw new LogObjectsAway('The folder of documents of logs cannot be read', { cause });
    }
  },
});
