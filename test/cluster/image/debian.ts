import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { withLock } from '../lock.ts';
import { run } from '../run.ts';

/** The unpacked files of these packages in `folder`, fetched once; the machine's own packages are not touched. */
export async function unpackDebianPackages(names: readonly string[], folder: string): Promise<string> {
  await withLock(folder, async () => {
    if (existsSync(folder)) return;
    await mkdir(dirname(folder), { recursive: true });
    const scratch = await mkdtemp(`${folder}.new-`);
    try {
      const [archives, tree] = [join(scratch, 'archives'), join(scratch, 'tree')];
      await mkdir(archives);
      await download(names, archives, scratch);
      for (const archive of await readdir(archives)) await run(['dpkg', '-x', join(archives, archive), tree]);
      await rename(tree, folder);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });
  return folder;
}

/** By the package lists of the machine, else by lists of our own: a bare machine has none, or outdated ones. */
async function download(names: readonly string[], archives: string, scratch: string): Promise<void> {
  const fetch = (options: readonly string[]) => run(['apt-get', ...options, 'download', ...names], { cwd: archives });
  // As root apt would drop to a user of its own, who may not write here.
  const asUs = ['-q', '-o', 'APT::Sandbox::User=root'];
  try {
    await fetch(asUs);
  } catch {
    const lists = join(scratch, 'lists');
    await mkdir(join(lists, 'partial'), { recursive: true });
    const own = [...asUs, '-o', `Dir::State::lists=${lists}`, '-o', `Dir::Cache=${scratch}`];
    await run(['apt-get', ...own, 'update']);
    await fetch(own);
  }
}
