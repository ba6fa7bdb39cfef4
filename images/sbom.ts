/** A bill of materials per image, in CycloneDX 1.6: the packages in the bundle, Node, and the Debian packages. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { IMAGES, type ImageName } from './archives.ts';
import { bundleModules } from './bundle.ts';
import { INSTALLED, type LockedPackage, type LockFile, readLockFile } from './lock-file.ts';
import { type DebianPackage, rootPackages } from './rootfs/index.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

export interface Component {
  readonly type: 'library' | 'platform' | 'container';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl?: string;
  readonly hashes?: readonly { readonly alg: 'SHA-512' | 'SHA-256'; readonly content: string }[];
  readonly licenses?: readonly { readonly expression: string }[];
}

export interface Bom {
  readonly $schema: string;
  readonly bomFormat: 'CycloneDX';
  readonly specVersion: '1.6';
  readonly serialNumber: string;
  readonly version: 1;
  readonly metadata: { readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

export interface Materials {
  readonly image: ImageName;
  readonly version: string;
  /** Paths of packages in the lock file. */
  readonly packages: readonly string[];
  readonly debian: readonly Omit<DebianPackage, 'control'>[];
  readonly lock: LockFile;
}

/** Paths of the packages, as in the lock file, that modules of a bundle belong to. */
export function packagesOf(modules: readonly string[]): string[] {
  const paths = modules.flatMap((module) => {
    const path = relative(ROOT, module).split(sep).join('/');
    const [, found] = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(path) ?? [];
    return found === undefined ? [] : [found];
  });
  return [...new Set(paths)].sort();
}

/** Pure: the same materials, the same bytes. Throws on a package that the lock file does not have. */
export function toBom({ image, version, packages, debian, lock }: Materials): Bom {
  const container: Component = {
    type: 'container',
    'bom-ref': `gatehouse-${image}@${version}`,
    name: `gatehouse-${image}`,
    version,
  };
  const found = [...packages.map((path) => toNpm(path, lock)), ...debian.map(toDebian)];
  const components = [...new Map(found.map((component) => [component['bom-ref'], component])).values()].sort((a, b) =>
    a['bom-ref'] < b['bom-ref'] ? -1 : 1,
  );
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(JSON.stringify([container, components]))}`,
    version: 1,
    metadata: { component: container },
    components,
    dependencies: [
      { ref: container['bom-ref'], dependsOn: components.map((component) => component['bom-ref']) },
      ...components.map((component) => ({ ref: component['bom-ref'], dependsOn: [] })),
    ],
  };
}

function toNpm(path: string, { packages }: LockFile): Component {
  const entry: LockedPackage | undefined = packages[path];
  const [, name] = INSTALLED.exec(path) ?? [];
  if (entry?.version === undefined || entry.integrity === undefined || name === undefined) {
    throw new Error(`${path} is in an image and has no version and checksum in package-lock.json`);
  }
  const purl = `pkg:npm/${name.replace('@', '%40')}@${entry.version}`;
  const content = Buffer.from(entry.integrity.replace('sha512-', ''), 'base64').toString('hex');
  return {
    type: name.startsWith('node-linux-') ? 'platform' : 'library',
    'bom-ref': purl,
    name,
    version: entry.version,
    purl,
    hashes: [{ alg: 'SHA-512', content }],
    ...(entry.license === undefined ? {} : { licenses: [{ expression: entry.license }] }),
  };
}

function toDebian({ name, version, architecture, sha256 }: Omit<DebianPackage, 'control'>): Component {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}`;
  const hashes = [{ alg: 'SHA-256', content: sha256 }] as const;
  return { type: 'library', 'bom-ref': purl, name, version, purl, hashes };
}

/** A version 4 UUID that follows from a text. */
function uuidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** Writes the bill of every image; returns the paths. */
export async function writeBoms(folder: string, images: readonly ImageName[] = IMAGES): Promise<readonly string[]> {
  const lock = readLockFile();
  const { version } = JSON.parse(readFileSync(join(ROOT, 'crds/package.json'), 'utf8'));
  const { npm, debian } = await rootPackages();
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(tmpdir(), 'gatehouse-sbom-'));
  try {
    const paths: string[] = [];
    for (const image of images) {
      const modules = await bundleModules(image, join(scratch, `${image}.js`));
      const packages = [...packagesOf(modules), ...npm];
      const path = join(folder, `gatehouse-${image}.cdx.json`);
      await writeFile(path, `${JSON.stringify(toBom({ image, version, packages, debian, lock }), null, 2)}\n`);
      paths.push(path);
    }
    return paths;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}
