/** The gateway program as a process: what it needs, how it starts and how it ends. */
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Snapshot, toMountedCopy } from '@gatehouse/crds/snapshot';
import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { ADMIN_TOKEN, type GatewayProcess, startGateway } from './gateway-process.ts';
import { askSidecar, sidecarWorld } from './sidecar-world.ts';

let mock: MockProvider;
let folder: string;
beforeAll(async () => {
  mock = await createMockProvider();
  folder = mkdtempSync(join(tmpdir(), 'gatehouse-program-'));
  mount(folder, sidecarWorld('one', mock.url));
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await mock.close();
});

function mount(into: string, snapshot: Snapshot & { readonly version: number }): void {
  const copy = toMountedCopy(snapshot);
  for (const part of ['config', 'secret'] as const) {
    mkdirSync(join(into, part), { recursive: true });
    writeFileSync(join(into, part, 'snapshot.json.gz'), copy[part]);
  }
}

const SIDECAR = { GATEHOUSE_SNAPSHOT_SOURCE: 'sidecar', GATEHOUSE_SIDECAR_PROFILE: 'app' };
const start = (variables: Readonly<Record<string, string>> = {}): Promise<GatewayProcess> =>
  startGateway({ ...SIDECAR, GATEHOUSE_SNAPSHOT_MOUNT_DIR: folder, ...variables });

describe('the gateway program', () => {
  test.for([
    { rule: 'no source', variables: { GATEHOUSE_SNAPSHOT_SOURCE: '' } },
    { rule: 'an unknown source', variables: { GATEHOUSE_SNAPSHOT_SOURCE: 'etcd' } },
    { rule: 'no fleet', variables: { GATEHOUSE_SNAPSHOT_SOURCE: 'kubernetes', KUBERNETES_SERVICE_HOST: '10.0.0.1' } },
    { rule: 'no profile', variables: { GATEHOUSE_SIDECAR_PROFILE: '' } },
    { rule: 'a service without TLS', variables: { GATEHOUSE_SNAPSHOT_SERVICE_URL: 'http://operator:9090' } },
    { rule: 'a port that is none', variables: { PORT: 'x' } },
  ])('ends with 78 when its variables have $rule', async ({ variables }) => {
    await expect(start(variables)).rejects.toThrow('ended with 78');
  });

  test('ends with 1 when its port is taken', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const address = taken.address();
    const port = typeof address === 'object' ? String(address?.port) : '';
    await expect(start({ PORT: port })).rejects.toThrow('ended with 1');
    taken.close();
  });

  test('on SIGTERM finishes what is in flight, is unready meanwhile, and ends with 0', async () => {
    const answered = Promise.withResolvers<void>();
    await using upstream = await startRawUpstream(async (reply) => {
      await reply.request.body;
      await answered.promise;
      await reply.answer(200, '{}', { 'content-type': 'application/json' });
    });
    const held = join(folder, 'held');
    mount(held, sidecarWorld('held', upstream.url));
    const variables = { GATEHOUSE_DRAIN_ACCEPT_MS: '0', GATEHOUSE_DRAIN_DEADLINE_MS: '240000' };
    await using gateway = await start({ GATEHOUSE_SNAPSHOT_MOUNT_DIR: held, ...variables });
    await waitFor(() => gateway.ready());
    const slow = askSidecar(gateway.url);
    await waitFor(async () => (await metric(gateway, 'gatehouse_requests_in_flight')) === 1);
    gateway.child.kill('SIGTERM');
    await waitFor(async () => !(await gateway.ready()), { what: 'an unready gateway' });
    answered.resolve();
    expect((await slow).status).toBe(200);
    if (gateway.child.exitCode === null) await once(gateway.child, 'exit');
    expect(gateway.child.exitCode).toBe(0);
  });

  test('collects garbage when it has started and when it has its first Snapshot', async () => {
    const counting = '--import=data:text/javascript,globalThis.gc=()=>console.log(/collected/)';
    await using gateway = await start({ NODE_OPTIONS: counting });
    await waitFor(() => gateway.ready());
    await waitFor(() => gateway.output().split('/collected/').length === 3, { what: 'two collections' });
  });

  test('ends at once on the second signal', async () => {
    await using gateway = await start({ GATEHOUSE_DRAIN_ACCEPT_MS: '60000' });
    gateway.child.kill('SIGTERM');
    await waitFor(() => gateway.output().includes('drains'));
    gateway.child.kill('SIGTERM');
    if (gateway.child.exitCode === null) await once(gateway.child, 'exit');
    expect(gateway.child.exitCode).toBe(143);
  });

  test('shows its state to callers with the token only', async () => {
    await using gateway = await start();
    await waitFor(() => gateway.ready());
    for (const authorization of ['', 'Bearer wrong', ADMIN_TOKEN]) {
      const headers = { authorization };
      expect((await fetch(`${gateway.adminUrl}/internal/status`, { headers })).status).toBe(401);
    }
    expect(await gateway.status()).toMatchObject({ source: { source: 'sidecar', servedFrom: 'the mounted copy' } });
  });
});

async function metric({ adminUrl }: GatewayProcess, name: string): Promise<number | undefined> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text();
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1];
  return value === undefined ? undefined : Number(value);
}
