import { unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createKubernetesStore,
  type KubernetesStore,
} from '../../../operator/src/management/store/kubernetes/index.ts';
import { QUICK, recordLog, running } from '../runtime/support.ts';
import { badConfig, LOCAL, startWebhookStage, type WebhookStage } from '../webhook/support.ts';

const PLAIN = { force: false };
const signal = AbortSignal.timeout(600_000);

let stage: WebhookStage;
let store: KubernetesStore['resources'];
const parts = new AsyncDisposableStack();
beforeAll(async () => {
  stage = parts.use(await startWebhookStage());
  const blind = createKubernetesStore({
    client: stage.client,
    view: { translatedWorld: () => undefined, isTerminating: () => false },
    ...{ namespaces: 'all', log: recordLog(), timing: QUICK, signal },
  });
  parts.use(running((ending) => blind.run(ending)));
  unwrap(await blind.synced({ signal, timeoutMs: 120_000 }));
  store = blind.resources;
});
afterAll(() => parts.disposeAsync());

test('a store that knows nothing of references has the verdict of the webhook about a deletion', async () => {
  const used = { kind: 'VirtualKey', namespace: stage.team, name: 'used' } as const;
  const user = { kind: 'GatewayConfig', namespace: stage.team, name: 'user' } as const;
  unwrap(await store.create(used, { spec: LOCAL }, PLAIN));
  unwrap(await store.create(user, { spec: { config: { provider: '@used' } } }, PLAIN));
  const dry = { ...PLAIN, dryRun: true };
  const inUse = { ok: false, error: { kind: 'in-use', users: [`GatewayConfig/${stage.team}/user`] } };
  await expect.poll(() => store.delete(used, dry), { timeout: 120_000 }).toEqual(inUse);
  expect(await store.delete(used, PLAIN)).toEqual(inUse);
  unwrap(await store.delete(user, PLAIN));
  await expect.poll(async () => (await store.delete(used, PLAIN)).ok, { timeout: 120_000 }).toBe(true);
});

test('the content of an object is refused with the paths of its problems', async () => {
  const place = { kind: 'GatewayConfig', namespace: stage.team, name: 'bad' } as const;
  const outcome = await store.create(place, { spec: badConfig() as Record<string, unknown> }, PLAIN);
  expect(outcome).toMatchObject({ ok: false, error: { kind: 'invalid' } });
  expect(JSON.stringify(outcome)).toContain('targets');
});

test('a workspace that must not wait for its namespace is refused until the namespace has the label', async () => {
  const place = { kind: 'Workspace', namespace: undefined, name: 'permitted' } as const;
  const draft = { spec: { namespace: 'permitted' } };
  const strict = { ...PLAIN, permittedOnly: true };
  const refused = await store.create(place, draft, strict);
  const issue = { path: ['spec', 'namespace'], message: expect.stringContaining('gatehouse.dev/workspace: permitted') };
  expect(refused).toMatchObject({ ok: false, error: { kind: 'invalid', issues: [issue] } });
  expect(await store.get(place)).toBeUndefined();
  const metadata = { name: 'permitted', labels: { 'gatehouse.dev/workspace': 'permitted' } };
  const namespaces = { group: '', version: 'v1', kind: 'Namespace', plural: 'namespaces', namespaced: false };
  await stage.client.create(namespaces, { apiVersion: 'v1', kind: 'Namespace', metadata }, { signal });
  await expect.poll(async () => (await store.create(place, draft, strict)).ok, { timeout: 120_000 }).toBe(true);
  expect((await store.get(place))?.meta.annotations).toEqual({});
});
