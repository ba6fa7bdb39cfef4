/** Brings generated files and the repository together. */
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export interface Synced {
  /** Paths whose content differed. */
  readonly stale: readonly string[];
  /** Paths in generated folders that nothing generates any more. */
  readonly leftovers: readonly string[];
}

/** Compares the files with what is below `root` and, unless `check`, writes and removes what differs. */
export function syncFiles(
  files: ReadonlyMap<string, string>,
  options: { readonly root: string; readonly folders: readonly string[]; readonly check: boolean },
): Synced {
  const read = (path: string): string | undefined => {
    const file = join(options.root, path);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  };
  const filesIn = (folder: string): string[] => {
    const path = join(options.root, folder);
    return existsSync(path) ? readdirSync(path).map((name) => `${folder}/${name}`) : [];
  };
  const leftovers = options.folders.flatMap(filesIn).filter((path) => !files.has(path));
  const stale = [...files].filter(([path, content]) => read(path) !== content).map(([path]) => path);
  if (options.check) return { stale, leftovers };
  for (const path of leftovers) rmSync(join(options.root, path));
  for (const path of stale) {
    const file = join(options.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, files.get(path) ?? '');
  }
  return { stale, leftovers };
}
