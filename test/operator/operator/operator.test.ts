/** The whole control plane as a process: resources, the gateways that serve them, and their statuses. */

import { createHash } from 'node:crypto';
import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { apiKeyResource } from '../../kit/resources.ts';
import {
  apply,
  becomes,
  condition,
  endLease,
  fleetOf,
  type KubeThing,
  ours,
  read,
  remove,
  runPods,
  type Stage,
  secret,
  setStage,
  startOperator,
} from './support.ts';

const KEY = 'gwk_a_key_of_the_operator_tests';
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const SCOPES = ['completions.write'];

let cluster: ControlPlaneAccess;
let mock: MockProvider;
beforeAll(async () => {
  cluster = sharedControlPlane();
  mock = await createMockProvider();
});
afterAll(async () => {
  await mock.close();
  await cluster[Symbol.asyncDispose]();
});

/** A key, a provider with a credential, and a config that answers with a model of its own. */
async function furnish(
  { tenant }: Stage,
  model = 'one',
): Promise<Readonly<Record<'key' | 'provider' | 'config', KubeThing>>> {
  await apply(cluster, secret(tenant, 'mock', { key: 'credential-of-the-tenant' }));
  const provider = ours(
    'VirtualKey',
    { name: 'local', namespace: tenant },
    {
      provider: 'openai',
      secretRef: { name: 'mock', key: 'key' },
      customHost: `${mock.url}/v1`,
    },
  );
  const config = configOf(tenant, model);
  const key = apiKeyResource(tenant, 'app', KEY);
  for (const object of [provider, config, key]) await apply(cluster, object);
  return { key, provider, config };
}

const configOf = (tenant: string, model: string, further: object = {}): KubeThing =>
  ours(
    'GatewayConfig',
    { name: 'main', namespace: tenant },
    {
      config: { provider: '@local', overrideParams: { model }, ...further },
    },
  );

const READY = { type: 'Ready', status: 'True', reason: 'Succeeded' };

