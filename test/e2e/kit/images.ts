/** Every image the proof needs, built from this checkout under the names that charts and examples use: nothing is pulled. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { buildArchives, buildPostgresArchive, buildRedisArchive } from '../../../images/index.ts';
import { buildImage } from '../../../images/oci/index.ts';
import { IMAGE_NODE, IMAGE_USER, nodeRootLayer } from '../../../images/rootfs/index.ts';
import packageJson from '../../../standalone/package.json' with { type: 'json' };

/** Where a name without a registry is looked for. */
const LIBRARY = 'docker.io/library';
const { version } = packageJson;

export const APP_IMAGE = 'localhost/gatehouse-e2e-app:dev';
/** Of the chart's values. */
const REDIS_IMAGE = `${LIBRARY}/redis:8`;
const POSTGRES_IMAGE = `${LIBRARY}/postgres:17`;

/** Archives, until they are disposed of. */
export async function buildImages(): Promise<AsyncDisposable & { readonly archives: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-e2e-images-'));
  const ours = await buildArchives({ folder, repository: LIBRARY, tag: version });
  const others = [
    await buildRedisArchive(folder, REDIS_IMAGE),
    await buildPostgresArchive(folder, POSTGRES_IMAGE),
    await buildAppImage(folder),
  ];
  return {
    archives: [...ours.map(({ path }) => path), ...others],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A program as application teams write them, with the SDK from npm. */
async function buildAppImage(folder: string): Promise<string> {
  const source = join(folder, 'app.js');
  const build = await rolldown({
    input: fileURLToPath(new URL('../app/main.ts', import.meta.url)),
    platform: 'node',
    resolve: { conditionNames: ['node', 'import', 'default'] },
  });
  await build.write({ file: source, format: 'esm', codeSplitting: false });
  await build.close();
  return buildImage(
    {
      name: APP_IMAGE,
      base: [await nodeRootLayer()],
      files: { '/app/main.js': { source } },
      entrypoint: [IMAGE_NODE, '/app/main.js'],
      user: `${IMAGE_USER}:${IMAGE_USER}`,
    },
    folder,
  );
}
