/** The resources of the guide on a running operator: each of them becomes what the guide says. */
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { clusterGuideBlocks } from '../../docs/documents.ts';
import {
  apply,
  becomes,
  documents,
  entriesIn,
  installReferenceGrants,
  type KubeThing,
  read,
  remove,
  runPods,
  secret,
  setStage,
  startOperator,
} from './support.ts';

let cluster: ControlPlaneAccess;
beforeAll(async () => {
  cluster = sharedControlPlane();
  await installReferenceGrants(cluster);
});
afterAll(() => cluster[Symbol.asyncDispose]());

const READY = { type: 'Ready', status: 'True' } as const;
const REFUSED = { type: 'ResolvedRefs', status: 'False', reason: 'RefNotPermitted' } as const;

const isQuota = ({ kind }: KubeThing): boolean => kind === 'ResourceQuota';

test('a first workspace gets its key, and what is shared with it', async () => {
  const accounts = await cluster.createNamespace();
  await using stage = await setStage(cluster, { namespaces: [accounts] });
  const { organisation, fleets, tenant, setup } = stage;
  const rename = (text: string): string =>
    text
      .replaceAll('team-a', tenant)
      .replaceAll('gatehouse-system', organisation)
      .replaceAll(/\baccounts\b/g, accounts);
  const guide = clusterGuideBlocks().filter(({ language }) => language === 'yaml');
  // Profiles are the business of an operator with webhooks, which rule a whole cluster; the fleet of the guide is that of the chart.
  const elsewhere = new Set(['SidecarProfile', 'GatewayFleet', 'Deployment']);
  const objects = guide.flatMap(({ text }) => documents(text, rename)).filter(({ kind }) => !elsewhere.has(kind));
  // Creation of what a quota counts is refused until its controller has counted what is there.
  const [quotas, counted] = [objects.filter(isQuota), objects.filter((object) => !isQuota(object))];
  await using clusterScoped = new AsyncDisposableStack();
  for (const object of objects.filter(({ kind }) => kind === 'Organisation')) {
    clusterScoped.defer(() => remove(cluster, object)); // other files share this cluster
  }
  for (const object of [...counted, ...quotas]) await apply(cluster, object);
  await using _operator = await startOperator(setup);
  const [pod] = await runPods(stage);
  await using _pod = pod;
  for (const object of objects.filter(({ apiVersion }) => apiVersion.startsWith('gatehouse.dev/'))) {
    await becomes(cluster, object, READY);
  }
  const minted = await waitFor(() => read(cluster, secret(tenant, 'app-key', {})), { what: 'a minted key' });
  expect(Buffer.from(String((minted['data'] as { key: string }).key), 'base64').toString()).toMatch(/^gwk_/); // of a Secret
  const served = async () => JSON.stringify(await entriesIn(cluster, fleets));
  expect(await served()).toContain('not-a-real-mistral-key');
  expect(await served()).toContain('not-a-real-anthropic-key');

  const find = (wanted: string, name: string): KubeThing => {
    const found = objects.find(({ kind, metadata }) => kind === wanted && metadata.name === name);
    if (found === undefined) throw new Error(`the guide has no ${wanted} ${name}`);
    return found;
  };
  await remove(cluster, find('IntegrationAccess', `anthropic-${tenant}`));
  await remove(cluster, find('ReferenceGrant', tenant));
  await becomes(cluster, find('Provider', 'anthropic'), REFUSED);
  await becomes(cluster, find('VirtualKey', 'mistral'), REFUSED);
});
