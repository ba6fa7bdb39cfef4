/** Installs the clients as their lock files say into the cache folder of the tests, once per lock file. */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, capture, run, withLock } from '../../scripts/machine/index.ts';
import { COLLECTIONS, type Collection, isPython, lockOf, lockPathOf, versionOf } from './versions.ts';

const SOURCE = fileURLToPath(new URL('.', import.meta.url));
const COMPLETE = '.complete';

/** Where a collection is installed: `node_modules`, or `venv` for Python. */
export function folderOf(collection: Collection): string {
  const digest = createHash('sha256').update(lockOf(collection)).digest('hex').slice(0, 12);
  return join(cacheFolder(), 'clients', `${collection}-${digest}`);
}

/** The Python that sees the clients of a collection. */
export const pythonOf = (collection: Collection): string => join(folderOf(collection), 'venv/bin/python');

export function isInstalled(collection: Collection): boolean {
  return existsSync(join(folderOf(collection), COMPLETE));
}

/** Installs what is missing. Errors: the last lines of npm or pip. */
export async function installClients(onProgress: (line: string) => void = () => {}): Promise<void> {
  for (const collection of COLLECTIONS) {
    await withLock(`clients-${collection}`, async () => {
      if (isInstalled(collection)) return;
      onProgress(`installing the clients of ${collection}`);
      const folder = folderOf(collection);
      await rm(folder, { recursive: true, force: true });
      await mkdir(folder, { recursive: true });
      await (isPython(collection) ? installPython : installNpm)(collection, folder);
      await writeFile(join(folder, COMPLETE), '');
    });
  }
}

async function installNpm(collection: Collection, folder: string): Promise<void> {
  for (const name of ['package.json', 'package-lock.json']) {
    await copyFile(join(SOURCE, collection, name), join(folder, name));
  }
  await run(['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder });
}

async function installPython(collection: Collection, folder: string): Promise<void> {
  await run(['python3', '-m', 'venv', join(folder, 'venv')]);
  const pip = [pythonOf(collection), '-m', 'pip', '--disable-pip-version-check'];
  // The file names everything: nothing is resolved anew.
  await run([...pip, 'install', '--quiet', '--no-deps', '-r', join(SOURCE, lockPathOf(collection))]);
}

/** Whether the lane can run: everything is installed, or a registry answers. */
export async function canInstall(): Promise<boolean> {
  if (COLLECTIONS.every(isInstalled)) return true;
  const { code } = await capture(['npm', 'view', `openai@${versionOf('javascript', 'openai')}`, 'version']);
  return code === 0;
}
