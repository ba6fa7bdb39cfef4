/** The files of a batch that say who works on it and how far it is. */
import { randomUUID } from 'node:crypto';
import { link, open, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode } from '../../object-storage/index.ts';
import { namesIn } from './files.ts';

export const leaseName = (number: number): string => `lease-${number}`;

/** The number of the lease that counts; 0: there was none. */
export async function lastLease(folder: string): Promise<number> {
  const numbers = (await namesIn(folder)).map((name) => Number(/^lease-(\d+)$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

export const progressAt = (folder: string): string => join(folder, 'progress.json');

/** Nobody has touched it since, or it is gone. */
export async function isOver(path: string, touchedBeforeMs: number): Promise<boolean> {
  const found = await stat(path).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  });
  return found === undefined || found.mtimeMs < touchedBeforeMs;
}

/** Only one process creates a file, and nobody sees it with another time. False: it is there, or its folder is gone. */
export async function createTimedFile(path: string, nowMs: number): Promise<boolean> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await (await open(draft, 'wx', 0o600)).close();
    await utimes(draft, nowMs / 1_000, nowMs / 1_000);
    await link(draft, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST') || hasCode(error, 'ENOENT')) return false;
    throw error;
  } finally {
    await rm(draft, { force: true });
  }
}
