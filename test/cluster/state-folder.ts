import { randomBytes } from 'node:crypto';
import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeCgroup } from './cgroups.ts';
import { identityOf, isAlive, ourIdentity, type ProcessIdentity } from './identity.ts';

const PREFIX = 'gatehouse-cluster-';
const OWNER = 'owner.json';
const PROCESSES = 'processes.jsonl';

/** The folder of one cluster: everything it writes, and the record of what it started. */
export interface StateFolder {
  /** Random and unique on this machine; part of the name of whatever the cluster makes elsewhere. */
  readonly id: string;
  readonly path: string;
}

/** A folder of this process. The folders of processes that have ended are removed first. */
export async function createStateFolder(): Promise<StateFolder> {
  await reclaimAbandoned();
  const id = randomBytes(4).toString('hex');
  const path = join(tmpdir(), `${PREFIX}${id}`);
  const nascent = `${path}.new`;
  await mkdir(nascent, { mode: 0o755 });
  await writeFile(join(nascent, OWNER), JSON.stringify(ourIdentity()));
  await rename(nascent, path); // a folder without an owner is never visible
  return { id, path };
}

/** Records a process, so that it can be ended after the death of its owner. */
export function recordProcess(folder: string, pid: number): void {
  const identity = identityOf(pid);
  if (identity !== undefined) appendFileSync(join(folder, PROCESSES), `${JSON.stringify(identity)}\n`);
}

/** Ends what is left of a cluster: its recorded processes, its cgroups, its folder. */
export async function reclaim({ id, path }: StateFolder): Promise<void> {
  for (const identity of recordedProcesses(path)) if (isAlive(identity)) process.kill(identity.pid, 'SIGKILL');
  await removeCgroup(cgroupName(id));
  await rm(path, { recursive: true, force: true, maxRetries: 10 });
}

/** The name of the cluster's own branch in each cgroup hierarchy. */
export const cgroupName = (id: string): string => `gatehouse-test-${id}`;

async function reclaimAbandoned(): Promise<void> {
  for (const name of await readdir(tmpdir())) {
    const id = new RegExp(`^${PREFIX}([0-9a-f]{8})$`).exec(name)?.[1];
    if (id === undefined) continue;
    const folder = { id, path: join(tmpdir(), name) };
    if (!isOurs(folder.path)) continue;
    const [owner] = readIdentities(join(folder.path, OWNER));
    if (owner !== undefined && !isAlive(owner)) await reclaim(folder);
  }
}

/** Another user's clusters are not ours to judge. */
const isOurs = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.uid === process.getuid?.();

/** What was started for a cluster, whether it still runs or not. */
export const recordedProcesses = (path: string): ProcessIdentity[] => readIdentities(join(path, PROCESSES));

/** One per line; none when there is no such file, or no longer. */
function readIdentities(path: string): ProcessIdentity[] {
  try {
    const lines = readFileSync(path, 'utf8').split('\n');
    return lines.filter((line) => line !== '').map((line) => JSON.parse(line)); // our own files
  } catch {
    return [];
  }
}
