/** Installs a PostgreSQL that has pgvector, as its lock file says, into the cache folder of the tests. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, run, withLock } from '../../scripts/machine/index.ts';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const COMPLETE = '.complete';
/** The wheel of the lock file: only its programs are used, so it need not fit the Python of this machine. */
const WHEEL = ['--only-binary=:all:', '--platform=manylinux2014_x86_64', '--python-version=3.11'];

/** Whether the wheel is for this machine. */
export const isOffered = process.platform === 'linux' && process.arch === 'x64';

const folderOfServer = (): string => {
  const digest = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  return join(cacheFolder(), 'pgvector', digest);
};

const packages = (): string => join(folderOfServer(), 'packages');
const isInstalled = (): boolean => existsSync(join(folderOfServer(), COMPLETE));

/** The folder with the server and the libraries beside it. Errors: the last lines of pip. */
export function installPgvector(): Promise<string> {
  return withLock('pgvector', async () => {
    if (isInstalled()) return packages();
    await makeEnvironment();
    const from = ['--no-deps', '--require-hashes', '-r', REQUIREMENTS];
    await run([...pip(), 'install', '--quiet', ...WHEEL, '--target', packages(), ...from]);
    await writeFile(join(folderOfServer(), COMPLETE), '');
    return packages();
  });
}

const pip = (): string[] => [join(folderOfServer(), 'venv/bin/python'), '-m', 'pip', '--disable-pip-version-check'];

async function makeEnvironment(): Promise<void> {
  const folder = folderOfServer();
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await run(['python3', '-m', 'venv', join(folder, 'venv')]);
}