describe('the operator', () => {
  test('makes resources serve, says so, and brings every edit to the pods', async () => {
    await using stage = await setStage(cluster, { replicas: 2 });
    const { key, provider, config } = await furnish(stage);
    await using operator = await startOperator(stage.setup);
    await becomes(cluster, key, { type: 'Programmed', status: 'Unknown', reason: 'NoReadyPods' });
    const [first, second] = await runPods(stage, { count: 2 });
    await using _first = first;
    await using _second = second;
    const workspace = ours('Workspace', { name: stage.tenant }, {});
    for (const object of [key, provider, config, workspace]) await becomes(cluster, object, READY);
    await becomes(cluster, fleetOf(stage.fleets, {}), READY);
    expect(await first?.ask(KEY)).toBe('one');
    expect(await second?.ask(KEY)).toBe('one');

    await apply(cluster, configOf(stage.tenant, 'two'));
    await waitFor(async () => (await first?.ask(KEY)) === 'two', { what: 'the edit on every pod' });
    await becomes(cluster, config, READY);
    expect((await read(cluster, config))?.status).toMatchObject({ observedGeneration: 2 });
    const counted = async () => (await read(cluster, fleetOf(stage.fleets, {})))?.status?.['programmedReplicas'];
    await waitFor(async () => (await counted()) === 2, { what: 'a count of both pods' });
    const metrics = async () => (await fetch(`${operator.healthUrl}/metrics`)).text();
    await waitFor(async () => /gatehouse_operator_propagation_seconds_count [1-9]/.test(await metrics()), {
      what: 'the measured propagation',
    });
    expect((await fetch(`${operator.healthUrl}/readyz`)).status).toBe(200);
    expect(operator.output()).not.toContain('credential-of-the-tenant');

    await remove(cluster, key);
    await waitFor(async () => (await first?.ask(KEY)) === 401, { what: 'a revoked key' });
    expect(await operator.stop()).toBe(0);
  });

  test('says what is wrong with a broken resource, keeps the rest serving, and heals with the fix', async () => {
    await using stage = await setStage(cluster);
    const { config, provider } = await furnish(stage);
    await using _operator = await startOperator(stage.setup);
    const [pod] = await runPods(stage);
    await using _pod = pod;
    await becomes(cluster, config, READY);

    await apply(cluster, configOf(stage.tenant, 'two', { cache: { mode: 'semantic' } }));
    const refused = await becomes(cluster, config, { type: 'Accepted', status: 'False', reason: 'Invalid' });
    expect(refused.message).toContain('spec.config.cache.embeddingModel');
    await becomes(cluster, config, { type: 'Stalled', status: 'True' });
    const lost = { ...provider, spec: { ...(provider.spec as object), secretRef: { name: 'nowhere', key: 'key' } } };
    await apply(cluster, lost);
    const missing = await becomes(cluster, provider, { type: 'ResolvedRefs', status: 'False', reason: 'RefNotFound' });
    expect(missing.message).toContain('spec.secretRef');
    expect(await pod?.ask(KEY)).toBe('one');

    await apply(cluster, configOf(stage.tenant, 'three'));
    await apply(cluster, provider);
    for (const object of [config, provider]) await becomes(cluster, object, READY);
    expect(await condition(cluster, config, 'Stalled')).toBeUndefined();
    expect(await pod?.ask(KEY)).toBe('three');
  });

  test('keeps the last good content of a broken resource over its own restart', async () => {
    await using stage = await setStage(cluster);
    const { config, provider, key } = await furnish(stage);
    const before = await startOperator(stage.setup);
    const [pod] = await runPods(stage);
    await using _pod = pod;
    for (const object of [config, provider, key]) await becomes(cluster, object, READY);
    const programmedAt = (await read(cluster, key))?.status;
    await before.kill();
    await endLease(stage);

    await apply(cluster, configOf(stage.tenant, 'two', { cache: { mode: 'semantic' } }));
    await remove(cluster, secret(stage.tenant, 'mock', {}));
    await using _after = await startOperator(stage.setup);
    await becomes(cluster, config, { type: 'Accepted', status: 'False' });
    await becomes(cluster, provider, { type: 'ResolvedRefs', status: 'False' });
    await apply(
      cluster,
      ours(
        'ApiKey',
        { name: 'later', namespace: stage.tenant },
        {
          type: 'workspace-service',
          sha256: sha256('gwk_later'),
          scopes: SCOPES,
          defaults: { configRef: { name: 'main' } },
        },
      ),
    );
    await waitFor(async () => (await pod?.ask('gwk_later')) === 'one', { what: 'an edit after the restart' });
    expect(await pod?.ask(KEY)).toBe('one');
    expect((await read(cluster, key))?.status).toEqual(programmedAt);
  });

  test('echoes a forced run, and writes no status twice', async () => {
    await using stage = await setStage(cluster);
    const { config } = await furnish(stage);
    await using _operator = await startOperator(stage.setup);
    const [pod] = await runPods(stage);
    await using _pod = pod;
    await becomes(cluster, config, READY);
    const user = { resource: 'gatewayconfigs', subresource: 'status', namespace: stage.tenant, verb: 'patch' };
    const earlier = (await cluster.auditEvents(user)).length;
    const asked = { ...config, metadata: { ...config.metadata, annotations: { 'gatehouse.dev/requestedAt': 'now' } } };
    await apply(cluster, asked);
    await waitFor(async () => (await read(cluster, config))?.status?.['lastHandledReconcileAt'] === 'now', {
      what: 'the echo',
    });
    // The event of a write comes after its answer.
    await waitFor(async () => (await cluster.auditEvents(user)).length > earlier, { what: 'the event of the echo' });
    const writes = (await cluster.auditEvents(user)).length;
    await pod?.report(false);
    await becomes(cluster, fleetOf(stage.fleets, {}), { type: 'Ready', status: 'Unknown' });
    await pod?.report(true);
    await becomes(cluster, fleetOf(stage.fleets, {}), READY);
    expect((await cluster.auditEvents(user)).length).toBe(writes);
  });

  test('names the fleet that holds an object up, and no fleet where there is none', async () => {
    await using stage = await setStage(cluster);
    const { key } = await furnish(stage);
    await using _operator = await startOperator(stage.setup);
    const [pod] = await runPods(stage);
    await using _pod = pod;
    await becomes(cluster, key, READY);
    await remove(cluster, fleetOf(stage.fleets, {}));
    await becomes(cluster, key, { type: 'Programmed', status: 'False', reason: 'NoFleet' });
    await becomes(cluster, key, { type: 'Ready', status: 'False', reason: 'NoFleet' });
  });
});
