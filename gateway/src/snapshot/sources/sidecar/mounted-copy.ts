/** Reads the copy of the Snapshot that kubelet mounts, at the start and whenever kubelet has swapped its files. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '@gatehouse/crds';
import { MOUNTED_COPY_KEY, readMountedCopy, type SnapshotFrame } from '@gatehouse/crds/snapshot';

/** Why there is no copy: its files are missing or do not belong together. */
export interface MissingCopy {
  readonly code: 'GONE' | 'MALFORMED' | 'MIXED';
  readonly message: string;
}

export interface MountedCopy {
  readonly frame: SnapshotFrame;
  /** Time since kubelet wrote it: at the start of the pod, or when the copy changed. */
  readonly ageMs: number;
}

export interface MountReader {
  /** The current copy; undefined when it has not changed since the last call. */
  read(): Promise<Result<MountedCopy, MissingCopy> | undefined>;
}

/** `folder` has the mounts `config` and `secret`; each may be empty, since they are optional. */
export function createMountReader(folder: string): MountReader {
  const config = join(folder, 'config', MOUNTED_COPY_KEY);
  const secret = join(folder, 'secret', MOUNTED_COPY_KEY);
  let before: string | undefined;
  return {
    read: async () => {
      const states = await Promise.all([stateOf(config), stateOf(secret)]);
      const now = states.map(({ identity }) => identity).join(' ');
      if (now === before) return undefined;
      before = now;
      const ageMs = Math.max(0, Date.now() - Math.max(...states.map(({ mtimeMs }) => mtimeMs)));
      const files = await Promise.all([readFile(config), readFile(secret)]).catch(() => undefined);
      if (files === undefined) return err({ code: 'GONE', message: 'there is no mounted copy' });
      const read = readMountedCopy({ config: files[0], secret: files[1] });
      return read.ok ? ok({ frame: read.value, ageMs }) : read;
    },
  };
}

/** Kubelet swaps a symbolic link above the files, so a changed file has another inode. */
async function stateOf(path: string): Promise<{ readonly identity: string; readonly mtimeMs: number }> {
  try {
    const { dev, ino, mtimeMs, size } = await stat(path);
    return { identity: `${dev}:${ino}:${mtimeMs}:${size}`, mtimeMs };
  } catch {
    return { identity: 'none', mtimeMs: 0 };
  }
}
