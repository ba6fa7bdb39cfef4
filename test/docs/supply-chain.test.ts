/** Where what we ship comes from: the lock file, and the bill of materials of each image. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { bundleModules, partsOf } from '../../images/bundle.ts';
import { checkLockFile, packagesOf, readLockFile, toBom } from '../../images/index.ts';
import { bill } from '../images/cyclonedx.ts';

const CHECKSUM = `sha512-${'A'.repeat(86)}==`;
const lockOf = (path: string, entry: object) =>
  readLockFile(JSON.stringify({ lockfileVersion: 3, packages: { '': {}, crds: {}, [path]: entry } }));

describe('the lock file', () => {
  test('has a checksum for every package that can come into an image or onto a machine that builds one', () => {
    const { problems } = checkLockFile(readLockFile());
    expect(problems).toEqual([]);
  });

  test.for<{ rule: string; entry: object; problems: number }>([
    { rule: 'a package with a checksum is fine', entry: { version: '1.0.0', integrity: CHECKSUM }, problems: 0 },
    { rule: 'one without is not', entry: { version: '1.0.0' }, problems: 1 },
    { rule: 'one with a weak checksum is not', entry: { version: '1.0.0', integrity: 'sha1-AAAA' }, problems: 1 },
    { rule: 'an optional one is not', entry: { version: '1.0.0', optional: true, os: ['darwin'] }, problems: 1 },
    {
      rule: 'a tool of another platform is',
      entry: { version: '1.0.0', optional: true, dev: true, os: ['win32'], cpu: ['x64'] },
      problems: 0,
    },
    {
      rule: 'a tool of the platform of images is not',
      entry: { version: '1.0.0', optional: true, dev: true, os: 'linux', cpu: 'arm64', libc: ['glibc'] },
      problems: 1,
    },
    {
      rule: 'one from a repository is not',
      entry: { version: '1.0.0', integrity: CHECKSUM, resolved: 'git+ssh://git@example.com/a.git#1' },
      problems: 1,
    },
  ])('$rule', ({ entry, problems }) => {
    expect(checkLockFile(lockOf('node_modules/a', entry), 'linux').problems).toHaveLength(problems);
  });

  test('reports a tool without a checksum that would be installed here', () => {
    const entry = { version: '1.0.0', optional: true, dev: true, os: ['darwin'], cpu: ['arm64'] };
    expect(checkLockFile(lockOf('node_modules/a', entry), 'darwin').problems).toHaveLength(1);
  });
});

const DEBIAN = [{ name: 'libc6', version: '1:2.36-9+deb12u14', architecture: 'amd64', sha256: 'ab'.repeat(32) }];

/** The parts of a bundle that are loaded when it starts. */
async function loadedAtStart(file: string): Promise<ReadonlySet<string>> {
  const loaded = new Set([file]);
  for (const path of loaded) {
    const text = await readFile(path, 'utf8');
    for (const [, part = ''] of text.matchAll(/^(?:import|export)\b[^;]*?"(\.[^"]+)";$/gm))
      loaded.add(join(path, '..', part));
  }
  return loaded;
}

test('the bundle of a gateway loads what exports spans only where spans are made', async () => {
  const scratch = await mkdtemp(join(tmpdir(), 'gatehouse-bundle-test-'));
  try {
    const file = join(scratch, 'gateway.js');
    await bundleModules('gateway', file);
    const loaded = [...(await loadedAtStart(file))].map((path) => basename(path));
    expect(loaded).toEqual(expect.arrayContaining(['gateway.js', 'gateway.mjs', 'packages.mjs']));
    expect(await readdir(partsOf(file))).toContain('opentelemetry.mjs');
    expect(loaded).not.toContain('opentelemetry.mjs');
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
});

describe('the bill of materials of an image', () => {
  test('names every package that the bundle holds, with its checksum, in the form of CycloneDX 1.6', async () => {
    const scratch = await mkdtemp(join(tmpdir(), 'gatehouse-sbom-test-'));
    try {
      const file = join(scratch, 'gateway.js');
      const packages = packagesOf(await bundleModules('gateway', file));
      const made = toBom({ image: 'gateway', version: '1.0.0', packages, debian: DEBIAN, lock: readLockFile() });
      expect(bill.parse(made)).toEqual(made);
      const names = made.components.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['undici', 'fastify', 'ioredis', 'pino', 'zod', 'libc6']));
      expect(names).not.toContain('vitest');
      expect(made.components.filter(({ hashes }) => hashes === undefined)).toEqual([]);
      // The bundler marks where each module begins.
      const parts = (await readdir(partsOf(file))).map((name) => join(partsOf(file), name));
      const texts = await Promise.all([file, ...parts].map((part) => readFile(part, 'utf8')));
      const regions = [...texts.join('\n').matchAll(/^\/\/ ?(?:#region )?(\S*node_modules\/\S+)$/gm)];
      const held = new Set(regions.map(([, path = '']) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1]));
      expect(held.size).toBeGreaterThan(10);
      expect([...held].filter((name) => !names.includes(name ?? ''))).toEqual([]);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  });

  test('has the same bytes each time, and another number for other contents', () => {
    const lock = lockOf('node_modules/@scope/a', {
      version: '1.0.0',
      integrity: CHECKSUM,
      license: 'MIT OR Apache-2.0',
    });
    const of = (debian: typeof DEBIAN) =>
      toBom({ image: 'operator', version: '1.0.0', packages: ['node_modules/@scope/a'], debian, lock });
    expect(of(DEBIAN)).toEqual(of(DEBIAN));
    expect(of([]).serialNumber).not.toBe(of(DEBIAN).serialNumber);
    expect(bill.parse(of(DEBIAN)).components.map(({ purl }) => purl)).toEqual([
      'pkg:deb/debian/libc6@1%3A2.36-9%2Bdeb12u14?arch=amd64',
      'pkg:npm/%40scope/a@1.0.0',
    ]);
  });

  test('is not written for a package that cannot be checked', () => {
    const lock = lockOf('node_modules/a', { version: '1.0.0' });
    expect(() => toBom({ image: 'gateway', version: '1', packages: ['node_modules/a'], debian: [], lock })).toThrow();
  });
});
