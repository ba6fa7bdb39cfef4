/** Reads the lock file, and checks that every package in it has a checksum. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** npm copies these members from the package: a string or a list. */
const names = z.union([z.string().transform((name) => [name]), z.array(z.string())]).optional();

const lockedPackage = z.looseObject({
  version: z.string().optional(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  link: z.boolean().default(false),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  license: z.string().optional(),
  os: names,
  cpu: names,
  libc: names,
});
export type LockedPackage = z.infer<typeof lockedPackage>;

const lockFile = z.looseObject({
  lockfileVersion: z.literal(3),
  packages: z.record(z.string(), lockedPackage),
});
export type LockFile = z.infer<typeof lockFile>;

const PATH = fileURLToPath(new URL('../package-lock.json', import.meta.url));
/** Paths of packages from a registry; other paths are the workspaces of this repository. */
export const INSTALLED = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)$/;
const CHECKSUM = /^sha512-[A-Za-z0-9+/]{86}==$/;

export const readLockFile = (text: string = readFileSync(PATH, 'utf8')): LockFile => lockFile.parse(JSON.parse(text));

export interface LockReport {
  /** Violations. */
  readonly problems: readonly string[];
  /** Optional tools for development on platforms that neither images nor this machine have; the registry did not serve them. */
  readonly foreign: readonly string[];
}

/** Every package that can come to be installed here or in an image has a SHA-512, and none comes from anywhere but a registry. */
export function checkLockFile({ packages }: LockFile, platform: string = process.platform): LockReport {
  const problems: string[] = [];
  const foreign: string[] = [];
  for (const [path, entry] of Object.entries(packages)) {
    if (!INSTALLED.test(path) || entry.link) continue;
    if (entry.version === undefined) problems.push(`${path}: no version`);
    if (entry.resolved !== undefined && !entry.resolved.startsWith('https://')) {
      problems.push(`${path}: comes from ${entry.resolved.split(':')[0]}, which is not a registry`);
    }
    if (entry.integrity === undefined && isForeign(entry, platform)) foreign.push(path);
    else if (!CHECKSUM.test(entry.integrity ?? '')) problems.push(`${path}: no SHA-512 in integrity`);
  }
  return { problems, foreign };
}

/** Images run on Linux with glibc, on either architecture. */
function isForeign({ dev, optional, os, cpu, libc }: LockedPackage, platform: string): boolean {
  if (!dev || !optional || (platform !== 'linux' && os?.includes(platform) !== false)) return false;
  const isForImages =
    (os ?? ['linux']).includes('linux') &&
    (cpu ?? ['x64']).some((name) => name === 'x64' || name === 'arm64') &&
    (libc ?? ['glibc']).includes('glibc');
  return !isForImages;
}
