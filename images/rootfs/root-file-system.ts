/** The root file system of the images: Node, libraries, certificate authorities and the package database. */
import { readFile } from 'node:fs/promises';
import { entriesOf, entriesOfFolder, type TarEntry, withFolders } from '../oci/index.ts';
import { type DebianPackage, debianTree, packagesIn } from './debian.ts';
import { nodeRootEntries, nodeRootPackages } from './node-root.ts';
import { packageDatabase, releasePackages } from './package-database.ts';

/** The conventional path of certificate authorities. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

/** Everybody may write there: the program runs as a user of its own, and a volume takes over the mode. */
export const STATE_FOLDER = '/data';

const AUTHORITY_PACKAGES = ['ca-certificates'];

/**
 * Node, its libraries, the authorities that Debian trusts, a user without rights and the package database that scanners read; no
 * shell, no package manager.
 */
export async function rootEntries(): Promise<TarEntry[]> {
  const [root, authorities, { debian }] = await Promise.all([nodeRootEntries(), authorityBundle(), rootPackages()]);
  const state: TarEntry = { path: STATE_FOLDER.slice(1), type: 'folder', mode: 0o1777 };
  return withFolders([
    ...root,
    state,
    ...entriesOf({ [AUTHORITIES]: authorities }),
    ...(await packageDatabase(debian)),
  ]);
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

/** What the root is made of: packages of npm by their paths in the lock file, and of Debian. */
export async function rootPackages(): Promise<{
  readonly npm: readonly string[];
  readonly debian: readonly DebianPackage[];
}> {
  const { packages, debian } = await nodeRootPackages();
  const authorities = await packagesIn(await debianTree(AUTHORITY_PACKAGES));
  return { npm: packages, debian: [...debian, ...authorities, ...(await releasePackages())] };
}
