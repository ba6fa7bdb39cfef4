/** The end of all sidecars before an uninstallation, as the hook of the chart does it: with the rights of the operator and no more. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { parseFrame } from '@gatehouse/crds/snapshot';
import { COMPILED, programArgs, waitFor } from '@gatehouse/test/kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type ControlPlane, installCustomResources, startControlPlane } from '../../cluster/index.ts';
import { ACCOUNT, grantRights, installShells } from './rights.ts';
import {
  apply,
  becomes,
  type KubeThing,
  type OperatorSetup,
  ours,
  read,
  remove,
  type Stage,
  secret,
  setStage,
  startOperator,
} from './support.ts';

let cluster: ControlPlane;
let stage: Stage;
let setup: OperatorSetup;
beforeAll(async () => {
  cluster = await startControlPlane();
  await installCustomResources(cluster);
});
afterAll(() => cluster[Symbol.asyncDispose]());
beforeEach(async () => {
  stage = await setStage(cluster, { args: ['--webhook-url', 'https://127.0.0.1:0'] });
  const { tenant } = stage;
  await installShells(stage);
  setup = { ...stage.setup, kubeconfigPath: await grantRights(stage) };
  await apply(cluster, secret(tenant, 'account', { key: 'sk-of-the-tenant' }));
  const account = { provider: 'openai', secretRef: { name: 'account', key: 'key' } };
  await apply(cluster, ours('VirtualKey', { namespace: tenant, name: 'own' }, account));
  await apply(cluster, profile());
});
afterEach(async () => {
  await remove(cluster, profile());
  for (const kind of ['validating', 'mutating']) {
    const plural = `${kind}webhookconfigurations`;
    const name = kind === 'validating' ? 'gatehouse-validating' : 'gatehouse-injection';
    await cluster.request('DELETE', `/apis/admissionregistration.k8s.io/v1/${plural}/${name}`);
  }
  await stage[Symbol.asyncDispose]();
});

const profile = (): KubeThing => ours('SidecarProfile', { namespace: stage.tenant, name: 'default' }, {});
const copies = async (): Promise<readonly string[]> => {
  const metadata = { namespace: stage.tenant, name: 'gatehouse-sidecar-snapshot' };
  const kinds = ['Secret', 'ConfigMap'];
  const found = await Promise.all(kinds.map((kind) => read(cluster, { apiVersion: 'v1', kind, metadata })));
  return kinds.filter((_, i) => found[i] !== undefined);
};

/** Gives the exit code and what was printed. */
async function retire(): Promise<{ readonly code: number | null; readonly output: string }> {
  const args = [...programArgs('operator'), '--retire', '--kubeconfig', setup.kubeconfigPath];
  const child = spawn(process.execPath, [...args, ...setup.args], { env: COMPILED, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (bytes: Buffer) => (output += bytes.toString()));
  await once(child, 'close');
  return { code: child.exitCode, output };
}

/** The number of entries in each Snapshot that a sidecar of the tenant is sent. */
async function openStream(port: number): Promise<AsyncDisposable & { readonly entries: readonly number[] }> {
  const token = await cluster.serviceAccountToken(stage.tenant, 'default', { audiences: ['gatehouse-snapshot'] });
  const entries: number[] = [];
  const asked = request({
    ...{ host: '127.0.0.1', port, path: '/v1/snapshot', rejectUnauthorized: false },
    headers: { authorization: `Bearer ${token}` },
  });
  asked.on('error', () => {}); // it ends with the test
  asked.on('response', (response) => {
    response.on('error', () => {});
    const lines = createInterface({ input: response });
    lines.on('error', () => {});
    lines.on('line', (line) => {
      const frame = parseFrame(line);
      if (frame.ok && frame.value.kind === 'snapshot') entries.push(frame.value.entries.length);
    });
  });
  asked.end();
  return { entries, [Symbol.asyncDispose]: async () => void asked.destroy() };
}

const snapshotPort = (operator: Awaited<ReturnType<typeof startOperator>>): Promise<number> =>
  waitFor(() => Number(operator.lines('Webhooks and snapshot service started')[0]?.['snapshots'] ?? 0), {
    what: 'the snapshot service',
  });

describe('a retirement', () => {
  test('empties the streams of every replica and removes the copies, which do not come back', async () => {
    await using leader = await startOperator(setup);
    await using other = await startOperator(setup);
    await waitFor(async () => (await copies()).length === 2, { what: 'both copies' });
    const ports = await Promise.all([leader, other].map(snapshotPort));
    await using first = await openStream(ports[0] ?? 0);
    await using second = await openStream(ports[1] ?? 0);
    const streams = [first, second];
    await waitFor(() => streams.every(({ entries }) => entries.length > 0), {
      what: 'open streams',
    });
    for (const { entries } of streams) expect(entries.at(-1)).toBeGreaterThan(0);

    const { code, output } = await retire();
    expect(output).not.toContain('"level":50');
    expect(code).toBe(0);
    expect(await copies()).toEqual([]);
    await waitFor(() => streams.every(({ entries }) => entries.at(-1) === 0), {
      what: 'empty Snapshots',
    });

    // What is edited meanwhile brings nothing back.
    await apply(
      cluster,
      ours('GatewayConfig', { namespace: stage.tenant, name: 'late' }, { config: { provider: '@own' } }),
    );
    await becomes(cluster, ours('GatewayConfig', { namespace: stage.tenant, name: 'late' }, {}), {
      type: 'Accepted',
      status: 'True',
    });
    expect(await copies()).toEqual([]);
    for (const { entries } of streams) expect(entries.at(-1)).toBe(0);
    const said = async () => JSON.stringify((await read(cluster, profile()))?.status ?? {});
    await waitFor(async () => (await said()).includes('about to be uninstalled'), { what: 'the reason in the status' });

    const events = await cluster.auditEvents({ user: `system:serviceaccount:${stage.organisation}:${ACCOUNT}` });
    expect(events.filter(({ status, userAgent = '' }) => status === 403 && userAgent.includes('retirement'))).toEqual(
      [],
    );
  });

  test('removes the copies also when no operator runs, and has nothing to do the second time', async () => {
    {
      await using operator = await startOperator(setup);
      await waitFor(async () => (await copies()).length === 2, { what: 'both copies' });
      await operator.kill();
    }
    const first = await retire();
    expect(first.output).not.toContain('"level":50');
    expect(first.code).toBe(0);
    expect(await copies()).toEqual([]);
    expect((await retire()).code).toBe(0);
  });
});
