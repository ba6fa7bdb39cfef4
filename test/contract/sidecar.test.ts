/** A sidecar as a process: it serves the operator's Snapshot, from the stream and from the mounted copy. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { API_VERSION, parseResource } from '@gatehouse/crds/kinds';
import { SNAPSHOT_STREAM_PATH, toFrameText, toMountedCopy } from '@gatehouse/crds/snapshot';
import { EMPTY_SNAPSHOT, type SidecarSnapshot } from '@gatehouse/operator/translate';
import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { KEY, unwrap, waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { inject } from '../../operator/src/webhook/injection/index.ts';
import { type GatewayProcess, startGateway } from './gateway-process.ts';
import { askSidecar, needs, sidecarWorld, textOf } from './sidecar-world.ts';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

interface Mounts extends Disposable {
  readonly path: string;
  /** Swaps one mount or both, the way kubelet does: a new folder, then a link that is renamed over the old one. */
  swap(snapshot: SidecarSnapshot, parts?: readonly ('config' | 'secret')[]): void;
  /** Empties both mounts, as kubelet does when the objects are gone. */
  clear(): void;
}

function mounts(): Mounts {
  const path = mkdtempSync(join(tmpdir(), 'gatehouse-mount-'));
  let count = 0;
  return {
    path,
    swap: (snapshot, parts = ['config', 'secret']) => {
      const copy = toMountedCopy(snapshot);
      for (const part of parts) {
        count += 1;
        const folder = join(path, part);
        mkdirSync(join(folder, `..${count}`), { recursive: true });
        writeFileSync(join(folder, `..${count}`, 'snapshot.json.gz'), copy[part]);
        symlinkSync(`..${count}`, join(folder, '..data_tmp'));
        renameSync(join(folder, '..data_tmp'), join(folder, '..data'));
        if (count <= 2) symlinkSync('..data/snapshot.json.gz', join(folder, 'snapshot.json.gz'));
      }
    },
    clear: () => {
      for (const part of ['config', 'secret']) rmSync(join(path, part, 'snapshot.json.gz'));
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

interface Service extends AsyncDisposable {
  readonly url: string;
  readonly opened: readonly { readonly have: string | null; readonly token: string | undefined }[];
  send(snapshot: SidecarSnapshot): void;
  cut(): void;
}

/** The snapshot service at the edge: frames on open streams. */
async function startService(first?: SidecarSnapshot): Promise<Service> {
  const open = new Set<ServerResponse>();
  const opened: { have: string | null; token: string | undefined }[] = [];
  let latest = first;
  const frameOf = (snapshot: SidecarSnapshot): string => `${toFrameText({ kind: 'snapshot', ...snapshot })}\n`;
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://service');
    if (url.pathname !== SNAPSHOT_STREAM_PATH) return void response.writeHead(404).end();
    const have = url.searchParams.get('have');
    opened.push({ have, token: request.headers.authorization });
    open.add(response);
    response.on('close', () => open.delete(response));
    response.writeHead(200).write(`${toFrameText({ kind: 'ping' })}\n`);
    if (latest !== undefined && String(latest.version) !== have) response.write(frameOf(latest));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    opened,
    send: (snapshot) => {
      latest = snapshot;
      for (const response of open) response.write(frameOf(snapshot));
    },
    cut: () => {
      for (const response of open) response.socket?.resetAndDestroy();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function startSidecar(mounted: Mounts, service?: Service): Promise<GatewayProcess> {
  writeFileSync(join(mounted.path, 'token'), 'projected');
  return startGateway({
    GATEHOUSE_SNAPSHOT_SOURCE: 'sidecar',
    GATEHOUSE_SIDECAR_PROFILE: 'app',
    GATEHOUSE_SNAPSHOT_MOUNT_DIR: mounted.path,
    GATEHOUSE_SNAPSHOT_TOKEN_FILE: join(mounted.path, 'token'),
    ...(service === undefined ? {} : { GATEHOUSE_SNAPSHOT_SERVICE_URL: service.url }),
  });
}

const serves = (gateway: GatewayProcess, model: string): Promise<true> =>
  waitFor(async () => (await askSidecar(gateway.url)).model === model, {
    what: `the model ${model}`,
  }) as Promise<true>;

describe('a sidecar', () => {
  test('serves the application without a key, with what belongs to its workspace and nothing else', async () => {
    const world = sidecarWorld('one', mock.url);
    expect(textOf(world.entries)).not.toMatch(/sk-of-the-organisation|sk-of-team-b|team-b/);
    expect(needs(world)).toEqual(['GatewayConfig/shared-first']);
    using mounted = mounts();
    mounted.swap(world);
    await using gateway = await startSidecar(mounted);
    await serves(gateway, 'one');
    const asked = (headers: Record<string, string>) => askSidecar(gateway.url, headers);
    expect(await asked({ authorization: '' })).toMatchObject({ status: 200, model: 'one' });
    expect(await asked({ 'x-api-key': 'provided-by-gatehouse' })).toMatchObject({ status: 200 });
    expect(await asked({ 'x-gw-config': 'theirs' })).toMatchObject({ status: 400, code: 'config_unknown' });
    expect(await asked({ 'x-gw-provider': '@theirs' })).toMatchObject({ status: 400, code: 'provider_slug_unknown' });
    expect(await asked({ 'x-gw-api-key': KEY })).toMatchObject({ status: 401 });
    expect(await asked({ authorization: `Bearer ${KEY}` })).toMatchObject({ status: 401 });
  });

  test('refuses what needs a credential of the organisation, and a fallback goes on from there', async () => {
    using mounted = mounts();
    mounted.swap(sidecarWorld('one', mock.url));
    await using gateway = await startSidecar(mounted);
    await serves(gateway, 'one');
    const refused = await askSidecar(gateway.url, { 'x-gw-provider': '@shared', 'x-gw-config': '{}' });
    expect(refused).toMatchObject({ status: 501, code: 'needs_fleet' });
    expect(await askSidecar(gateway.url, { 'x-gw-config': 'shared-first' })).toMatchObject({
      status: 200,
      model: 'one',
    });
  });

  test('follows the stream, goes on without it, and names the version it has when it is back', async () => {
    const first = sidecarWorld('one', mock.url);
    using mounted = mounts();
    mounted.swap(first);
    await using service = await startService(first);
    await using gateway = await startSidecar(mounted, service);
    await serves(gateway, 'one');
    await waitFor(() => service.opened.length === 1);
    expect(service.opened[0]).toEqual({ have: String(first.version), token: 'Bearer projected' });
    const second = sidecarWorld('two', mock.url);
    service.send(second);
    await serves(gateway, 'two');
    expect(await gateway.status()).toMatchObject({ source: { connected: true, servedFrom: 'the stream' } });
    writeFileSync(join(mounted.path, 'token'), 'rotated');
    service.cut();
    await waitFor(() => service.opened.length === 2);
    expect(service.opened[1]).toEqual({ have: String(second.version), token: 'Bearer rotated' });
    expect((await askSidecar(gateway.url)).model).toBe('two');
    service.send(sidecarWorld('three', mock.url));
    await serves(gateway, 'three');
  });

  test('starts with the stream alone, and ignores a mounted copy that is behind it', async () => {
    using mounted = mounts();
    await using service = await startService(sidecarWorld('new', mock.url));
    await using gateway = await startSidecar(mounted, service);
    await serves(gateway, 'new');
    mounted.swap(sidecarWorld('old', mock.url));
    await waitFor(async () => (await gateway.status()).source['problem'] === undefined, {
      what: 'the copy to be seen',
    });
    expect((await askSidecar(gateway.url)).model).toBe('new');
  });

  test('takes a swapped copy when both of its mounts are swapped, and no half of it', async () => {
    using mounted = mounts();
    mounted.swap(sidecarWorld('one', mock.url));
    await using gateway = await startSidecar(mounted);
    await serves(gateway, 'one');
    const second = sidecarWorld('two', mock.url);
    mounted.swap(second, ['config']);
    await waitFor(async () => (await gateway.status()).source['problem'] !== undefined, {
      what: 'the half copy to be seen',
    });
    expect((await askSidecar(gateway.url)).model).toBe('one');
    mounted.swap(second, ['secret']);
    await serves(gateway, 'two');
  });

  test('stops serving with an empty Snapshot, and does not go back to older copies', async () => {
    const world = sidecarWorld('one', mock.url);
    using mounted = mounts();
    mounted.swap(world);
    await using service = await startService(world);
    await using gateway = await startSidecar(mounted, service);
    await serves(gateway, 'one');
    await waitFor(() => service.opened.length === 1);
    service.send(EMPTY_SNAPSHOT);
    const refused = { status: 401 };
    await waitFor(async () => (await askSidecar(gateway.url)).status !== 200, { what: 'the end of the service' });
    expect(await askSidecar(gateway.url)).toMatchObject(refused);
    service.cut();
    await waitFor(() => service.opened.length === 2);
    expect(service.opened[1]).toMatchObject({ have: String(EMPTY_SNAPSHOT.version) });
    expect(await askSidecar(gateway.url)).toMatchObject(refused);
    service.send(world);
    await serves(gateway, 'one');
  });

  test('goes on with what it has when the copy is gone for no known reason', async () => {
    using mounted = mounts();
    mounted.swap(sidecarWorld('one', mock.url));
    await using gateway = await startSidecar(mounted);
    await serves(gateway, 'one');
    mounted.clear();
    await waitFor(async () => (await gateway.status()).source['problem'] !== undefined, {
      what: 'the loss to be seen',
    });
    expect((await askSidecar(gateway.url)).model).toBe('one');
  });

  test('is waited for by one process until it serves, as the startup probe of injected pods does it', async () => {
    using mounted = mounts();
    await using gateway = await startSidecar(mounted);
    const spec = { port: Number(new URL(gateway.url).port) };
    const [command = '', ...args] = startupCommand(spec);
    expect(command).toBe('/usr/bin/node');
    const probe = spawn(process.execPath, args);
    const ended = once(probe, 'exit');
    mounted.swap(sidecarWorld('one', mock.url));
    expect(await ended).toEqual([0, null]);
    await serves(gateway, 'one');
  });
});

function startupCommand(spec: object): readonly string[] {
  const metadata = { name: 'app', namespace: 'team-a' };
  const profile = unwrap(
    parseResource('SidecarProfile', { apiVersion: API_VERSION, kind: 'SidecarProfile', metadata, spec }),
  );
  const pod = { spec: { containers: [{ name: 'app' }] } };
  const injection = inject(pod, profile, {
    image: 'gatehouse-gateway:test',
    snapshotServiceUrl: 'https://operator:9090',
  });
  const [sidecar] = injection.kind === 'patched' ? (injection.pod.spec.initContainers ?? []) : [];
  const probe = sidecar?.['startupProbe'] as { exec: { command: readonly string[] } } | undefined; // of a container
  return probe?.exec.command ?? [];
}
