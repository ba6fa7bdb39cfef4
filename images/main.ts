/**
 * `oci [FOLDER]`: archives of the images, without a daemon. `redis [FOLDER]`, `postgres [FOLDER]`: an archive of Redis, of PostgreSQL. `archive [FOLDER]`: the
 * standalone program with its Node, for a machine without npm. `context [FOLDER]`: the build context of the Dockerfiles. `build`:
 * the images, with Docker, Podman or Buildah. `sbom [FOLDER]`: bills of materials in CycloneDX. `lock`: whether every package in
 * the lock file has a checksum.
 */
import { spawnSync } from 'node:child_process';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import {
  buildArchives,
  buildCommand,
  buildPostgresArchive,
  buildRedisArchive,
  buildStandaloneArchive,
  checkLockFile,
  findBuilder,
  IMAGES,
  readLockFile,
  writeBoms,
  writeContext,
} from './index.ts';

const DIST = fileURLToPath(new URL('../dist/images/', import.meta.url));
const USAGE =
  'usage: main.ts oci [FOLDER] | redis [FOLDER] | postgres [FOLDER] | archive [FOLDER] | context [FOLDER] | build | sbom [FOLDER] | lock ' +
  '[--repository R] [--tag T]\n';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

interface Call {
  readonly operands: readonly string[];
  readonly repository: string;
  readonly tag: string;
}

const COMMANDS: ReadonlyMap<string, (call: Call) => Promise<number>> = new Map([
  ['oci', oci],
  ['redis', redis],
  ['postgres', postgres],
  ['archive', archive],
  ['context', context],
  ['build', build],
  ['sbom', sbom],
  ['lock', lock],
]);

async function oci({ operands: [folder = DIST], repository, tag }: Call): Promise<number> {
  for (const { reference, path } of await buildArchives({ folder: resolve(folder), repository, tag })) {
    say(`${reference} ${path}`);
  }
  return 0;
}

async function redis({ operands: [folder = DIST] }: Call): Promise<number> {
  say(await buildRedisArchive(resolve(folder)));
  return 0;
}

async function postgres({ operands: [folder = DIST] }: Call): Promise<number> {
  say(await buildPostgresArchive(resolve(folder)));
  return 0;
}

async function archive({ operands: [folder = DIST] }: Call): Promise<number> {
  say(await buildStandaloneArchive(resolve(folder)));
  return 0;
}

async function context({ operands: [folder = `${DIST}context`] }: Call): Promise<number> {
  await writeContext(resolve(folder));
  say(resolve(folder));
  return 0;
}

async function sbom({ operands: [folder = `${DIST}sbom`] }: Call): Promise<number> {
  for (const path of await writeBoms(resolve(folder))) say(path);
  return 0;
}

async function lock(): Promise<number> {
  const { problems, foreign } = checkLockFile(readLockFile());
  for (const problem of problems) process.stderr.write(`package-lock.json: ${problem}\n`);
  say(`package-lock.json: ${foreign.length} tools of other platforms have no checksum and are not installed here`);
  return problems.length === 0 ? 0 : 1;
}

async function build({ repository, tag }: Call): Promise<number> {
  const builder = findBuilder();
  if (builder === undefined) {
    process.stderr.write('Neither docker, podman nor buildah works here; `oci` needs none of them\n');
    return 1;
  }
  const folder = `${DIST}context`;
  await writeContext(folder);
  for (const image of IMAGES) {
    const reference = `${repository}/gatehouse-${image}:${tag}`;
    const [command = '', ...args] = buildCommand(builder, { image, reference, context: folder });
    const { status } = spawnSync(command, args, { stdio: 'inherit' });
    if (status !== 0) return status ?? 1;
    say(reference);
  }
  return 0;
}

async function main(args: readonly string[]): Promise<number> {
  const options = {
    repository: { type: 'string', default: 'localhost' },
    tag: { type: 'string', default: 'dev' },
  } as const;
  const { positionals, values } = parseArgs({ args: [...args], options, allowPositionals: true });
  const [name = '', ...operands] = positionals;
  const command = COMMANDS.get(name);
  if (command !== undefined) return command({ operands, ...values });
  process.stderr.write(USAGE);
  return 2;
}

process.exitCode = await main(process.argv.slice(2));
