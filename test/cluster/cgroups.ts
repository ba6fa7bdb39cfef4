import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitFor } from '../kit/wait-for.ts';

/** The mount points of every cgroup hierarchy: one per v1 controller, or the only one of v2, or both. */
export function cgroupRoots(): string[] {
  if (process.platform !== 'linux') return [];
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').trim().split('\n');
  return mounts.flatMap((mount) => {
    const [before = '', after = ''] = mount.split(' - ');
    const root = before.split(' ')[4]; // proc_pid_mountinfo(5): the mount point
    return root !== undefined && /^cgroup2? /.test(after) ? [root] : [];
  });
}

/** Makes `path` in every hierarchy, with all controllers there are. */
export function createCgroup(path: string): void {
  for (const root of cgroupRoots()) {
    mkdirSync(join(root, path), { recursive: true });
    handDown(dirname(join(root, path)));
  }
}

/** cgroup v2 gives a group only the controllers that the one above hands down. */
function handDown(folder: string): void {
  const controllers = join(folder, 'cgroup.controllers');
  if (!existsSync(controllers)) return;
  const names = readFileSync(controllers, 'utf8').trim().split(' ');
  const wanted = names.filter((name) => name !== '').map((name) => `+${name}`);
  if (wanted.length > 0) writeFileSync(join(folder, 'cgroup.subtree_control'), wanted.join(' '));
}

/** The folders of `path` in all hierarchies. */
export const cgroupFolders = (path: string): string[] =>
  cgroupRoots()
    .map((root) => join(root, path))
    .filter((folder) => existsSync(folder));

/** Removes `path` and what is below it; its processes have ended or are ending. */
export async function removeCgroup(path: string): Promise<void> {
  for (const folder of cgroupFolders(path)) {
    await waitFor(() => removeTree(folder), { what: `cgroup ${folder} removed` });
  }
}

/** The kernel refuses a group whose last process has not been reaped yet. */
function removeTree(folder: string): boolean {
  try {
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      if (entry.isDirectory()) removeTree(join(folder, entry.name));
    }
    rmdirSync(folder);
  } catch {
    // busy, or gone meanwhile
  }
  return !existsSync(folder);
}
