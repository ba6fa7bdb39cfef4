/** Tokens that a real API server makes for ServiceAccounts, at a gateway that the operator tells whom they belong to. */
import { isObject } from '@gatehouse/crds';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlane, installCustomResources, startControlPlane } from '../../cluster/index.ts';
import { apply, ours, runPods, setStage, startOperator } from './support.ts';

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
}

async function tokenOf(
  namespace: string,
  name: string,
  { audiences = ['gatehouse.dev/gateway'], expirationSeconds = 3600 }: TokenOptions = {},
): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`;
  const spec = { audiences, expirationSeconds };
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
  const { body } = await cluster.request('POST', path, { body: request });
  const token = isObject(body) && isObject(body['status']) ? body['status']['token'] : undefined;
  if (typeof token !== 'string') throw new Error(`no token: ${JSON.stringify(body)}`);
  return token;
}

/** The gateway knew the caller and asked for a provider. */
const KNOWN = 400;

test('a ServiceAccount acts in the workspace that names it, with tokens for gateways alone', async () => {
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  for (const name of ['app', 'other', 'reader']) {
    await apply(cluster, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace: tenant } });
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
