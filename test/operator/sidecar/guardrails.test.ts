/** Guardrails in a sidecar that follows the snapshot service of the operator, with admission by its webhooks. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readMountedCopy } from '@gatehouse/crds/snapshot';
import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, installCustomResources, runKubectl, startControlPlane } from '../../cluster/index.ts';
import { type GatewayProcess, startGateway } from '../../contract/gateway-process.ts';
import { mockSecretResource } from '../../kit/resources.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { grantRights, installShells } from '../operator/rights.ts';
import {
  apply,
  becomes,
  fleetOf,
  type KubeThing,
  type OperatorProcess,
  ours,
  read,
  type Stage,
  secret,
  setStage,
  startOperator,
} from '../operator/support.ts';

/** Ten times what is promised: other tests share the machine. */
const EFFECT_MS = 10_000;
const DENIED = 446;

let parts: AsyncDisposableStack;
let cluster: ControlPlane;
let stage: Stage;
let upstream: string;
let sidecar: GatewayProcess;

beforeAll(async () => {
  parts = new AsyncDisposableStack();
  cluster = parts.use(await startControlPlane());
  await installCustomResources(cluster);
  const mock = await createMockProvider();
  upstream = mock.url;
  parts.defer(() => mock.close());
  stage = parts.use(await setStage(cluster, { args: ['--webhook-url', 'https://127.0.0.1:0'] }));
  await installShells(stage);
  const kubeconfigPath = await grantRights(stage);
  await apply(cluster, mockSecretResource(stage.tenant));
  await apply(cluster, ours('Organisation', { name: 'default' }, { tenantHosts: [{ host: '127.0.0.1' }] }));
  await apply(cluster, secret(stage.fleets, 'cert', { 'tls.crt': LOOPBACK_PEM, 'tls.key': LOOPBACK_PEM }));
  const listeners = [{ name: 'https', port: 8443, tlsSecretRef: { name: 'cert' } }];
  await apply(cluster, fleetOf(stage.fleets, { replicas: 1, listeners }));
  const operator = parts.use(await startOperator({ ...stage.setup, kubeconfigPath }));
  const profile = ours('SidecarProfile', { namespace: stage.tenant, name: 'default' }, { fleetRef: fleetRef(stage) });
  await apply(cluster, profile);
  await becomes(cluster, profile, { type: 'Programmed', status: 'True' });
  sidecar = parts.use(await startSidecar(operator));
});
afterAll(() => parts.disposeAsync());

const fleetRef = ({ fleet, fleets }: Stage) => ({ name: fleet, namespace: fleets });

/** As the injector configures it, with the tokens that a kubelet would project. */
async function startSidecar(operator: OperatorProcess): Promise<GatewayProcess> {
  const { tenant, folder } = stage;
  const port = await waitFor(() => operator.lines('Webhooks and snapshot service started')[0]?.['snapshots'], {
    what: 'the snapshot service',
  });
  const name = { name: 'gatehouse-sidecar-snapshot', namespace: tenant };
  const copy = await read(cluster, { apiVersion: 'v1', kind: 'ConfigMap', metadata: name });
  const files = { token: ['gatehouse-snapshot'], 'fleet-token': ['gatehouse.dev/gateway'] };
  for (const [file, audiences] of Object.entries(files)) {
    await writeFile(join(folder, file), await cluster.serviceAccountToken(tenant, 'default', { audiences }));
  }
  await writeFile(join(folder, 'ca.crt'), copy?.data?.['ca.crt'] ?? '');
  return startGateway({
    GATEHOUSE_SNAPSHOT_SOURCE: 'sidecar',
    GATEHOUSE_SIDECAR_PROFILE: 'default',
    GATEHOUSE_SNAPSHOT_MOUNT_DIR: join(folder, 'nothing-is-mounted'),
    GATEHOUSE_SNAPSHOT_SERVICE_URL: `https://127.0.0.1:${String(port)}`,
    GATEHOUSE_SNAPSHOT_TOKEN_FILE: join(folder, 'token'),
    GATEHOUSE_SNAPSHOT_CA_FILE: join(folder, 'ca.crt'),
    GATEHOUSE_FLEET_TOKEN_FILE: join(folder, 'fleet-token'),
    TRUSTED_CUSTOM_HOSTS: '127.0.0.1,localhost',
  });
}

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
const guardrailOf = (words: readonly string[], id = 'default.contains'): KubeThing =>
  ours(
    'Guardrail',
    { name: 'no-greeting', namespace: stage.tenant },
    { checks: [{ id, parameters: { words, operator: 'none' } }], actions: { deny: true } },
  );

