/** Tokens that a real API server makes for ServiceAccounts, at a gateway that the operator tells whom they belong to. */
import { isObject } from '@gatehouse/crds';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, installCustomResources, startControlPlane } from '../../cluster/index.ts';
import { binding, grantRights, installLease } from './rights.ts';
import { apply, becomes, type KubeThing, ours, remove, runPods, setStage, startOperator } from './support.ts';

/** The settings of a Workspace are read by every operator of a cluster, so that this test has one of its own. */
let cluster: ControlPlane;
beforeAll(async () => {
  cluster = await startControlPlane();
  await installCustomResources(cluster);
});
afterAll(() => cluster[Symbol.asyncDispose]());

interface TokenOptions {
  readonly audiences?: readonly string[];
  readonly expirationSeconds?: number;
  /** The pod that the token is bound to. */
  readonly pod?: string;
}

async function tokenOf(
  namespace: string,
  name: string,
  { audiences = ['gatehouse.dev/gateway'], expirationSeconds = 3600, pod }: TokenOptions = {},
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const boundTo = pod === undefined ? {} : { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod } };
  const spec = { audiences, expirationSeconds, ...boundTo };
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const { body } = await cluster.request('POST', path, { body: request });
  const token = isObject(body) && isObject(body['status']) ? body['status']['token'] : undefined;
  if (typeof token !== 'string') throw new Error(`no token: ${JSON.stringify(body)}`);
  return token;
}

const serviceAccount = (namespace: string, name: string): KubeThing => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace },
});

/** The gateway knew the caller and asked for a provider. */
const KNOWN = 400;

test('a ServiceAccount acts in the workspace that names it, with tokens for gateways alone', async () => {
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  for (const name of ['app', 'other', 'reader']) {
    await apply(cluster, serviceAccount(tenant, name));
  }
  const named = (serviceAccount: string, scope: string) => ({ namespace: tenant, serviceAccount, scopes: [scope] });
  const workspace = (...workloadIdentities: object[]) =>
    apply(cluster, ours('Workspace', { name: tenant }, { namespace: tenant, workloadIdentities }));
  await workspace(named('app', 'completions.write'), named('reader', 'configs.read'));
  await using _operator = await startOperator(stage.setup);
  const [pod] = await runPods(stage);
  if (pod === undefined) throw new Error('there is no pod');
  await using _pod = pod;
  const becomesFor = async (token: string, status: number): Promise<void> => {
    await waitFor(async () => (await pod.ask(token)) === status, { what: `the status ${status}` });
  };

  await becomesFor(await tokenOf(tenant, 'app'), KNOWN);
  expect(await pod.ask(await tokenOf(tenant, 'reader'))).toBe(403);
  expect(await pod.ask(await tokenOf(tenant, 'other'))).toBe(403);
  expect(await pod.ask(await tokenOf(tenant, 'app', { expirationSeconds: 7200 }))).toBe(401);
  expect(await pod.ask(await tokenOf(tenant, 'app', { audiences: ['elsewhere'] }))).toBe(401);
  const issuer = 'https://kubernetes.default.svc.cluster.local';
  expect(await pod.ask(await tokenOf(tenant, 'app', { audiences: [issuer] }))).toBe(401);
  expect(await pod.ask(await tokenOf(tenant, 'app', { audiences: ['gatehouse.dev/gateway', issuer] }))).toBe(401);

  const token = await tokenOf(tenant, 'app');
  expect(await pod.ask(token)).toBe(KNOWN);
  await workspace(named('other', 'completions.write'));
  await becomesFor(token, 403);
  await becomesFor(await tokenOf(tenant, 'other'), KNOWN);
});

