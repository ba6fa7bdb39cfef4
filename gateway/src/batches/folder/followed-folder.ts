/**
 * Batches at providers that are followed, each a folder with its name and that of its workspace, those that have ended, and which rows of
 * outputs were counted.
 * A lease is a file with a number, and the highest number counts: it is over so long after the time of the file.
 */
import { hash } from 'node:crypto';
import { rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { type ClaimOptions, LeaseLost } from '../claims.ts';
import { type FollowedBatch, type FollowedLease, type FollowedStore, followedBatch } from '../followed-store.ts';
import { type EndedBatches, endedIn } from './ended-folder.ts';
import { createRecord, namesIn, readRecord } from './files.ts';
import { createTimedFile, isOver, lastLease, leaseName } from './lease-files.ts';

const countedRows = z.object({ rows: z.int().min(0), owner: z.string() });

/** The id, and the workspace: names of workspaces may be longer than names of files. */
const NAME = /^([0-9a-f]{64})-([0-9a-f]{32})$/;
/** What has no content after so long is what a killed process left behind, in ms. */
const ABANDONED_MS = 3_600_000;
const OUTPUT = /^[0-9a-f]{64}$/;
const COUNT = /^(\d{1,9})\.json$/;

export function followedIn(folder: string): FollowedStore {
  const ended = endedIn(join(folder, 'ended'));
  const { removeCountedBefore, ...counts } = countsIn(join(folder, 'counted'));
  return {
    ...batchesIn(join(folder, 'followed'), ended),
    ...counts,
    forgetBefore: async (timeMs, limit) => {
      await removeCountedBefore(timeMs, limit);
      await ended.removeBefore(timeMs, limit);
    },
  };
}

function batchesIn(folder: string, ended: EndedBatches): Pick<FollowedStore, 'follow' | 'follows' | 'claimFollowed'> {
  const all = async () =>
    (await namesIn(folder)).flatMap((name) => {
      const [, id, workspace] = NAME.exec(name) ?? [];
      return id === undefined || workspace === undefined ? [] : [{ name, id, workspace }];
    });
  return {
    follow: async (batch, maxOfWorkspace) => {
      const owner = nameOf(batch.workspace);
      const known = (await all()).filter(({ workspace }) => workspace === owner);
      if (known.length >= maxOfWorkspace) return false;
      const name = `${batch.id}-${owner}`;
      if (!NAME.test(name)) throw new Error('The name cannot be that of a file');
      if (await ended.has(batch.id)) return true;
      await createRecord(join(folder, name, 'order.json'), batch);
      return true;
    },
    follows: async (id) => (await all()).some((batch) => batch.id === id),
    claimFollowed: async (options) => {
      const busy = new Set([...(options.except ?? [])].map(nameOf));
      for (const { name, workspace } of await all()) {
        if (busy.has(workspace)) continue;
        const lease = await claim({ folder, name, ended }, options);
        if (lease !== undefined) return lease;
      }
      return undefined;
    },
  };
}

const nameOf = (workspace: string): string => hash('sha256', workspace).slice(0, 32);

interface Place {
  /** Of all batches. */
  readonly folder: string;
  readonly name: string;
  readonly ended: EndedBatches;
}

async function claim(place: Place, { nowMs, leaseMs }: ClaimOptions): Promise<FollowedLease | undefined> {
  const folder = join(place.folder, place.name);
  const last = await lastLease(folder);
  if (last > 0 && !(await isOver(join(folder, leaseName(last)), nowMs - leaseMs))) return undefined;
  const followed = await readRecord(join(folder, 'order.json'), followedBatch);
  if (followed === undefined) {
    if (await isOver(folder, nowMs - ABANDONED_MS)) await rm(folder, { recursive: true, force: true });
    return undefined;
  }
  // Its end was cut off, or came while it was followed anew.
  if (await place.ended.has(followed.id)) {
    await removeBatch(folder);
    return undefined;
  }
  const number = last + 1;
  if (!(await createTimedFile(join(folder, leaseName(number)), nowMs))) return undefined;
  if (last > 0) await rm(join(folder, leaseName(last)), { force: true });
  return leaseOf(place, { followed, number, leaseMs });
}

interface Held {
  readonly followed: FollowedBatch;
  readonly number: number;
  readonly leaseMs: number;
}

async function removeBatch(folder: string): Promise<void> {
  await rm(join(folder, 'order.json'), { force: true });
  await rm(folder, { recursive: true, force: true });
}

function leaseOf(place: Place, { followed, number, leaseMs }: Held): FollowedLease {
  const folder = join(place.folder, place.name);
  const check = async (): Promise<void> => {
    if ((await lastLease(folder)) !== number) throw new LeaseLost('Another process follows the batch');
  };
  const touch = async (ms: number): Promise<void> => {
    await check();
    await utimes(join(folder, leaseName(number)), ms / 1_000, ms / 1_000);
  };
  return {
    followed,
    number,
    renew: touch,
    later: (atMs) => touch(atMs - leaseMs),
    end: async (nowMs, maxOfWorkspace) => {
      await check();
      await place.ended.add({ id: followed.id, workspace: nameOf(followed.workspace) }, nowMs, maxOfWorkspace);
      await removeBatch(folder);
    },
  };
}

/** Of an output, a file for each claim, which is named by the rows before it. */
function countsIn(
  folder: string,
): Pick<FollowedStore, 'countedRows' | 'countRows'> & { removeCountedBefore: FollowedStore['forgetBefore'] } {
  const folderOf = (output: string): string => {
    if (OUTPUT.test(output)) return join(folder, output);
    throw new Error('The name cannot be that of a file');
  };
  const claimsOf = async (output: string) =>
    (await namesIn(folderOf(output)))
      .flatMap((name) => COUNT.exec(name)?.[1] ?? [])
      .map(Number)
      .toSorted((a, b) => b - a);
  return {
    countedRows: async (output, owner) => {
      for (const before of await claimsOf(output)) {
        const claimed = await readRecord(join(folderOf(output), `${before}.json`), countedRows);
        if (claimed !== undefined && claimed.owner !== owner) return claimed.rows;
      }
      return 0;
    },
    countRows: async (output, { before, rows, owner }) => {
      const path = join(folderOf(output), `${before}.json`);
      if (await createRecord(path, { rows, owner })) return true;
      const known = await readRecord(path, countedRows);
      return known?.owner === owner && known.rows === rows;
    },
    removeCountedBefore: async (timeMs, limit) => {
      let removed = 0;
      for (const output of (await namesIn(folder)).filter((name) => OUTPUT.test(name))) {
        const [last] = await claimsOf(output);
        const path = last === undefined ? join(folder, output) : join(folder, output, `${last}.json`);
        if (!(await isOver(path, timeMs))) continue;
        await rm(join(folder, output), { recursive: true, force: true });
        removed += 1;
        if (removed >= limit) return;
      }
    },
  };
}
