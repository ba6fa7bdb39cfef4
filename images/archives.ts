/** Images without a daemon and without a registry: archives for `ctr images import`, `podman load` and `crane`. */
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bundleProgram, partsOf } from './bundle.ts';
import { GATEWAY_ENVIRONMENT, IMAGE_ENVIRONMENT, STANDALONE_ENVIRONMENT } from './environment.ts';
import { buildImage, type ImageSpec, type Layer, writeLayer } from './oci/index.ts';
import { IMAGE_NODE, IMAGE_USER, rootEntries, STATE_FOLDER } from './rootfs/index.ts';

/** The programs that run in images of their own. */
export const IMAGES = ['gateway', 'operator', 'standalone'] as const;
export type ImageName = (typeof IMAGES)[number];

/** The same as in the Dockerfiles; a test compares them. */
export const imageConfigOf = (name: ImageName): ImageConfig => ({
  entrypoint: [IMAGE_NODE, `/app/${name}.js`],
  user: `${IMAGE_USER}:${IMAGE_USER}`,
  ...SPECIFIC[name],
});

type ImageConfig = Required<Pick<ImageSpec, 'entrypoint' | 'user' | 'env'>> & Pick<ImageSpec, 'cmd' | 'workingFolder'>;

const SPECIFIC: Readonly<Record<ImageName, Pick<ImageConfig, 'env' | 'cmd' | 'workingFolder'>>> = {
  gateway: { env: GATEWAY_ENVIRONMENT },
  operator: { env: IMAGE_ENVIRONMENT },
  standalone: { env: STANDALONE_ENVIRONMENT, cmd: ['standalone'], workingFolder: STATE_FOLDER },
};

export interface ArchiveOptions {
  /** The folder for the archives. */
  readonly folder: string;
  /** Prefix of the image names; `localhost` for images that are not pulled. */
  readonly repository?: string;
  readonly tag?: string;
  readonly images?: readonly ImageName[];
}

export interface ImageArchive {
  readonly image: ImageName;
  /** With its tag. */
  readonly reference: string;
  readonly path: string;
}

/** Bundles the programs and writes an archive per image; the same sources give the same bytes. */
export async function buildArchives(options: ArchiveOptions): Promise<ImageArchive[]> {
  const { folder, repository = 'localhost', tag = 'dev', images = IMAGES } = options;
  const scratch = await mkdtemp(join(tmpdir(), 'gatehouse-images-'));
  try {
    const root = await writeLayer(join(scratch, 'root.tar'), await rootEntries());
    const archives: ImageArchive[] = [];
    for (const image of images) {
      const reference = `${repository}/gatehouse-${image}:${tag}`;
      archives.push({ image, reference, path: await buildArchive({ image, reference, root, scratch, folder }) });
    }
    return archives;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

interface ArchivePlan extends Omit<ImageArchive, 'path'> {
  readonly root: Layer;
  readonly scratch: string;
  readonly folder: string;
}

async function buildArchive({ image, reference, root, scratch, folder }: ArchivePlan): Promise<string> {
  const source = await bundleProgram(image, join(scratch, `${image}.js`));
  const parts = partsOf(source);
  const files = Object.fromEntries([
    [`/app/${image}.js`, { source }],
    ...(await readdir(parts)).map((name) => [`/app/${image}/${name}`, { source: join(parts, name) }]),
  ]);
  return buildImage({ ...imageConfigOf(image), name: reference, base: [root], files }, folder);
}
