/**
 * The package database that scanners such as Trivy, Grype and Syft read: one file per package as in distroless images, and the
 * release files of Debian. Without them a scan of an image finds no system package.
 */
import { entriesOf, entriesOfFolder, type TarEntry } from '../oci/index.ts';
import { type DebianPackage, debianTree, packagesIn } from './debian.ts';

const STATUS_FOLDER = '/var/lib/dpkg/status.d';

/** The package of the release files, and its files that images have. */
const RELEASE_PACKAGES = ['base-files'];
const RELEASE_FILES = ['etc/debian_version', 'etc/os-release', 'usr/lib/os-release'];
const RELEASE_LICENCE = 'usr/share/doc/base-files/copyright';

/** Archive entries of the database of these packages, and the release files. */
export async function packageDatabase(packages: readonly DebianPackage[]): Promise<TarEntry[]> {
  const files = await entriesOfFolder(await debianTree(RELEASE_PACKAGES));
  const release = files.filter(({ path }) => [...RELEASE_FILES, RELEASE_LICENCE].includes(path));
  const missing = RELEASE_FILES.filter((path) => !release.some((entry) => entry.path === path));
  if (missing.length > 0) throw new Error(`The package base-files has no ${missing.join(', ')}`);
  return [...release, ...statusFiles(packages)];
}

export const releasePackages = async (): Promise<readonly DebianPackage[]> =>
  packagesIn(await debianTree(RELEASE_PACKAGES));

/** One file per package with its control fields, and the folders they are in. */
export const statusFiles = (packages: readonly DebianPackage[]): TarEntry[] =>
  entriesOf(Object.fromEntries(packages.map(({ name, control }) => [`${STATUS_FOLDER}/${name}`, `${control}\n`])));