interface Answer {
  readonly status: number;
  readonly body: { readonly model?: string; readonly error?: { readonly code: string; readonly message: string } };
}

/** Says "hi" as an application does, which has no key. */
async function ask(config: string): Promise<Answer> {
  const response = await fetch(`${sidecar.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gw-config': config },
    body: JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'hi' }] }),
  });
  return { status: response.status, body: (await response.json()) as Answer['body'] }; // in the format of the gateway
}

const answers = (config: string, status: number): Promise<Answer> =>
  waitFor(
    async () => {
      const answer = await ask(config);
      return answer.status === status ? answer : undefined;
    },
    { what: `${status} by ${config}`, deadlineMs: EFFECT_MS },
  );

test('a guardrail that is applied with kubectl denies in a sidecar, and a change of it is in force there', async () => {
  await kubectlApply(guardrailOf(['goodbye']));
  await kubectlApply(configOf('guarded', ['no-greeting']));
  expect((await answers('guarded', 200)).body.model).toBe('guarded');
  await kubectlApply(guardrailOf(['hi']));
  await answers('guarded', DENIED);
});

test('a broken guardrail is refused at admission with its path and the nearest name, and changes nothing', async () => {
  const refused = kubectlApply(guardrailOf(['goodbye'], 'default.contain'));
  await expect(refused).rejects.toThrow('unknown check default.contain; did you mean default.contains?');
  await expect(kubectlApply(configOf('odd', [{ 'default.contain': {} }]))).rejects.toThrow('did you mean');
  await answers('guarded', DENIED);
});

test('a guardrail with a credential of the organisation goes to the fleet, which never gives the credential away', async () => {
  const { organisation, tenant } = stage;
  const hidden = 'sk-of-the-organisation';
  await apply(cluster, secret(organisation, 'lakera', { apiKey: hidden }));
  const integration = { provider: 'lakera', secretRef: { name: 'lakera' } };
  await apply(cluster, ours('Integration', { name: 'lakera', namespace: organisation }, integration));
  const access = { integrationRef: { name: 'lakera' }, workspaceRef: { name: tenant } };
  await apply(cluster, ours('IntegrationAccess', { name: 'lakera', namespace: organisation }, access));
  const scan = ours('Guardrail', { name: 'scan', namespace: tenant }, { checks: [{ id: 'lakera.guard' }] });
  await kubectlApply(scan);
  await kubectlApply(configOf('scanned', ['scan']));
  // No node runs the fleet of this cluster.
  expect((await answers('scanned', 503)).body.error).toMatchObject({ code: 'fleet_unavailable' });
  const copied = await waitFor(
    async () => {
      const text = JSON.stringify((await mountedCopy()) ?? {});
      return text.includes(`guardrail/${tenant}/scan`) ? text : undefined;
    },
    { what: 'the guardrail in the mounted copy' },
  );
  expect(copied).toContain('"needsFleet":["credential//');
  expect(copied).not.toContain(hidden);
});

/** What pods of the workspace have mounted; undefined while ConfigMap and Secret are not of one version. */
async function mountedCopy(): Promise<object | undefined> {
  const metadata = { name: 'gatehouse-sidecar-snapshot', namespace: stage.tenant };
  const bytesOf = async (kind: string, member: 'data' | 'binaryData'): Promise<Buffer> => {
    const found: Copy | undefined = await read(cluster, { apiVersion: 'v1', kind, metadata });
    return Buffer.from(found?.[member]?.['snapshot.json.gz'] ?? '', 'base64');
  };
  const parts = { config: await bytesOf('ConfigMap', 'binaryData'), secret: await bytesOf('Secret', 'data') };
  const copy = readMountedCopy(parts);
  return copy.ok ? copy.value : undefined;
}

type Copy = KubeThing & { readonly binaryData?: Readonly<Record<string, string>> };
