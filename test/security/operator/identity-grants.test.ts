/** The cloud identity of gateway pods in the hands of a workspace: only while the Organisation grants it. */
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { AnyEntry, SnapshotEntry } from '@gatehouse/crds/snapshot';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { capture } from '../../../scripts/machine/index.ts';
import { type ControlPlane, installCustomResources, startControlPlane } from '../../cluster/index.ts';
import {
  apply,
  becomes,
  type KubeThing,
  ours,
  read,
  runPods,
  type Stage,
  setStage,
  startOperator,
} from '../../operator/operator/support.ts';
import { publishedThings } from './restored/support.ts';

const GUIDE = fileURLToPath(new URL('../../../docs/behaviour/cloud-identities.md', import.meta.url));
const NOT_GRANTED = { status: 'False', reason: 'IdentityNotGranted' } as const;

/** The Organisation is one for a whole cluster, so that this test has a cluster of its own. */
let cluster: ControlPlane;
beforeAll(async () => {
  cluster = await startControlPlane();
  await installCustomResources(cluster);
});
afterAll(() => cluster[Symbol.asyncDispose]());

test('a workspace has the identity of the pods from the grant until the grant is taken back', async () => {
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  await grant([]);
  const account = ours(
    'VirtualKey',
    { name: 'role', namespace: tenant },
    { provider: 'bedrock', settings: { aws_auth_type: 'assumedRole', aws_role_arn: 'arn:aws:iam::1:role/models' } },
  );
  await apply(cluster, account);
  await using _operator = await startOperator(stage.setup);
  const [pod] = await runPods(stage);
  await using _pod = pod;
  await expectRefused(stage, account);

  await grant([{ workspace: tenant, clouds: ['aws'] }]);
  await becomes(cluster, account, { type: 'Ready', status: 'True' });
  const body = (await publishedAccount(stage))?.body;
  expect(body?.ownIdentity).toBe(true);
  const uids = [await uidOf('Organisation', 'default'), await uidOf('Workspace', tenant)];
  const digest = createHash('sha256').update(uids.join('/')).digest('hex');
  expect(body?.settings['aws_external_id']).toBe(`gatehouse-${digest.slice(0, 40)}`);
  expect(await printedId(tenant)).toBe(body?.settings['aws_external_id']);

  await grant([{ workspace: tenant, clouds: ['gcp'] }]);
  await waitFor(async () => (await publishedAccount(stage)) === undefined, {
    what: 'a Snapshot without the account',
  });
  await expectRefused(stage, account);
});

test('a fleet of a workspace may ask for metadata addresses from the grant until the grant is taken back', async () => {
  await using stage = await setStage(cluster);
  const { tenant } = stage;
  await grant([{ workspace: tenant, clouds: ['gcp'] }]);
  const spec = { network: { metadataAccess: ['aws'] } };
  const fleet = ours('GatewayFleet', { name: 'own', namespace: tenant }, spec);
  await apply(cluster, fleet);
  await using _operator = await startOperator(stage.setup);
  const { message } = await becomes(cluster, fleet, { type: 'ResolvedRefs', ...NOT_GRANTED });
  expect(message).toContain(`does not grant the Workspace ${tenant} the metadata addresses of aws`);

  await grant([{ workspace: tenant, clouds: ['aws'] }]);
  await becomes(cluster, fleet, { type: 'ResolvedRefs', status: 'True' });

  await grant([{ workspace: tenant, clouds: ['gcp'] }]);
  await becomes(cluster, fleet, { type: 'ResolvedRefs', ...NOT_GRANTED });
});

const grant = (cloudIdentityGrants: readonly object[]): Promise<KubeThing> =>
  apply(cluster, ours('Organisation', { name: 'default' }, { cloudIdentityGrants }));

async function expectRefused(stage: Stage, account: KubeThing): Promise<void> {
  const { message } = await becomes(cluster, account, { type: 'ResolvedRefs', ...NOT_GRANTED });
  expect(message).toContain(`does not lend to the Workspace ${stage.tenant}`);
  await becomes(cluster, account, { type: 'Ready', ...NOT_GRANTED });
  expect(await publishedAccount(stage)).toBeUndefined();
}

/** The account as the manifest has it. */
async function publishedAccount(stage: Stage): Promise<SnapshotEntry<'provider'> | undefined> {
  const things = await publishedThings(stage);
  const manifest = things.find(({ metadata }) => metadata.name === 'main-snapshot')?.data?.['manifest.json'];
  const named = things.filter(({ metadata }) => manifest?.includes(metadata.name));
  const entries = named.flatMap(({ kind, data }): AnyEntry[] => {
    const text = data?.['shard.json'];
    if (text === undefined) return [];
    return JSON.parse(kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text);
  });
  const found = entries.find(({ id }) => id === `provider/${stage.tenant}/role`);
  return found?.kind === 'provider' ? found : undefined;
}

const uidOf = async (kind: string, name: string): Promise<string | undefined> =>
  (await read(cluster, ours(kind, { name }, {})))?.metadata.uid;

/** The external id that the command of the documentation prints, for the trust policy of the role. */
async function printedId(workspace: string): Promise<string> {
  const [, script = ''] = /```text\n(printf [^`]*)```/.exec(await readFile(GUIDE, 'utf8')) ?? [];
  expect(script).toContain('team-a');
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-kubectl-'));
  try {
    await symlink(cluster.kubectlPath, join(folder, 'kubectl'));
    const env = { PATH: `${folder}:/usr/bin:/bin`, KUBECONFIG: cluster.kubeconfigPath, HOME: folder };
    const { code, stdout, stderr } = await capture(['/bin/sh', '-c', script.replace('team-a', workspace)], { env });
    expect([code, stderr]).toEqual([0, '']);
    return stdout.trim();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
