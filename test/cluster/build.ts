/**
 * Where the programs of the test cluster come from: `KUBEBUILDER_ASSETS`, else the cache folder, else built into it from
 * their Go modules. `GATEHOUSE_TEST_CACHE` moves the cache folder.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, run, withLock } from '../../scripts/machine/index.ts';
import { FAMILIES, type FamilyName, familyOf, type ProgramName } from './programs.ts';

export type ProgramPaths = ReadonlyMap<ProgramName, string>;

export interface BuildOptions {
  /** Receives one line per program built. */
  readonly onProgress?: (line: string) => void;
}

/** A cache folder of an older version of a family is removed when it has not been used for this long. */
const UNUSED_AFTER_MS = 14 * 24 * 3_600_000;

/** Others use the machine too: no more than two compilers at once. */
const GO_ENV = { CGO_ENABLED: '0', GOWORK: 'off', GOFLAGS: '-mod=readonly -buildvcs=false -p=2' };
const BUILD_TIMEOUT_MS = 3_600_000;

/** The programs that have to be built first. */
export const missingPrograms = (names: readonly ProgramName[]): ProgramName[] =>
  names.filter((name) => locate(name) === undefined);

/** Whether there is a Go toolchain to build with. */
export const canBuild = (): boolean => spawnSync('go', ['version'], { stdio: 'ignore' }).status === 0;

/**
 * The absolute path of each program, built if need be; several processes may ask at once. Fails when something is missing
 * and cannot be built. A cold build of a control plane takes minutes.
 */
export async function ensurePrograms(
  names: readonly ProgramName[],
  { onProgress = () => {} }: BuildOptions = {},
): Promise<ProgramPaths> {
  const missing = missingPrograms(names);
  if (missing.length > 0 && !canBuild()) {
    throw new Error(`Missing ${missing.join(', ')}: install Go to build them, or set KUBEBUILDER_ASSETS`);
  }
  for (const family of new Set(missing.map(familyOf))) {
    const folder = familyFolder(family);
    await withLock(folder, async () => {
      // Another process may have built them meanwhile.
      for (const name of missingPrograms(missing)) if (familyOf(name) === family) await build(name, folder, onProgress);
    });
    await removeUnused(family);
  }
  return new Map(
    names.flatMap((name) => {
      const path = locate(name);
      return path === undefined ? [] : [[name, path]];
    }),
  );
}

/** The path of a program. */
export function pathOf(programs: ProgramPaths, name: ProgramName): string {
  const path = programs.get(name);
  if (path === undefined) throw new Error(`${name} was neither found nor built`);
  return path;
}

function locate(name: ProgramName): string | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  const folders = [...(assets === undefined ? [] : [resolve(assets)]), familyFolder(familyOf(name))];
  return folders.map((folder) => join(folder, name)).find((path) => existsSync(path));
}

/** One folder per family and version: whatever decides the bytes is in its name. */
function familyFolder(name: FamilyName): string {
  const { versionFlags, programs } = FAMILIES[name];
  const hash = createHash('sha256').update(JSON.stringify([versionFlags, programs, process.platform, process.arch]));
  for (const file of ['go.mod', 'go.sum', 'main.go']) {
    const path = join(sourceFolder(name), file);
    if (existsSync(path)) hash.update(readFileSync(path));
  }
  return join(cacheFolder(), `${name}-${hash.digest('hex').slice(0, 16)}`);
}

const sourceFolder = (name: FamilyName): string => fileURLToPath(new URL(FAMILIES[name].folder, import.meta.url));

async function build(name: ProgramName, folder: string, onProgress: (line: string) => void): Promise<void> {
  const family = familyOf(name);
  const { versionFlags, programs } = FAMILIES[family];
  const packageName: string = new Map(Object.entries(programs)).get(name) ?? '.';
  const unfinished = join(folder, `.${name}-${process.pid}`);
  await mkdir(folder, { recursive: true });
  onProgress(`Building ${name} (${packageName})`);
  const startedAt = performance.now();
  const flags = ['-trimpath', '-ldflags', ['-s', '-w', ...versionFlags].join(' '), '-o', unfinished];
  try {
    await run(['nice', '-n', '19', 'go', 'build', ...flags, packageName], {
      cwd: sourceFolder(family),
      env: { ...process.env, ...GO_ENV },
      timeoutMs: BUILD_TIMEOUT_MS,
    });
    await rename(unfinished, join(folder, name)); // a program that is there is complete
  } finally {
    await rm(unfinished, { force: true });
  }
  onProgress(`Built ${name} in ${Math.round((performance.now() - startedAt) / 1000)} s`);
}

async function removeUnused(family: FamilyName): Promise<void> {
  const current = familyFolder(family);
  const now = new Date();
  await utimes(current, now, now);
  for (const name of await readdir(cacheFolder())) {
    const folder = join(cacheFolder(), name);
    if (!new RegExp(`^${family}-[0-9a-f]{16}$`).test(name) || folder === current) continue;
    const { mtimeMs } = await stat(folder);
    if (now.getTime() - mtimeMs > UNUSED_AFTER_MS) await rm(folder, { recursive: true, force: true });
  }
}
