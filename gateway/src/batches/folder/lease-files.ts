/** The files of a batch that say who works on it and how far it is. */
import { join } from 'node:path';
import { namesIn } from './files.ts';

export const leaseName = (number: number): string => `lease-${number}`;

/** The number of the lease that counts; 0: there was none. */
export async function lastLease(folder: string): Promise<number> {
  const numbers = (await namesIn(folder)).map((name) => Number(/^lease-(\d+)$/.exec(name)?.[1] ?? 0));
  return Math.max(0, ...numbers);
}

export const progressAt = (folder: string): string => join(folder, 'progress.json');
