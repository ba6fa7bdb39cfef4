import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  buildArchives,
  bundleProgram,
  dockerfileOf,
  IMAGES,
  imageConfigOf,
  writeBoms,
  writeContext,
} from '../../images/index.ts';
import { debianTree } from '../../images/rootfs/index.ts';
import { withoutNodes } from '../cluster/index.ts';
import { waitFor } from '../kit/wait-for.ts';
import { bill } from './cyclonedx.ts';

const execute = promisify(execFile);
const MAX_BYTES = 64 * 2 ** 20; // of a listing

/** Of Debian, as far as it builds from nothing. */
const BUILDAH = [
  ...['buildah', 'golang-github-containers-common', 'golang-github-containers-image'],
  ...['libgpgme11', 'libassuan0', 'libdevmapper1.02.1'],
];

describe.skipIf(withoutNodes() !== undefined)('our images', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-images-test-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  test('have a bill of materials each, with Node and the Debian packages below it', async () => {
    for (const path of await writeBoms(join(folder, 'sbom'))) {
      const { components } = bill.parse(JSON.parse(await readFile(path, 'utf8')));
      const names = components.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(['libc6', 'ca-certificates', `node-linux-${process.arch}`, 'zod']));
    }
  });

  test('have the same bytes each time, and hold the program, Node and authorities, but no shell', async () => {
    const build = async (into: string): Promise<{ readonly path: string; readonly digest: string }> => {
      const [archive] = await buildArchives({ folder: join(folder, into), images: ['gateway'] });
      const path = archive?.path ?? '';
      return {
        path,
        digest: createHash('sha256')
          .update(await readFile(path))
          .digest('hex'),
      };
    };
    const [first, second] = [await build('a'), await build('b')];
    expect(first.digest).toBe(second.digest);

    await execute('tar', ['-xf', first.path, '-C', folder]);
    const [{ Layers: layers }] = JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'));
    const listings = await Promise.all(
      layers.map((layer: string) => execute('tar', ['-tvf', join(folder, layer)], { maxBuffer: MAX_BYTES })),
    );
    const lines = listings.flatMap(({ stdout }: { stdout: string }) => stdout.trim().split('\n'));
    const paths = new Set(lines.map((line) => /\d\d:\d\d (\S+)/.exec(line)?.[1]));
    for (const path of ['app/gateway.js', 'usr/bin/node', 'etc/ssl/certs/ca-certificates.crt', 'etc/passwd']) {
      expect(paths, path).toContain(path);
    }
    expect([...paths].filter((path) => /bin\/((ba|da)?sh|busybox|apt|dpkg)$/.test(path ?? ''))).toEqual([]);
    expect(lines.filter((line) => !/^\S+\s+(0\/0|root\/root)\s/.test(line) || !/ 1970-01-01 /.test(line))).toEqual([]);
  });

  test('carry the release files and the package database that scanners read, with every Debian package of the bill', async () => {
    const [archive] = await buildArchives({ folder: join(folder, 'scan'), images: ['operator'] });
    const root = await mkdtemp(join(folder, 'root-'));
    await execute('tar', ['-xf', archive?.path ?? '', '-C', root]);
    const [{ Layers: layers }] = JSON.parse(await readFile(join(root, 'manifest.json'), 'utf8'));
    await execute('tar', ['-xf', join(root, layers[0]), '-C', root]);
    expect(await readFile(join(root, 'etc/os-release'), 'utf8')).toMatch(/^ID=debian$/m);
    expect(await readFile(join(root, 'etc/debian_version'), 'utf8')).toMatch(/^\d+(\.\d+)?\n$/);

    const database = join(root, 'var/lib/dpkg/status.d');
    const texts = await Promise.all((await readdir(database)).map((name) => readFile(join(database, name), 'utf8')));
    const listed = texts.map((text) => {
      const field = (name: string): string => new RegExp(`^${name}: (.+)$`, 'm').exec(text)?.[1] ?? '';
      expect(field('Architecture')).not.toBe('');
      expect(field('Maintainer')).not.toBe('');
      return `${field('Package')} ${field('Version')}`;
    });
    const [path = ''] = await writeBoms(join(folder, 'scan'), ['operator']);
    const { components } = bill.parse(JSON.parse(await readFile(path, 'utf8')));
    const billed = components.filter(({ purl }) => purl?.startsWith('pkg:deb/'));
    expect(listed.toSorted()).toEqual(billed.map(({ name, version }) => `${name} ${version}`).toSorted());
    const depends = texts.find((text) => text.startsWith('Package: libstdc++6\n'));
    expect(depends).toMatch(/^Depends: .*libc6/m);
  });

  test('are the same when a builder makes them from the Dockerfiles', async () => {
    const tree = await debianTree(BUILDAH);
    const libraries = [join(tree, 'usr/lib'), join(tree, 'lib')].map((path) => join(path, `${machine()}-linux-gnu`));
    const etc = join(tree, 'etc/containers');
    const env = {
      ...{ PATH: process.env['PATH'], HOME: folder, TMPDIR: folder },
      LD_LIBRARY_PATH: libraries.join(':'),
      CONTAINERS_CONF: join(tree, 'usr/share/containers/containers.conf'),
      CONTAINERS_REGISTRIES_CONF: join(etc, 'registries.conf'),
    };
    const storage = ['--root', join(folder, 'root'), '--runroot', join(folder, 'runroot'), '--storage-driver', 'vfs'];
    const buildah = async (...args: string[]): Promise<string> =>
      (await execute(join(tree, 'usr/bin/buildah'), [...storage, ...args], { env, maxBuffer: MAX_BYTES })).stdout;
    const context = join(folder, 'context');
    await writeContext(context);
    for (const image of IMAGES) {
      const build = ['bud', '--isolation', 'chroot', '--signature-policy', join(etc, 'policy.json')];
      await buildah(...build, '--file', dockerfileOf(image), '--tag', image, context);
      const { OCIv1 } = JSON.parse(await buildah('inspect', '--type', 'image', `localhost/${image}`));
      const { entrypoint, user, env: variables, cmd, workingFolder } = imageConfigOf(image);
      expect(OCIv1.config).toMatchObject({ Entrypoint: entrypoint, User: user });
      expect(OCIv1.config.Cmd).toEqual(cmd);
      if (workingFolder !== undefined) expect(OCIv1.config.WorkingDir).toBe(workingFolder);
      for (const [name, value] of Object.entries(variables)) expect(OCIv1.config.Env).toContain(`${name}=${value}`);
    }
  });

  test('hold a gateway that starts without an API server', async () => {
    await start(await bundleProgram('gateway', join(folder, 'gateway.js')));
  });
});

