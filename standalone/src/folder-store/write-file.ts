/** Files that are replaced whole: a process that is killed leaves the old content or the new one. */
import { link, mkdir, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

/** Readable by the owner of the process only. */
export const PRIVATE_MODE = 0o600;
const SHARED_MODE = 0o644;

/** Replaces the content of a file, which keeps its mode; a link stays a link. Rejects with the error of the system. */
export async function replaceFile(path: string, text: string): Promise<void> {
  const real = await realpath(path);
  const { mode } = await stat(real);
  const written = await writeBeside(real, text, mode & 0o777);
  await rename(written, real);
  await syncFolder(dirname(real));
}

/** Makes a file with its folders. False: there is one already. Rejects with the error of the system. */
export async function createFile(path: string, text: string, isPrivate: boolean): Promise<boolean> {
  await mkdir(dirname(path), { recursive: true });
  const written = await writeBeside(path, text, isPrivate ? PRIVATE_MODE : SHARED_MODE);
  try {
    await link(written, path); // unlike a rename, it never takes the place of another file
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false; // the file system throws no others
    throw error;
  } finally {
    await rm(written, { force: true });
  }
}

export async function removeFile(path: string): Promise<void> {
  await rm(path);
  await syncFolder(dirname(path));
}

/** Names with a dot are no resources; what a killed process left is overwritten. */
async function writeBeside(path: string, text: string, mode: number): Promise<string> {
  const beside = join(dirname(path), `.${basename(path)}.gatehouse-new`);
  await rm(beside, { force: true });
  const file = await open(beside, 'wx', mode);
  try {
    await file.chmod(mode); // whatever the umask
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  return beside;
}

/** Makes the name of a file durable. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
