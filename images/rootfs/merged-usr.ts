/** The layout of a Debian system whose programs and libraries are all below /usr. */
import type { TarEntry } from '../oci/index.ts';

const MERGED_FOLDERS = ['bin', 'lib', 'lib64', 'sbin'];

/** The links of the folders that were at the top before. */
export const mergedLinks = (): TarEntry[] =>
  MERGED_FOLDERS.map((folder) => ({ path: folder, type: 'link', target: `usr/${folder}` }));

/** Packages of Debian 12 still bring /lib, later ones /usr/lib. */
export function intoUsr(entry: TarEntry): TarEntry {
  const [top = ''] = entry.path.split('/');
  return MERGED_FOLDERS.includes(top) ? { ...entry, path: `usr/${entry.path}` } : entry;
}

/** A shared library, but no character set converter. */
export const isLibrary = (path: string): boolean =>
  /^usr\/lib(64)?\//.test(path) && /\.so(\.|$)/.test(path) && !path.includes('/gconv/');
