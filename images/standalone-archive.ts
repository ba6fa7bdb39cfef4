/** The standalone program with its Node in one archive, for a machine without npm. */
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { bundleProgram, partsOf } from './bundle.ts';
import { ARCHITECTURES, entriesOf, entriesOfFolder, type TarEntry, tarBytes, withFolders } from './oci/index.ts';
import { nodeBinary, nodeLibraries } from './rootfs/index.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

/** The Node beside it, with libraries that small systems lack; links to the script work, too. */
const COMMAND = `#!/bin/sh
self=$0
while [ -L "$self" ]; do
  target=$(readlink "$self")
  case $target in
    /*) self=$target ;;
    *) self=$(dirname "$self")/$target ;;
  esac
done
lib=$(cd "$(dirname "$self")/../lib" && pwd)
export LD_LIBRARY_PATH="$lib/system\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
exec "$lib/node" "$lib/gatehouse.js" "$@"
`;

/** Writes `gatehouse-VERSION-linux-ARCH.tar.gz` into the folder and returns its path; the same sources give the same bytes. */
export async function buildStandaloneArchive(folder: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(ROOT, 'standalone/package.json'), 'utf8'));
  const name = `gatehouse-${version}-linux-${ARCHITECTURES.get(process.arch) ?? process.arch}`;
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), 'gatehouse-archive-'));
  try {
    const entries = await programEntries(join(scratch, 'gatehouse.js'));
    const unfinished = join(folder, `.${name}.new`);
    const below = entries.map((entry) => ({ ...entry, path: `${name}/${entry.path}` }));
    await pipeline(tarBytes(withFolders(below)), createGzip(), createWriteStream(unfinished));
    const path = join(folder, `${name}.tar.gz`);
    await rename(unfinished, path);
    return path;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function programEntries(bundle: string): Promise<readonly TarEntry[]> {
  const source = await bundleProgram('standalone', bundle);
  const parts = partsOf(source);
  const examples = await entriesOfFolder(join(ROOT, 'examples'));
  return [
    ...entriesOf({
      'bin/gatehouse': { content: COMMAND, mode: 0o755 },
      'lib/node': { source: nodeBinary(), mode: 0o755 },
      'lib/gatehouse.js': { source },
      ...Object.fromEntries(
        (await readdir(parts)).map((part) => [`lib/gatehouse/${part}`, { source: join(parts, part) }]),
      ),
      LICENSE: { source: join(ROOT, 'LICENSE') },
    }),
    ...(await nodeLibraries()).map((entry) => ({ ...entry, path: `lib/system/${basename(entry.path)}` })),
    ...examples.map((entry) => ({ ...entry, path: `examples/${entry.path}` })),
  ];
}
