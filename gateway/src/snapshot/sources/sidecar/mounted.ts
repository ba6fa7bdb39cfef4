/** The copy of the Snapshot that kubelet mounts: read at the start and whenever kubelet has swapped its files. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { err, type Result } from '@gatehouse/crds';
import { MOUNTED_COPY_KEY, readMountedCopy, type SnapshotFrame } from '@gatehouse/crds/snapshot';

/** Why there is no copy: its files are not there, or cannot be put together. */
export interface NoCopy {
  readonly code: 'GONE' | 'MALFORMED' | 'MIXED';
  readonly message: string;
}

export interface Mounted {
  /** The copy as it is now; undefined when it is as it was at the last call. */
  read(): Promise<Result<SnapshotFrame, NoCopy> | undefined>;
}

/** `folder` has the mounts `config` and `secret`; each may be empty, since they are optional. */
export function createMounted(folder: string): Mounted {
  const config = join(folder, 'config', MOUNTED_COPY_KEY);
  const secret = join(folder, 'secret', MOUNTED_COPY_KEY);
  let before: string | undefined;
  return {
    read: async () => {
      const now = `${await identityOf(config)} ${await identityOf(secret)}`;
      if (now === before) return undefined;
      before = now;
      const files = await Promise.all([readFile(config), readFile(secret)]).catch(() => undefined);
      if (files === undefined) return err({ code: 'GONE', message: 'there is no mounted copy' });
      return readMountedCopy({ config: files[0], secret: files[1] });
    },
  };
}

/** Kubelet swaps a link above the files, so that a changed file is another one. */
async function identityOf(path: string): Promise<string> {
  try {
    const { dev, ino, mtimeMs, size } = await stat(path);
    return `${dev}:${ino}:${mtimeMs}:${size}`;
  } catch {
    return 'none';
  }
}
