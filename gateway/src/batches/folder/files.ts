/** Small files that are written whole, so that a reader finds the old content or the new one. */
import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { parseJson } from '@gatehouse/crds';
import type { z } from 'zod';
import { hasCode, syncFolder } from '../../object-storage/index.ts';

/** Undefined: there is none, or it is not what it should be. */
export async function readRecord<T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> {
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return schema.safeParse(parseJson(text)).data;
  } catch {
    return undefined;
  }
}

export async function writeRecord(path: string, value: object): Promise<void> {
  const draft = await writeDraft(path, value);
  await rename(draft, path);
  await syncFolder(dirname(path));
}

/** False: there is one already. */
export async function createRecord(path: string, value: object): Promise<boolean> {
  const draft = await writeDraft(path, value);
  try {
    await link(draft, path);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

async function writeDraft(path: string, value: object): Promise<string> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomUUID()}`;
  const file = await open(draft, 'wx', 0o600);
  try {
    await file.writeFile(`${JSON.stringify(value)}\n`);
    await file.sync();
  } finally {
    await file.close();
  }
  return draft;
}

/** Names in a folder; none where there is no folder. */
export async function namesIn(path: string): Promise<readonly string[]> {
  return await readdir(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT') || hasCode(error, 'ENOTDIR')) return [];
    throw error;
  });
}
