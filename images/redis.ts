/** Redis as an image of Debian's package, for clusters that cannot pull one. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildImage, entriesOf, entriesOfFolder, type TarEntry, withFolders, writeLayer } from './oci/index.ts';
import {
  debianTree,
  IMAGE_USER,
  intoUsr,
  isLibrary,
  mergedLinks,
  packageDatabase,
  packagesIn,
  releasePackages,
} from './rootfs/index.ts';

export const REDIS_IMAGE = 'localhost/gatehouse-redis:dev';

/** The server and its libraries (ldd). */
const PACKAGES = [
  ...['redis-tools', 'libc6', 'libatomic1', 'libstdc++6', 'libgcc-s1', 'libjemalloc2', 'liblzf1', 'libssl3'],
  ...['libsystemd0', 'libcap2', 'libgcrypt20', 'libgpg-error0', 'liblzma5', 'libzstd1', 'liblz4-1'],
];
/** The package has the program under the name of one of its tools, with links for the others. */
const SERVER = 'usr/bin/redis-check-rdb';
const PROGRAMS = [SERVER, 'usr/bin/redis-cli'];

/** Writes the archive of an image that runs redis-server with the arguments of its container; returns its path. */
export async function buildRedisArchive(folder: string, name: string = REDIS_IMAGE): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'gatehouse-redis-image-'));
  try {
    const base = [await writeLayer(join(scratch, 'root.tar'), await redisEntries())];
    const entrypoint = ['/usr/bin/redis-server'];
    const cmd = ['--save', '', '--appendonly', 'no', '--protected-mode', 'no'];
    const user = `${IMAGE_USER}:${IMAGE_USER}`;
    return await buildImage({ name, base, entrypoint, cmd, user, workingFolder: '/data' }, folder);
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function redisEntries(): Promise<TarEntry[]> {
  const tree = await debianTree(PACKAGES);
  const packages = [...(await packagesIn(tree)), ...(await releasePackages())];
  const unpacked = (await entriesOfFolder(tree)).filter(({ type }) => type !== 'folder').map(intoUsr);
  const kept = unpacked.filter(({ path }) => isLibrary(path) || PROGRAMS.includes(path) || path.endsWith('/copyright'));
  return withFolders([
    ...mergedLinks(),
    ...kept,
    ...(await packageDatabase(packages)),
    { path: 'usr/bin/redis-server', type: 'link', target: SERVER.replace('usr/bin/', '') },
    ...entriesOf({
      '/etc/passwd': `root:x:0:0:root:/root:/sbin/nologin\nredis:x:${IMAGE_USER}:${IMAGE_USER}::/:/sbin/nologin\n`,
      '/etc/group': `root:x:0:\nredis:x:${IMAGE_USER}:\n`,
    }),
    { path: 'data', type: 'folder', mode: 0o777 },
    { path: 'tmp', type: 'folder', mode: 0o1777 },
  ]);
}
