/** Two replicas of the operator, of which the one that does not lead has fewer rights for a while. */
import { writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { parseFrame, type SnapshotFrame } from '@gatehouse/crds/snapshot';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { RuleGroup } from '../../../operator/src/rbac.ts';
import { type ControlPlane, installCustomResources, startControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { binding, grantRights, installShells } from '../operator/rights.ts';
import {
  apply,
  type KubeThing,
  kubeconfigOf,
  label,
  type OperatorProcess,
  ours,
  read,
  type Stage,
  secret,
  setStage,
  startOperator,
} from '../operator/support.ts';

let cluster: ControlPlane;
let stage: Stage;
let leaderConfig: string;
beforeAll(async () => {
  cluster = await startControlPlane();
  await installCustomResources(cluster);
});
afterAll(() => cluster[Symbol.asyncDispose]());
beforeEach(async () => {
  stage = await setStage(cluster, { args: ['--webhook-url', 'https://127.0.0.1:0'] });
  await installShells(stage);
  leaderConfig = await grantRights(stage);
  return async () => {
    for (const shell of [
      'validatingwebhookconfigurations/gatehouse-validating',
      'mutatingwebhookconfigurations/gatehouse-injection',
    ])
      await cluster.request('DELETE', `/apis/admissionregistration.k8s.io/v1/${shell}`);
    await stage[Symbol.asyncDispose]();
  };
});

const FOLLOWER = 'gatehouse-operator-follower';

/** The binding of the operator, for the account of the follower. */
function followersBinding(group: RuleGroup, namespace: string | undefined): KubeThing {
  const { metadata, ...rest } = binding(stage, group, namespace);
  const subjects = [{ kind: 'ServiceAccount', name: FOLLOWER, namespace: stage.organisation }];
  return { ...rest, metadata: { ...metadata, name: `${metadata.name}-follower` }, subjects } as KubeThing;
}

/** Grants the follower everything except the Secrets of the workspace; the path of its kubeconfig. */
async function grantFollower(): Promise<string> {
  const { organisation, fleets, tenant, folder } = stage;
  const places: Readonly<Record<RuleGroup, readonly (string | undefined)[]>> = {
    cluster: [undefined],
    watched: [organisation, fleets, tenant],
    own: [organisation],
    fleets: [fleets],
    fleetSecrets: [fleets],
    workspaceSecrets: [organisation],
  };
  for (const [group, namespaces] of Object.entries(places) as [RuleGroup, readonly (string | undefined)[]][]) {
    for (const namespace of namespaces) await apply(cluster, followersBinding(group, namespace));
  }
  const path = join(folder, 'follower');
  await writeFile(path, kubeconfigOf(cluster, await cluster.serviceAccountToken(organisation, FOLLOWER)));
  return path;
}

const snapshotPort = (operator: OperatorProcess): Promise<number> =>
  waitFor(() => Number(operator.lines('Webhooks and snapshot service started')[0]?.['snapshots'] ?? 0), {
    what: 'the snapshot service',
  });

/** The first Snapshot of a new stream, or the status with which it is refused. */
async function firstOf(port: number): Promise<SnapshotFrame | number> {
  const token = await cluster.serviceAccountToken(stage.tenant, 'default', { audiences: ['gatehouse-snapshot'] });
  const { promise, resolve, reject } = Promise.withResolvers<SnapshotFrame | number>();
  const sent = request({
    ...{ host: '127.0.0.1', port, path: '/v1/snapshot', rejectUnauthorized: false },
    headers: { authorization: `Bearer ${token}` },
  });
  sent.on('error', reject);
  sent.on('response', (response) => {
    if (response.statusCode !== 200) resolve(response.statusCode ?? 0);
    response.on('error', reject);
    const lines = createInterface({ input: response });
    lines.on('error', reject);
    lines.on('line', (line) => {
      const frame = parseFrame(line);
      if (frame.ok && frame.value.kind === 'snapshot') resolve(frame.value);
    });
  });
  sent.end();
  return promise.finally(() => sent.destroy());
}

/** A leader that has published the copy with the account of the tenant, and a follower that may not read its Secret. */
async function startReplicas() {
  const { tenant, setup } = stage;
  const spec = { provider: 'openai', secretRef: { name: 'account', key: 'key' } };
  const profile = ours('SidecarProfile', { namespace: tenant, name: 'default' }, {});
  await using parts = new AsyncDisposableStack();
  await apply(cluster, secret(tenant, 'account', { key: 'sk-of-the-tenant' }));
  const leader = parts.use(await startOperator({ ...setup, kubeconfigPath: leaderConfig }));
  const leaderPort = await snapshotPort(leader);
  for (const object of [ours('VirtualKey', { namespace: tenant, name: 'own' }, spec), profile])
    await apply(cluster, object);
  const good = await withAccount(leaderPort);
  // The leader may have published what it had before it had read the Secret.
  await waitFor(async () => (await read(cluster, profile))?.status?.['snapshotVersion'] === good.version, {
    what: 'the published copy',
  });
  const follower = parts.use(await startOperator({ ...setup, kubeconfigPath: await grantFollower() }));
  const followerPort = await snapshotPort(follower);
  const owned = parts.move();
  return { good, followerPort, [Symbol.asyncDispose]: () => owned.disposeAsync() };
}

const servedBy = (port: number): Promise<SnapshotFrame> =>
  waitFor(
    async () => {
      const first = await firstOf(port);
      return typeof first === 'number' ? undefined : first;
    },
    { what: 'a stream' },
  );

/** The Snapshot of the leader once it has the account of the tenant. */
const withAccount = (port: number): Promise<SnapshotFrame> =>
  waitFor(
    async () => {
      const first = await servedBy(port);
      return first.entries.some(({ id }) => id === `provider/${stage.tenant}/own`) ? first : undefined;
    },
    { what: 'the account at the leader' },
  );

test('a replica that may not read a Secret yet starts no stream with less than the leader has published', async () => {
  await using replicas = await startReplicas();
  const { good, followerPort } = replicas;
  expect(await firstOf(followerPort)).toBe(503);
  await apply(cluster, followersBinding('workspaceSecrets', stage.tenant));
  expect(await servedBy(followerPort)).toEqual(good);
});

test('a withdrawn consent reaches sidecars also from a replica that may not read a Secret', async () => {
  await using replicas = await startReplicas();
  const { followerPort } = replicas;
  expect(await firstOf(followerPort)).toBe(503);
  await label(cluster, stage.tenant, null);
  expect((await servedBy(followerPort)).entries).toEqual([]);
});
