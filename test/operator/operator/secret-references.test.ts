/** SecretReferences on a real API server: values are served and rotated, and no status or event has one. */
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlaneAccess, runKubectl, sharedControlPlane } from '../../cluster/index.ts';
import { apply, becomes, entriesIn, ours, type Stage, secret, setStage, startOperator } from './support.ts';

let parts: AsyncDisposableStack;
let cluster: ControlPlaneAccess;
let stage: Stage;

beforeAll(async () => {
  parts = new AsyncDisposableStack();
  cluster = parts.use(sharedControlPlane());
  stage = parts.use(await setStage(cluster));
  parts.use(await startOperator(stage.setup));
});
afterAll(() => parts.disposeAsync());

const virtualKey = (name: string, reference: string) =>
  ours(
    'VirtualKey',
    { name, namespace: stage.tenant },
    { provider: 'openai', secretMappings: [{ field: 'api_key', secretReferenceRef: { name: reference }, key: 'key' }] },
  );

/** The API keys that are published, by the names of their accounts. */
const keysServed = async (): Promise<string> => {
  const entries = await entriesIn(cluster, stage.fleets);
  return JSON.stringify(entries.flatMap(({ kind, body }) => (kind === 'credential' ? [body.fields['api_key']] : [])));
};

test('a Secret is served and rotated; a manager that may not be called says so; nothing is told', async () => {
  const { tenant } = stage;
  await apply(cluster, secret(tenant, 'openai', { key: 'sk-canary-1' }));
  await apply(cluster, secret(tenant, 'vault', { token: 'hvs.canary' }));
  await apply(
    cluster,
    ours('SecretReference', { name: 'own', namespace: tenant }, { manager: 'Kubernetes', path: 'openai' }),
  );
  const vault = { address: 'https://127.0.0.1:8200', authMethod: 'Token' };
  const credentialsRef = { name: 'vault' };
  await apply(
    cluster,
    ours(
      'SecretReference',
      { name: 'away', namespace: tenant },
      { manager: 'Vault', path: 'a', credentialsRef, vault },
    ),
  );
  await apply(cluster, virtualKey('served', 'own'));
  await apply(cluster, virtualKey('waiting', 'away'));
  await waitFor(async () => (await keysServed()).includes('sk-canary-1'), { what: 'the value' });
  await apply(cluster, secret(tenant, 'openai', { key: 'sk-canary-2' }));
  await waitFor(async () => (await keysServed()).includes('sk-canary-2'), { what: 'the new value' });

  const resolved = { type: 'ResolvedRefs', status: 'False' };
  const away = ours('SecretReference', { name: 'away', namespace: tenant }, {});
  await becomes(cluster, away, { ...resolved, reason: 'SecretNotFetched' });
  await becomes(cluster, virtualKey('waiting', 'away'), { ...resolved, reason: 'RefNotFound' });
  await becomes(cluster, ours('SecretReference', { name: 'own', namespace: tenant }, {}), {
    type: 'ResolvedRefs',
    status: 'True',
  });
  const told = await runKubectl(cluster, ['get', 'secretreferences,virtualkeys,events', '-n', tenant, '-o', 'json']);
  expect(told).toContain('SecretNotFetched');
  expect(told).not.toContain('canary');
});
