/** Installs the engine as its lock file says into the cache folder of the tests. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, capture, run, withLock } from '../../scripts/machine/index.ts';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const COMPLETE = '.complete';

function folderOfEngine(): string {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  return join(cacheFolder(), 'clickhouse', digest);
}

/** The Python that has the engine. */
export const pythonOfEngine = (): string => join(folderOfEngine(), 'venv/bin/python');

const isInstalled = (): boolean => existsSync(join(folderOfEngine(), COMPLETE));

/** Errors: the last lines of pip. */
export async function installEngine(): Promise<void> {
  await withLock('clickhouse', async () => {
    if (isInstalled()) return;
    const folder = await makeEnvironment();
    await run([...pip(), 'install', '--quiet', '--no-deps', '-r', REQUIREMENTS]);
    await writeFile(join(folder, COMPLETE), '');
  });
}

/** Whether tests can have the engine: it is installed, or a registry answers. */
export async function canInstall(): Promise<boolean> {
  return withLock('clickhouse', async () => {
    if (isInstalled()) return true;
    await makeEnvironment();
    const { code } = await capture([...pip(), 'index', 'versions', 'chdb-core']);
    return code === 0;
  });
}

const pip = (): string[] => [pythonOfEngine(), '-m', 'pip', '--disable-pip-version-check'];

async function makeEnvironment(): Promise<string> {
  const folder = folderOfEngine();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run(['python3', '-m', 'venv', join(folder, 'venv')]);
  return folder;
}
