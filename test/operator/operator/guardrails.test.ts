/** Guardrails that are applied with kubectl, on three gateway processes. */
import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, runKubectl, sharedControlPlane } from '../../cluster/index.ts';
import { apiKeyResource, mockSecretResource } from '../../kit/resources.ts';
import {
  apply,
  becomes,
  type KubeThing,
  ours,
  type PodProcess,
  read,
  runPods,
  type Stage,
  secret,
  setStage,
  startOperator,
} from './support.ts';

/** Ten times what is promised: other tests share the machine. */
const EFFECT_MS = 10_000;
const PODS = 3;
const DENIED = 446;
const KEY = 'gwk_of_the_guardrail_tests';

let parts: AsyncDisposableStack;
let cluster: ControlPlaneAccess;
let stage: Stage;
let upstream: string;
let pods: readonly PodProcess[];

beforeAll(async () => {
  parts = new AsyncDisposableStack();
  cluster = parts.use(sharedControlPlane());
  const mock = await createMockProvider();
  upstream = mock.url;
  parts.defer(() => mock.close());
  stage = parts.use(await setStage(cluster, { replicas: PODS }));
  await apply(cluster, mockSecretResource(stage.tenant));
  await apply(cluster, apiKeyResource(stage.tenant, 'app', KEY));
  await apply(cluster, configOf('main', []));
  parts.use(await startOperator(stage.setup));
  pods = await runPods(stage, { count: PODS });
  for (const pod of pods) parts.use(pod);
});
afterAll(() => parts.disposeAsync());

const kubectlApply = (object: object): Promise<string> =>
  runKubectl(cluster, ['apply', '-f', '-'], { input: JSON.stringify(object) });

/** A config that answers with its own name as the model. */
const configOf = (name: string, inputGuardrails: readonly unknown[]): KubeThing =>
  ours(
    'GatewayConfig',
    { name, namespace: stage.tenant },
    {
      config: {
        ...{ provider: 'openai', customHost: `${upstream}/v1`, secretRef: { name: 'mock', key: 'key' } },
        ...{ overrideParams: { model: name }, inputGuardrails },
      },
    },
  );

/** Denies requests with one of the words; those of the tests say "hi". */
const guardrailOf = (name: string, words: readonly string[], id = 'default.contains'): KubeThing =>
  ours(
    'Guardrail',
    { name, namespace: stage.tenant },
    { checks: [{ id, parameters: { words, operator: 'none' } }], actions: { deny: true } },
  );

const onEveryPod = (config: string, want: string | number): Promise<unknown> =>
  Promise.all(
    pods.map((pod) =>
      waitFor(async () => (await pod.ask(KEY, { 'x-gw-config': config })) === want, {
        what: `${want} by ${config} on ${pod.pod}`,
        deadlineMs: EFFECT_MS,
      }),
    ),
  );

describe('applied with kubectl, and in force on three pods', () => {
  test('is a guardrail that a config names, and a change of it', async () => {
    await kubectlApply(guardrailOf('no-greeting', ['goodbye']));
    await kubectlApply(configOf('guarded', ['no-greeting']));
    await onEveryPod('guarded', 'guarded');
    await kubectlApply(guardrailOf('no-greeting', ['goodbye', 'hi']));
    await onEveryPod('guarded', DENIED);
    await onEveryPod('main', 'main');
  });

  test('is a guardrail that a config writes out', async () => {
    const words = { 'default.contains': { words: ['hi'], operator: 'none' } };
    await kubectlApply(configOf('inline', [{ ...words, deny: true }]));
    await onEveryPod('inline', DENIED);
  });

  test('is a guardrail of every request of the workspace', async () => {
    const workspace = (defaults: object) =>
      ours('Workspace', { name: stage.tenant }, { namespace: stage.tenant, defaults });
    await kubectlApply(guardrailOf('for-all', ['hi']));
    await kubectlApply(workspace({ inputGuardrailRefs: [{ name: 'for-all' }] }));
    await onEveryPod('main', DENIED);
    await kubectlApply(workspace({}));
    await onEveryPod('main', 'main');
  });

  test('is the refusal of requests under a guardrail that does not exist', async () => {
    await kubectlApply(configOf('lost', ['nowhere']));
    await onEveryPod('lost', 400);
    const found = await becomes(cluster, configOf('lost', []), { type: 'ResolvedRefs', status: 'False' });
    expect(found).toMatchObject({ reason: 'RefNotFound', message: expect.stringContaining('Guardrail nowhere') });
  });
});

