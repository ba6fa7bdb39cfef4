/**
 * What tells scanners such as Trivy, Grype and Syft which release and which packages an image is made of: the database of
 * dpkg in the form of distroless images, one file per package, and the release files of Debian. Without them a scan of the
 * image finds no system package at all.
 */
import { entriesOf, entriesOfFolder, type TarEntry } from '../oci/index.ts';
import { type DebianPackage, debianTree, packagesIn } from './debian.ts';

const STATUS_FOLDER = '/var/lib/dpkg/status.d';

/** The package that holds the release files, and the files of it that images have. */
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
