/** Images by Docker, Podman or Buildah: the build context of the Dockerfiles, and the command that builds from it. */
import { spawnSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { IMAGES, type ImageName } from './archives.ts';
import { bundleProgram } from './bundle.ts';
import { tarBytes } from './oci/index.ts';
import { rootEntries } from './rootfs/index.ts';

export const dockerfileOf = (name: ImageName): string => fileURLToPath(new URL(`${name}.Dockerfile`, import.meta.url));

/** Writes the build context of all images. */
export async function writeContext(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await pipeline(tarBytes(await rootEntries()), createWriteStream(join(folder, 'root.tar')));
  for (const image of IMAGES) await bundleProgram(image, join(folder, `${image}.js`));
}

export interface Builder {
  readonly command: string;
  /** Ends with 0 when the builder can build now: a docker client without a daemon cannot. */
  readonly probe: readonly string[];
  readonly build: readonly string[];
}

const BUILDERS: readonly Builder[] = [
  { command: 'docker', probe: ['info'], build: ['build'] },
  { command: 'podman', probe: ['info'], build: ['build'] },
  { command: 'buildah', probe: ['info'], build: ['bud'] },
];

/** The first builder of the machine that works. */
export const findBuilder = (): Builder | undefined =>
  BUILDERS.find(({ command, probe }) => spawnSync(command, probe, { stdio: 'ignore' }).status === 0);

export const buildCommand = (
  { command, build }: Builder,
  { image, reference, context }: { readonly image: ImageName; readonly reference: string; readonly context: string },
): readonly string[] => [command, ...build, '--file', dockerfileOf(image), '--tag', reference, context];
