/** The copy of the Snapshot that kubelet mounts: read at the start and whenever kubelet has swapped its files. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { err, type Result } from '@gatehouse/crds';
import { MOUNTED_COPY_KEY, readMountedCopy, type SnapshotFrame } from '@gatehouse/crds/snapshot';

export interface Mounted {
  /** The copy as it is now; undefined when it is as it was at the last call. The error says why there is none. */
  read(): Promise<Result<SnapshotFrame, string> | undefined>;
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
      if (files === undefined) return err('there is no mounted copy');
      const copy = readMountedCopy({ config: files[0], secret: files[1] });
      return copy.ok ? copy : err(copy.error.message);
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
