import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { cacheFolder, run, withLock } from '../../scripts/machine/index.ts';

const debianPackage = z.strictObject({
  name: z.string().min(1),
  version: z.string().min(1),
  architecture: z.string().min(1),
  /** Of the archive. */
  sha256: z.string().length(64),
  /** All control fields, as in a Debian control file, without a line end behind the last. */
  control: z.string().min(1),
});
export type DebianPackage = z.infer<typeof debianPackage>;

/**
 * The folder with the unpacked files of Debian packages: one per set of names and release of the machine, fetched once. The
 * packages installed on the machine are not touched.
 */
export async function debianTree(names: readonly string[]): Promise<string> {
  const release = await readFile('/etc/os-release', 'utf8');
  const key = createHash('sha256')
    .update(JSON.stringify([names, release, 'with control fields']))
    .digest('hex')
    .slice(0, 16);
  return unpackDebianPackages(names, join(cacheFolder(), `debian-${key}`));
}

async function unpackDebianPackages(names: readonly string[], folder: string): Promise<string> {
  await withLock(folder, async () => {
    if (existsSync(folder) && existsSync(listOf(folder))) return;
    await mkdir(dirname(folder), { recursive: true });
    const scratch = await mkdtemp(`${folder}.new-`);
    try {
      const [archives, tree] = [join(scratch, 'archives'), join(scratch, 'tree')];
      await mkdir(archives);
      await download(names, archives, scratch);
      const packages: DebianPackage[] = [];
      for (const archive of (await readdir(archives)).sort()) {
        await run(['dpkg', '-x', join(archives, archive), tree]);
        packages.push(await describe(join(archives, archive)));
      }
      await writeFile(listOf(folder), JSON.stringify(packages));
      await rm(folder, { recursive: true, force: true });
      await rename(tree, folder);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
  return folder;
}

/** The packages that were unpacked into a folder. */
export async function packagesIn(folder: string): Promise<readonly DebianPackage[]> {
  return z.array(debianPackage).parse(JSON.parse(await readFile(listOf(folder), 'utf8')));
}

/** The list is beside the folder, since all files of the folder go into images. */
const listOf = (folder: string): string => `${folder}.packages.json`;

async function describe(archive: string): Promise<DebianPackage> {
  const sha256 = createHash('sha256')
    .update(await readFile(archive))
    .digest('hex');
  return packageOf(await run(['dpkg-deb', '--field', archive]), sha256);
}

/** A package from its control fields (deb-control(5)). Throws when a field that names it is missing. */
export function packageOf(control: string, sha256: string): DebianPackage {
  const field = (name: string): string | undefined => new RegExp(`^${name}: (.+)$`, 'm').exec(control)?.[1];
  return debianPackage.parse({
    name: field('Package'),
    version: field('Version'),
    architecture: field('Architecture'),
    sha256,
    control: control.trim(),
  });
}

/** Uses the package lists of the machine, else fetches own lists: a fresh machine has none, or outdated ones. */
async function download(names: readonly string[], archives: string, scratch: string): Promise<void> {
  const fetch = (options: readonly string[]) => run(['apt-get', ...options, 'download', ...names], { cwd: archives });
  // Without this, apt run by root changes to its own user, which cannot write here.
  const asRoot = ['-q', '-o', 'APT::Sandbox::User=root'];
  try {
    await fetch(asRoot);
  } catch {
    const lists = join(scratch, 'lists');
    await mkdir(join(lists, 'partial'), { recursive: true });
    const own = [...asRoot, '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${scratch}`];
    await run(['apt-get', ...own, 'update']);
    await fetch(own);
  }
}