const machine = (): string => (process.arch === 'arm64' ? 'aarch64' : 'x86_64');

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

/** Starts a gateway without an API server and ends it when its admin port has answered. */
async function start(file: string): Promise<void> {
  const [port, adminPort] = [await freePort(), await freePort()];
  const env = {
    ...{ HOST: '127.0.0.1', PORT: String(port), GATEHOUSE_ADMIN_PORT: String(adminPort) },
    ...{ GATEHOUSE_SNAPSHOT_SOURCE: 'kubernetes', GATEHOUSE_FLEET: 'f', GATEHOUSE_NAMESPACE: 'n' },
    ...{ GATEHOUSE_POD_NAME: 'p', GATEHOUSE_ADMIN_TOKEN: 't', GATEHOUSE_SNAPSHOT_DIR: `${file}.snapshot` },
    ...{ KUBERNETES_SERVICE_HOST: '127.0.0.1', KUBERNETES_SERVICE_PORT: '1' },
  };
  const child = spawn(process.execPath, [file], { env, stdio: 'ignore' });
  try {
    await waitFor(
      () =>
        fetch(`http://127.0.0.1:${adminPort}/livez`).then(
          ({ ok }) => ok,
          () => false,
        ),
      { what: 'the answer of the admin port' },
    );
  } finally {
    child.kill('SIGKILL');
    await once(child, 'exit');
  }
}
