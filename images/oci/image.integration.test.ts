import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { entriesOf } from './files.ts';
import { buildImage, type ImageSpec, writeLayer } from './index.ts';

const execute = promisify(execFile);
const sha256 = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
const descriptor = z.object({ digest: z.string(), size: z.number() });

describe('an image', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-image-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const spec = async (more: Partial<ImageSpec> = {}): Promise<ImageSpec> => ({
    name: 'localhost/app:1',
    base: [await writeLayer(join(folder, 'base.tar'), entriesOf({ '/etc/passwd': 'root:x:0:0::/:\n' }))],
    files: { '/app/main.js': 'start()', '/app/tool': { content: '#!', mode: 0o755 } },
    entrypoint: ['/usr/bin/node', '/app/main.js'],
    env: { MODE: 'test' },
    user: '65532:65532',
    ...more,
  });
  const inArchive = async (archive: string, path: string): Promise<Buffer> =>
    (await execute('tar', ['-xOf', archive, path], { encoding: 'buffer' })).stdout;
  const blob = async (archive: string, digest: string): Promise<Buffer> => {
    const bytes = await inArchive(archive, `blobs/${digest.replace(':', '/')}`);
    expect(sha256(bytes)).toBe(digest);
    return bytes;
  };

  test('is an index, a manifest, a config and layers that agree on their digests', async () => {
    const archive = await buildImage(await spec(), folder);
    const index = z
      .object({ manifests: z.tuple([descriptor.extend({ annotations: z.record(z.string(), z.string()) })]) })
      .parse(JSON.parse(String(await inArchive(archive, 'index.json'))));
    const [entry] = index.manifests;
    expect(entry.annotations).toEqual({ 'io.containerd.image.name': 'localhost/app:1' });
    const manifest = z
      .object({ config: descriptor, layers: z.array(descriptor) })
      .parse(JSON.parse(String(await blob(archive, entry.digest))));
    const config = JSON.parse(String(await blob(archive, manifest.config.digest)));
    expect(config).toMatchObject({
      os: 'linux',
      config: { Entrypoint: ['/usr/bin/node', '/app/main.js'], User: '65532:65532' },
      rootfs: { diff_ids: manifest.layers.map(({ digest }) => digest) },
    });
    expect(config.config.Env).toContain('MODE=test');
    const layers = await Promise.all(manifest.layers.map(({ digest }) => blob(archive, digest)));
    expect(layers.map(({ length }) => length)).toEqual(manifest.layers.map(({ size }) => size));
    expect(JSON.parse(String(await inArchive(archive, 'manifest.json')))).toMatchObject([
      {
        RepoTags: ['localhost/app:1'],
        Layers: manifest.layers.map(({ digest }) => `blobs/${digest.replace(':', '/')}`),
      },
    ]);
  });

  test('of the same content has the same bytes, and of other content others', async () => {
    const bytes = async (more: Partial<ImageSpec> = {}): Promise<string> =>
      sha256(await readFile(await buildImage(await spec(more), folder)));
    const first = await bytes();
    expect(await bytes()).toBe(first);
    expect(await bytes({ files: { '/app/main.js': 'stop()' } })).not.toBe(first);
    expect(await bytes({ env: { MODE: 'other' } })).not.toBe(first);
  });
});
