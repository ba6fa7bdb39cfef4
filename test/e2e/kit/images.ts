/** Every image the proof needs, built from this checkout under the names that charts and examples use: nothing is pulled. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { buildArchives, buildRedisArchive, bundleProgram } from '../../../images/index.ts';
import packageJson from '../../../standalone/package.json' with { type: 'json' };
import { buildImage, IMAGE_NODE, IMAGE_USER, type Layer, nodeRootLayer } from '../../cluster/image/index.ts';

/** Where a name without a registry is looked for. */
const LIBRARY = 'docker.io/library';
const { version } = packageJson;

export const APP_IMAGE = 'localhost/gatehouse-e2e-app:dev';
/** Of the chart's values. */
const REDIS_IMAGE = `${LIBRARY}/redis:8`;
const STANDALONE_IMAGE = `${LIBRARY}/gatehouse-standalone:${version}`;

/** Archives, until they are disposed of. */
export async function buildImages(): Promise<AsyncDisposable & { readonly archives: readonly string[] }> {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-e2e-images-'));
  const root = await nodeRootLayer();
  const ours = await buildArchives({ folder, repository: LIBRARY, tag: version });
  const standalone = await bundleProgram('standalone', join(folder, 'standalone.js'));
  const others = [
    await buildRedisArchive(folder, REDIS_IMAGE),
    await imageOf({ name: STANDALONE_IMAGE, source: standalone, root, folder }),
    await imageOf({ name: APP_IMAGE, source: await bundleApp(join(folder, 'app.js')), root, folder }),
  ];
  return {
    archives: [...ours.map(({ path }) => path), ...others],
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/** A program as application teams write them, with the SDK from npm. */
async function bundleApp(file: string): Promise<string> {
  const build = await rolldown({
    input: fileURLToPath(new URL('../app/main.ts', import.meta.url)),
    platform: 'node',
    resolve: { conditionNames: ['node', 'import', 'default'] },
  });
  await build.write({ file, format: 'esm', codeSplitting: false });
  await build.close();
  return file;
}

interface SmallImage {
  readonly name: string;
  /** Bundle of its program. */
  readonly source: string;
  readonly root: Layer;
  readonly folder: string;
}

const imageOf = ({ name, source, root, folder }: SmallImage): Promise<string> =>
  buildImage(
    {
      name,
      base: [root],
      files: { '/app/main.js': { source } },
      entrypoint: [IMAGE_NODE, '/app/main.js'],
      user: `${IMAGE_USER}:${IMAGE_USER}`,
    },
    folder,
  );
