/** OCI images without a registry and without a tool: an archive that `ctr images import` and `crane` read. */
import { createHash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { entriesOf, type ImageFiles } from './files.ts';
import { type TarEntry, tarBytes } from './tar.ts';

/** An uncompressed layer in a file of its own. */
export interface Layer {
  readonly path: string;
  /** `sha256:…` */
  readonly digest: string;
  readonly size: number;
}

export interface ImageSpec {
  /** With a tag other than `latest`, so that the kubelet does not pull it: `localhost/app:1`. */
  readonly name: string;
  readonly entrypoint: readonly string[];
  readonly cmd?: readonly string[];
  /** Below the files: the root file system of what runs in it. */
  readonly base?: readonly Layer[];
  readonly files?: ImageFiles;
  readonly env?: Readonly<Record<string, string>>;
  /** A number, or `uid:gid`; a name would not satisfy `runAsNonRoot`. */
  readonly user?: string;
  readonly workingFolder?: string;
  /** What ends its program; absent: SIGTERM. */
  readonly stopSignal?: string;
}

const MEDIA = {
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  index: 'application/vnd.oci.image.index.v1+json',
} as const;
/** Names of architectures in images, where Node has others. */
export const ARCHITECTURES: ReadonlyMap<string, string> = new Map([['x64', 'amd64']]);

/** Writes the layer of these entries to `path`; the same entries give the same digest. */
export async function writeLayer(path: string, entries: Iterable<TarEntry>): Promise<Layer> {
  await mkdir(dirname(path), { recursive: true });
  const hash = createHash('sha256');
  await pipeline(
    tarBytes(entries),
    async function* digest(chunks) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        yield chunk;
      }
    },
    createWriteStream(path),
  );
  return { path, digest: `sha256:${hash.digest('hex')}`, size: (await stat(path)).size };
}

/** Writes the archive of an image into `folder` and returns its path; the same image gives the same bytes. */
export async function buildImage(spec: ImageSpec, folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const scratch = await mkdtemp(join(folder, '.image-'));
  try {
    const own = spec.files === undefined ? [] : [await writeLayer(join(scratch, 'layer.tar'), entriesOf(spec.files))];
    const archive = join(scratch, 'image.tar');
    await pipeline(tarBytes(imageEntries(spec, [...(spec.base ?? []), ...own])), createWriteStream(archive));
    const path = join(folder, `${spec.name.replaceAll(/[^a-z0-9.-]+/g, '-')}.tar`);
    await rename(archive, path);
    return path;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

function imageEntries(spec: ImageSpec, layers: readonly Layer[]): TarEntry[] {
  const config = blobOf(imageConfig(spec, layers));
  const manifest = blobOf({
    schemaVersion: 2,
    mediaType: MEDIA.manifest,
    config: descriptorOf(MEDIA.config, config),
    layers: layers.map((layer) => descriptorOf(MEDIA.layer, layer)),
  });
  const annotations = { 'io.containerd.image.name': spec.name };
  const index = {
    schemaVersion: 2,
    mediaType: MEDIA.index,
    manifests: [{ ...descriptorOf(MEDIA.manifest, manifest), annotations }],
  };
  const docker = [{ Config: pathOf(config), RepoTags: [spec.name], Layers: layers.map(pathOf) }];
  return [
    { path: 'blobs', type: 'folder', mode: 0o755 },
    { path: 'blobs/sha256', type: 'folder', mode: 0o755 },
    ...[config, manifest].map((blob) => file(pathOf(blob), blob.content)),
    ...layers.map((layer): TarEntry => ({ path: pathOf(layer), type: 'copy', mode: 0o644, source: layer.path })),
    file('index.json', toJson(index)),
    file('oci-layout', toJson({ imageLayoutVersion: '1.0.0' })),
    file('manifest.json', toJson(docker)), // what docker and crane read
  ];
}

const imageConfig = (spec: ImageSpec, layers: readonly Layer[]) => ({
  architecture: ARCHITECTURES.get(process.arch) ?? process.arch,
  os: 'linux',
  config: {
    Entrypoint: spec.entrypoint,
    Env: Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', ...spec.env }).map(
      ([name, value]) => `${name}=${value}`,
    ),
    WorkingDir: spec.workingFolder ?? '/',
    ...(spec.cmd === undefined ? {} : { Cmd: spec.cmd }),
    ...(spec.user === undefined ? {} : { User: spec.user }),
    ...(spec.stopSignal === undefined ? {} : { StopSignal: spec.stopSignal }),
  },
  rootfs: { type: 'layers', diff_ids: layers.map(({ digest }) => digest) }, // of uncompressed layers: their own digests
});

interface Blob {
  readonly digest: string;
  readonly size: number;
}

function blobOf(value: unknown): Blob & { readonly content: Buffer } {
  const content = toJson(value);
  return { content, digest: `sha256:${createHash('sha256').update(content).digest('hex')}`, size: content.length };
}

const descriptorOf = (mediaType: string, { digest, size }: Blob) => ({ mediaType, digest, size });
const pathOf = ({ digest }: Blob): string => `blobs/${digest.replace(':', '/')}`;
const toJson = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const file = (path: string, content: Buffer): TarEntry => ({ path, type: 'file', mode: 0o644, content });