describe('the status of a guardrail', () => {
  test('says what is wrong with a broken one, while the last good one stays in force', async () => {
    await kubectlApply(guardrailOf('broken-later', ['hi']));
    await kubectlApply(configOf('broken', ['broken-later']));
    await onEveryPod('broken', DENIED);
    await kubectlApply(guardrailOf('broken-later', ['goodbye'], 'default.contain'));
    const refused = await becomes(cluster, guardrailOf('broken-later', []), { type: 'Accepted', status: 'False' });
    expect(refused).toMatchObject({ reason: 'Invalid' });
    expect(refused.message).toContain(
      'spec.checks[0].id: unknown check default.contain; did you mean default.contains?',
    );
    await onEveryPod('broken', DENIED);
    await kubectlApply(guardrailOf('broken-later', ['goodbye']));
    await onEveryPod('broken', 'broken');
    await becomes(cluster, guardrailOf('broken-later', []), { type: 'Ready', status: 'True' });
  });

  test('names who uses it, as kubectl shows', async () => {
    await kubectlApply(guardrailOf('shared', ['hi']));
    for (const name of ['first', 'second']) await kubectlApply(configOf(name, ['shared']));
    const object = guardrailOf('shared', []);
    const users = await waitFor(
      async () => {
        const used = (await read(cluster, object))?.status?.['usedBy'] as { total?: number } | undefined; // as the schema says
        return used?.total === 2 ? used : undefined;
      },
      { what: 'two users' },
    );
    const resources = ['first', 'second'].map((name) => `GatewayConfig/${stage.tenant}/${name}`);
    expect(users).toMatchObject({ resources });
    const printed = await runKubectl(cluster, ['get', 'guardrails', 'shared', '-n', stage.tenant]);
    const [header = '', row = ''] = printed.trim().split('\n');
    expect(row.slice(header.indexOf('USED BY')).trim().split(/\s+/)[0]).toBe('2');
  });
});

test('credentials and parameters that may be secret are published as Secrets alone', async () => {
  const hidden = { credential: 'sk-of-the-scanner', header: 'token-of-the-webhook' };
  await apply(cluster, secret(stage.tenant, 'scanner', { apiKey: hidden.credential }));
  const checks = [
    { id: 'lakera.guard', parametersSecretRef: { name: 'scanner' } },
    {
      id: 'default.webhook',
      parameters: { webhookURL: 'https://hooks.example.com/check', headers: { authorization: hidden.header } },
    },
  ];
  const object = ours('Guardrail', { name: 'secretive', namespace: stage.tenant }, { checks });
  await kubectlApply(object);
  await becomes(cluster, object, { type: 'Programmed', status: 'True' });
  const published = { configmaps: await textsOf('configmaps'), secrets: await textsOf('secrets') };
  expect(published.configmaps).toContain('secretive');
  for (const text of Object.values(hidden)) {
    expect(published.configmaps).not.toContain(text);
    expect(published.secrets).toContain(text);
  }
});

/** Everything that is published to the fleet in objects of a kind, decoded. */
async function textsOf(plural: 'configmaps' | 'secrets'): Promise<string> {
  const { body } = await cluster.request('GET', `/api/v1/namespaces/${stage.fleets}/${plural}`);
  const { items } = body as { items: readonly KubeThing[] }; // a list
  const values = items.flatMap(({ data = {} }) => Object.values(data));
  const decode = (value: string): string =>
    plural === 'secrets' ? Buffer.from(value, 'base64').toString('utf8') : value;
  return values.map(decode).join('\n');
}
