/** What lies below the programs: the root file system of the test nodes' images, and certificate authorities. */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DebianPackage, packagesIn, unpackDebianPackages } from '../test/cluster/image/debian.ts';
import { entriesOf, entriesOfFolder, withFolders } from '../test/cluster/image/files.ts';
import { nodeRootEntries, type TarEntry } from '../test/cluster/image/index.ts';
import { cacheFolder } from '../test/cluster/index.ts';

/** Where programs that do not bring their own authorities look. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

const AUTHORITY_PACKAGES = ['ca-certificates'];

/** Where the authorities come from. */
export const authorityPackages = async (): Promise<readonly DebianPackage[]> =>
  packagesIn(await debianTree(AUTHORITY_PACKAGES));

/** Node, its libraries, the authorities that Debian trusts and a user without rights; no shell, no package manager. */
export async function rootEntries(): Promise<TarEntry[]> {
  const [root, authorities] = await Promise.all([nodeRootEntries(), authorityBundle()]);
  return withFolders([...root, ...entriesOf({ [AUTHORITIES]: authorities })]);
}

/** The unpacked files of Debian packages; a folder per set of names and release of the machine. */
export async function debianTree(packages: readonly string[]): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8');
  const key = createHash('sha256')
    .update(JSON.stringify([packages, release]))
    .digest('hex')
    .slice(0, 16);
  return unpackDebianPackages(packages, join(cacheFolder(), `debian-${key}`));
}

async function authorityBundle(): Promise<string> {
  const entries = await entriesOfFolder(await debianTree(AUTHORITY_PACKAGES));
  const certificates = entries
    .filter((entry) => entry.type === 'copy')
    .filter(({ path }) => path.startsWith('usr/share/ca-certificates/') && path.endsWith('.crt'))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const texts = await Promise.all(certificates.map(({ source }) => readFile(source, 'utf8')));
  if (texts.length === 0) throw new Error('The package ca-certificates has no certificates');
  return texts.map((text) => `${text.trim()}\n`).join('');
}
