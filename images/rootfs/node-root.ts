/**
 * The root file system of an image that runs Node: the binary of npm's platform package, the Debian libraries it is
 * linked with, and the usual files below /etc and /tmp. No package manager; a shell only as an option.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { cacheFolder, withLock } from '../../scripts/machine/index.ts';
import { entriesOf, entriesOfFolder, type Layer, type TarEntry, withFolders, writeLayer } from '../oci/index.ts';
import { type DebianPackage, debianTree, packagesIn } from './debian.ts';
import { intoUsr, mergedLinks } from './merged-usr.ts';

export interface RootOptions {
  /** Adds busybox and its commands, for images that tests look around in. */
  readonly shell?: boolean;
}

/** The user of the images; its number is also in the security contexts of pods. */
export const IMAGE_USER = 65532;
/** Path of Node in the image. */
export const IMAGE_NODE = '/usr/bin/node';

const LIBRARIES = ['libc6', 'libstdc++6', 'libgcc-s1', 'libatomic1']; // what ldd says of Node 26

/** The root as one layer, built once and kept in the cache folder. */
export async function nodeRootLayer(options: RootOptions = {}): Promise<Layer> {
  const { version } = nodePackage();
  const key = createHash('sha256')
    .update(JSON.stringify([options, version, LIBRARIES, readOsRelease()]))
    .digest('hex');
  const path = join(cacheFolder(), `node-root-${key.slice(0, 16)}.tar`);
  return withLock(path, async () => (await readKept(path)) ?? keep(path, await nodeRootEntries(options)));
}

/** The entries of the root, for images with other layers. */
export async function nodeRootEntries({ shell = false }: RootOptions = {}): Promise<TarEntry[]> {
  const tree = await libraryTree(shell);
  const libraries = (await entriesOfFolder(tree)).filter(isNeeded).map(intoUsr);
  return withFolders([
    ...mergedLinks(),
    ...libraries,
    ...(shell ? busyboxLinks(tree) : []),
    ...entriesOf({
      '/etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\ngatehouse:x:${IMAGE_USER}:${IMAGE_USER}::/:/sbin/nologin\n`,
      '/etc/group': `root:x:0:\ngatehouse:x:${IMAGE_USER}:\n`,
      '/etc/nsswitch.conf': 'hosts: files dns\n',
      [IMAGE_NODE]: { source: nodePackage().binary, mode: 0o755 },
    }),
    { path: 'tmp', type: 'folder', mode: 0o1777 },
  ]);
}

/** What the root is made of: packages of npm by their places, and of Debian. */
export async function nodeRootPackages(): Promise<{
  readonly packages: readonly string[];
  readonly debian: readonly DebianPackage[];
}> {
  return {
    packages: [`node_modules/node-linux-${process.arch}`],
    debian: await packagesIn(await libraryTree(false)),
  };
}

const libraryTree = (shell: boolean): Promise<string> => debianTree([...LIBRARIES, ...(shell ? ['busybox'] : [])]);

/** The path of Node on this machine. */
export const nodeBinary = (): string => nodePackage().binary;

/** The libraries of Node that a system with glibc may lack, with their links. */
export async function nodeLibraries(): Promise<readonly TarEntry[]> {
  const entries = await entriesOfFolder(await libraryTree(false));
  return entries.filter(
    ({ path, type }) => type !== 'folder' && /\/lib(?:stdc\+\+|gcc_s|atomic)\.so[.\d]*$/.test(path),
  );
}

function nodePackage(): { readonly binary: string; readonly version: string } {
  const manifest = createRequire(import.meta.url).resolve(`node-linux-${process.arch}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return { binary: join(manifest, '..', 'bin', 'node'), version };
}

const readOsRelease = (): string => readFileSync('/etc/os-release', 'utf8');

/** Libraries, programs and licences; no manuals, translations and character set converters. */
const isNeeded = ({ path, type }: TarEntry): boolean =>
  type !== 'folder' && !path.includes('/gconv/') && (!path.startsWith('usr/share/') || path.endsWith('/copyright'));

/** The commands of busybox as links, for a tree with its package. */
export function busyboxLinks(tree: string): TarEntry[] {
  const commands = execFileSync(join(tree, 'bin', 'busybox'), ['--list'], { encoding: 'utf8' })
    .trim()
    .split('\n');
  return commands
    .filter((command) => command !== 'busybox')
    .map((command) => ({ path: `usr/bin/${command}`, type: 'link', target: 'busybox' }));
}

async function readKept(path: string): Promise<Layer | undefined> {
  try {
    return JSON.parse(await readFile(`${path}.json`, 'utf8')); // written below
  } catch {
    return undefined;
  }
}

async function keep(path: string, entries: readonly TarEntry[]): Promise<Layer> {
  const unfinished = `${path}.new`;
  try {
    const layer = { ...(await writeLayer(unfinished, entries)), path };
    await rename(unfinished, path);
    await writeFile(`${path}.json`, JSON.stringify(layer));
    return layer;
  } finally {
    await rm(unfinished, { force: true });
  }
}