test('tokens of a ServiceAccount that was deleted end, also when there is another one of its name', async () => {
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  const account = serviceAccount(tenant, 'app');
  await apply(cluster, account);
  const workloadIdentities = [{ namespace: tenant, serviceAccount: 'app', scopes: ['completions.write'] }];
  await apply(cluster, ours('Workspace', { name: tenant }, { namespace: tenant, workloadIdentities }));
  await using _operator = await startOperator(stage.setup);
  const [pod] = await runPods(stage);
  if (pod === undefined) throw new Error('there is no pod');
  await using _pod = pod;
  const becomesFor = async (token: string, status: number): Promise<void> => {
    await waitFor(async () => (await pod.ask(token)) === status, { what: `the status ${status}` });
  };

  const first = await tokenOf(tenant, 'app');
  await waitFor(async () => (await pod.ask(first)) === KNOWN, { what: 'the first token' });
  await remove(cluster, account);
  await becomesFor(first, 401);
  await apply(cluster, account);
  const second = await tokenOf(tenant, 'app');
  await becomesFor(second, KNOWN);
  expect(await pod.ask(first)).toBe(401);
});

test('a Workspace says which right is missing where ServiceAccounts may not be read, and their tokens are good', async () => {
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  const kubeconfigPath = await grantRights(stage);
  await installLease(stage);
  const elsewhere = await cluster.createNamespace();
  await apply(cluster, serviceAccount(elsewhere, 'job'));
  const workloadIdentities = [{ namespace: elsewhere, serviceAccount: 'job', scopes: ['completions.write'] }];
  const workspace = ours('Workspace', { name: tenant }, { namespace: tenant, workloadIdentities });
  await apply(cluster, workspace);
  await using _operator = await startOperator({ ...stage.setup, kubeconfigPath });
  const [pod] = await runPods(stage);
  if (pod === undefined) throw new Error('there is no pod');
  await using _pod = pod;

  const denied = await becomes(cluster, workspace, { type: 'ResolvedRefs', status: 'False', reason: 'AccessDenied' });
  expect(denied.message).toContain(`kubectl create role gatehouse-service-accounts --namespace ${elsewhere}`);
  const token = await tokenOf(elsewhere, 'job');
  await waitFor(async () => (await pod.ask(token)) === KNOWN, { what: 'a known caller' });
  await apply(cluster, binding(stage, 'watched', elsewhere));
  await becomes(cluster, workspace, { type: 'ResolvedRefs', status: 'True' });
  await remove(cluster, serviceAccount(elsewhere, 'job'));
  await waitFor(async () => (await pod.ask(token)) === 401, { what: 'a refusal' });
});

test('pods of a namespace with a SidecarProfile that names a fleet act in its workspace, until the profile is gone', async () => {
  await using stage = await setStage(cluster);
  const { tenant, fleets, fleet } = stage;
  const elsewhere = await cluster.createNamespace();
  const container = { name: 'app', image: 'registry.example.com/app:1' };
  for (const namespace of [tenant, elsewhere]) {
    await apply(cluster, serviceAccount(namespace, 'plain'));
    const metadata = { name: 'app', namespace };
    const spec = { serviceAccountName: 'plain', containers: [container] };
    await apply(cluster, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  }
  const profile = ours(
    'SidecarProfile',
    { name: 'app', namespace: tenant },
    { fleetRef: { name: fleet, namespace: fleets } },
  );
  await using _operator = await startOperator(stage.setup);
  const [pod] = await runPods(stage);
  if (pod === undefined) throw new Error('there is no pod');
  await using _pod = pod;
  const becomesFor = async (token: string, status: number): Promise<void> => {
    await waitFor(async () => (await pod.ask(token)) === status, { what: `the status ${status}` });
  };

  const token = await tokenOf(tenant, 'plain', { pod: 'app' });
  await becomesFor(token, 403);
  await apply(cluster, profile);
  await becomesFor(token, KNOWN);
  expect(await pod.ask(await tokenOf(tenant, 'plain'))).toBe(403);
  expect(await pod.ask(await tokenOf(elsewhere, 'plain', { pod: 'app' }))).toBe(403);
  await remove(cluster, profile);
  await becomesFor(token, 403);
});
