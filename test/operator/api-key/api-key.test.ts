/** Keys that the operator mints: they open the gateway, are rotated with an overlap, and go with their ApiKey. */
import { isObject } from '@gatehouse/crds';
import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { sharedControlPlane } from '../../cluster/index.ts';
import { apply, becomes, ours, read, remove, runPods, secret, setStage, startOperator } from '../operator/support.ts';

const SPEC = { type: 'workspace-service', scopes: ['completions.write'], defaults: { configRef: { name: 'main' } } };

test('a minted key works, overlaps with its successor, and dies with its ApiKey', async () => {
  await using cluster = sharedControlPlane();
  const mock = await createMockProvider();
  await using _mock = { [Symbol.asyncDispose]: () => mock.close() };
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  const inTenant = { namespace: tenant };
  await apply(cluster, secret(tenant, 'mock', { key: 'x' }));
  await apply(
    cluster,
    ours(
      'GatewayConfig',
      { name: 'main', ...inTenant },
      {
        config: {
          provider: 'openai',
          customHost: `${mock.url}/v1`,
          secretRef: { name: 'mock', key: 'key' },
          overrideParams: { model: 'one' },
        },
      },
    ),
  );
  const key = ours('ApiKey', { name: 'app', ...inTenant }, SPEC);
  await apply(cluster, key);
  await apply(cluster, secret(tenant, 'brought', { key: 'gwk_brought_along' }));
  await apply(
    cluster,
    ours('ApiKey', { name: 'brought', ...inTenant }, { ...SPEC, secretRef: { name: 'brought', key: 'key' } }),
  );
  await using operator = await startOperator(stage.setup);
  const [pod] = await runPods(stage);
  await using _pod = pod;
  const minted = secret(tenant, 'app-key', {});
  const entry = async (name: string): Promise<string | undefined> => {
    const encoded = (await read(cluster, minted))?.data?.[name];
    return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8');
  };

  await becomes(cluster, key, { type: 'Ready', status: 'True' });
  const first = await waitFor(() => entry('key'), { what: 'a minted key' });
  for (const value of [first, 'gwk_brought_along']) {
    await waitFor(async () => (await pod?.ask(value)) === 'one', { what: 'a key that is served' });
  }
  const live = await read(cluster, key);
  expect((await read(cluster, minted))?.metadata.ownerReferences).toMatchObject([
    { kind: 'ApiKey', uid: live?.metadata.uid },
  ]);
  expect(live?.status).toMatchObject({ secretRef: { name: 'app-key' }, maskedKey: `gw…${first.slice(-2)}` });

  await apply(cluster, { ...key, metadata: { ...key.metadata, annotations: { 'gatehouse.dev/rotate': '1' } } });
  const second = await waitFor(async () => ((await entry('key')) === first ? undefined : entry('key')), {
    what: 'another key',
  });
  expect(await entry('previous-key')).toBe(first);
  await waitFor(async () => (await pod?.ask(second)) === 'one', { what: 'the new key' });
  expect(await pod?.ask(first)).toBe('one');
  await waitFor(async () => (await read(cluster, key))?.status?.['maskedKey'] === `gw…${second.slice(-2)}`, {
    what: 'the new ends in the status',
  });
  expect((await read(cluster, secret(tenant, 'brought', {})))?.data).toEqual(
    secret(tenant, 'brought', { key: 'gwk_brought_along' }).data,
  );
  const { body } = await cluster.request('GET', `/apis/events.k8s.io/v1/namespaces/${tenant}/events`);
  expect(isObject(body)).toBe(true);
  for (const text of [operator.output(), JSON.stringify(body), JSON.stringify(await read(cluster, key))]) {
    for (const value of [first, second]) expect(text.includes(value)).toBe(false);
  }

  await remove(cluster, key);
  await waitFor(async () => (await pod?.ask(second)) === 401, { what: 'a key that is gone' });
  expect(await pod?.ask(first)).toBe(401);
  await waitFor(async () => (await read(cluster, minted)) === undefined, {
    what: 'a Secret that goes with its owner',
  });
});

test('a Secret that existed before is not taken for a minted key, and stays unchanged', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  const { defaults: _, ...spec } = SPEC;
  const key = ours('ApiKey', { name: 'app', namespace: tenant }, spec);
  const foreign = secret(tenant, 'app-key', { key: 'gwk_known_to_somebody' });
  await apply(cluster, foreign);
  await apply(cluster, key);
  await using operator = await startOperator(stage.setup);
  const { message } = await becomes(cluster, key, { type: 'Stalled', status: 'True', reason: 'Conflicted' });
  expect(message).toContain('app-key');
  expect((await read(cluster, key))?.status).not.toHaveProperty('maskedKey');
  expect((await read(cluster, foreign))?.data).toEqual(foreign.data);
  await remove(cluster, foreign);
  await becomes(cluster, key, { type: 'ResolvedRefs', status: 'True' });
  expect((await read(cluster, foreign))?.metadata.ownerReferences).toMatchObject([{ kind: 'ApiKey', name: 'app' }]);
  expect((await read(cluster, foreign))?.data).not.toEqual(foreign.data);
  expect(operator.output()).not.toContain('gwk_known');
});

test('a minted key is removed when its ApiKey names another key', async () => {
  await using cluster = sharedControlPlane();
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  const { defaults: _, ...spec } = SPEC;
  const key = ours('ApiKey', { name: 'app', namespace: tenant }, spec);
  const adopted = ours('ApiKey', { name: 'adopted', namespace: tenant }, spec);
  for (const object of [key, adopted]) await apply(cluster, object);
  await using _operator = await startOperator(stage.setup);
  for (const object of [key, adopted]) {
    await waitFor(async () => (await read(cluster, object))?.status?.['secretRef'] !== undefined, { what: 'a key' });
  }
  await apply(cluster, { ...adopted, spec: { ...spec, secretRef: { name: 'adopted-key', key: 'key' } } });
  await apply(cluster, { ...key, spec: { ...spec, sha256: 'ab'.repeat(32) } });
  await waitFor(async () => (await read(cluster, secret(tenant, 'app-key', {}))) === undefined, {
    what: 'a Secret that is gone',
  });
  await waitFor(async () => (await read(cluster, key))?.status?.['secretRef'] === undefined, {
    what: 'a status without it',
  });
  await becomes(cluster, key, { type: 'ResolvedRefs', status: 'True' });
  await becomes(cluster, adopted, { type: 'ResolvedRefs', status: 'True' });
  expect(await read(cluster, secret(tenant, 'adopted-key', {}))).toBeDefined();
});
