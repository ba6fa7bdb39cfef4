/** A cluster that outlives one command: a process keeps it, a folder has its address. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { waitFor } from '../kit/wait-for.ts';
import { startControlPlane } from './control-plane/control-plane.ts';
import { isAlive, ourIdentity } from './identity.ts';
import { startNodes } from './nodes/nodes.ts';
import type { Tier } from './programs.ts';
import { reclaim } from './state-folder.ts';

export interface BringUpOptions {
  readonly tier: Tier;
  readonly nodes: number;
  readonly folder: string;
  readonly onProgress: (line: string) => void;
}

const record = z.object({
  url: z.string(),
  kubeconfigPath: z.string(),
  /** The process that keeps it. */
  keeper: z.object({ pid: z.number(), startedAt: z.string() }),
  state: z.object({ id: z.string(), path: z.string() }),
  nodes: z.array(z.object({ name: z.string(), address: z.string() })),
});
export type ClusterRecord = z.infer<typeof record>;

const RECORD = 'cluster.json';
const START_DEADLINE_MS = 1_800_000; // a cold build is part of it

/** The state file of the folder while its cluster is running. */
export function findCluster(folder: string): ClusterRecord | undefined {
  const found = readRecord(folder);
  return found !== undefined && isAlive(found.keeper) ? found : undefined;
}

/** Starts a cluster that this process keeps until it gets SIGTERM. */
export async function bringUp(options: BringUpOptions): Promise<ClusterRecord & { readonly ended: Promise<void> }> {
  const { tier, nodes, folder, onProgress } = options;
  const signalled = Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')]);
  const controlPlane = await startControlPlane({ forNodes: tier === 2, onProgress });
  try {
    const members = tier === 2 ? (await startNodes(controlPlane, { nodes, onProgress })).nodes : [];
    const running: ClusterRecord = {
      url: controlPlane.url,
      kubeconfigPath: controlPlane.kubeconfigPath,
      keeper: ourIdentity(),
      state: { id: controlPlane.id, path: controlPlane.folder },
      nodes: members.map(({ name, address }) => ({ name, address })),
    };
    await writeRecord(folder, running);
    const ended = signalled.then(async () => {
      await controlPlane[Symbol.asyncDispose]();
      await forget(folder);
    });
    return { ...running, ended };
  } catch (error) {
    await controlPlane[Symbol.asyncDispose]();
    throw error;
  }
}

/** Starts a process that keeps a cluster, and waits until that is up. */
export async function bringUpDetached(
  options: BringUpOptions,
): Promise<ClusterRecord & { readonly ended: Promise<void> }> {
  const { tier, nodes, folder } = options;
  await mkdir(folder, { recursive: true });
  const log = join(folder, 'keeper.log');
  const output = openSync(log, 'w');
  const script = fileURLToPath(new URL('./main.ts', import.meta.url));
  const args = ['up', '--tier', String(tier), '--nodes', String(nodes), '--folder', resolve(folder)];
  const keeper = spawn(process.execPath, ['--conditions=@gatehouse/source', script, ...args], {
    detached: true,
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const running = await waitFor(
    () => {
      if (keeper.exitCode !== null) throw new Error(`The cluster did not start: ${readFileSync(log, 'utf8')}`);
      return findCluster(folder);
    },
    { deadlineMs: START_DEADLINE_MS, what: 'the cluster up' },
  );
  keeper.unref();
  return { ...running, ended: Promise.resolve() };
}

/** Ends the cluster of the folder; when its keeper process has died, removes what that left. */
export async function bringDown(folder: string): Promise<void> {
  const found = readRecord(folder);
  if (found === undefined) return;
  if (isAlive(found.keeper)) {
    process.kill(found.keeper.pid, 'SIGTERM');
    await waitFor(() => !isAlive(found.keeper), { what: 'the cluster down' });
  }
  await reclaim(found.state);
  await forget(folder);
}

function readRecord(folder: string): ClusterRecord | undefined {
  try {
    return record.parse(JSON.parse(readFileSync(join(folder, RECORD), 'utf8')));
  } catch {
    return undefined;
  }
}

async function writeRecord(folder: string, running: ClusterRecord): Promise<void> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, RECORD);
  await writeFile(`${path}.new`, JSON.stringify(running, undefined, 2));
  await rename(`${path}.new`, path);
}

const forget = (folder: string): Promise<void> => rm(join(folder, RECORD), { force: true });
