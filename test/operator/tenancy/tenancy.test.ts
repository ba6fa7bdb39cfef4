/** Each way by which a tenant might reach what is another's, tried on a running operator. */

import { createHash } from 'node:crypto';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import {
  apply,
  becomes,
  condition,
  createTenant,
  entriesIn,
  fleetOf,
  installReferenceGrants,
  type KubeThing,
  label,
  type OperatorProcess,
  ours,
  publishedTo,
  remove,
  type Stage,
  secret,
  setStage,
  startOperator,
} from '../operator/support.ts';

const CREDENTIAL = 'credential-of-the-victim';
const SHARED = 'credential-of-the-organisation';
const REFUSED = { type: 'ResolvedRefs', status: 'False', reason: 'RefNotPermitted' } as const;

let cluster: ControlPlaneAccess;
let stage: Stage;
let operator: OperatorProcess;
let victim: string;
let attacker: string;
let markers = 0;

beforeAll(async () => {
  cluster = sharedControlPlane();
  await installReferenceGrants(cluster);
  victim = await createTenant(cluster);
  stage = await setStage(cluster, { namespaces: [victim] });
  attacker = stage.tenant;
  for (const object of [
    secret(victim, 'openai', { key: CREDENTIAL }),
    account(victim, 'mine', { name: 'openai', key: 'key' }),
    secret(stage.organisation, 'shared', { key: SHARED }),
    ours(
      'Integration',
      { name: 'shared', namespace: stage.organisation },
      {
        provider: 'openai',
        secretRef: { name: 'shared', key: 'key' },
        allowAllModels: true,
      },
    ),
    // A fleet of the attacker's own: an account that can read Secrets there can read what is published to it.
    fleetOf(attacker, { replicas: 0 }),
  ]) {
    await apply(cluster, object);
  }
  operator = await startOperator(stage.setup);
  await waitFor(async () => (await publishedTo(cluster, stage.fleets)).includes(CREDENTIAL), {
    what: 'the credential for its owner',
  });
});
afterAll(async () => {
  await operator[Symbol.asyncDispose]();
  await stage[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

const account = (namespace: string, name: string, secretRef: object): KubeThing =>
  ours('VirtualKey', { name, namespace }, { provider: 'openai', secretRef });

const grant = (namespace: string, { kind = 'VirtualKey', from = attacker, to = 'openai' } = {}): KubeThing => ({
  apiVersion: 'gateway.networking.k8s.io/v1beta1',
  kind: 'ReferenceGrant',
  metadata: { name: 'grant', namespace },
  spec: {
    from: [{ group: 'gatehouse.dev', kind, namespace: from }],
    to: [{ group: '', kind: 'Secret', name: to }],
  },
});

/** Everything the attacker is given: what his own fleet holds, and what is his in the organisation's. */
async function loot(): Promise<string> {
  const own = (await entriesIn(cluster, stage.fleets)).filter(({ workspace }) => workspace === attacker);
  return `${await publishedTo(cluster, attacker)}${JSON.stringify(own)}`;
}

/** Waits until what has been written so far has been published: a later edit of the attacker's is there. */
async function published(): Promise<void> {
  markers += 1;
  const name = `marker-${markers}`;
  await apply(cluster, ours('GatewayConfig', { name, namespace: attacker }, { config: { provider: '@mine' } }));
  await waitFor(async () => (await loot()).includes(`config/${attacker}/${name}`), { what: 'a later edit' });
}

describe('the credential of a workspace', () => {
  test.for([
    { rule: 'without a grant', grants: () => [] },
    { rule: 'with a grant that he gave himself', grants: () => [grant(attacker)] },
    { rule: 'with a grant for another kind', grants: () => [grant(victim, { kind: 'GatewayConfig' })] },
    { rule: 'with a grant for another namespace', grants: () => [grant(victim, { from: 'elsewhere' })] },
    { rule: 'with a grant for another Secret', grants: () => [grant(victim, { to: 'other' })] },
  ])('is out of reach by reference $rule', async ({ grants }) => {
    const given = grants();
    for (const object of given) await apply(cluster, object);
    const thief = account(attacker, 'thief', { name: 'openai', namespace: victim, key: 'key' });
    await apply(cluster, thief);
    const refused = await becomes(cluster, thief, REFUSED);
    const nothing = account(attacker, 'nothing', { name: 'no-such', namespace: victim, key: 'key' });
    await apply(cluster, nothing);
    const same = await becomes(cluster, nothing, REFUSED);
    expect(same.message.replace('no-such', 'openai')).toBe(refused.message);
    await published();
    expect((await loot()).includes(CREDENTIAL)).toBe(false);
    for (const object of [...given, thief, nothing]) await remove(cluster, object);
  });

  test('is out of reach for a Workspace that claims the namespace', async () => {
    const claim = ours('Workspace', { name: `${attacker}-claim` }, { namespace: victim });
    await apply(cluster, claim);
    await becomes(cluster, claim, REFUSED);
    await becomes(cluster, account(victim, 'mine', {}), { type: 'ResolvedRefs', status: 'True' });
    await remove(cluster, claim);
  });

  test('is out of reach for a fleet that asks for the workspace', async () => {
    const fleet = fleetOf(attacker, { replicas: 0, workspaces: [attacker, victim] });
    await apply(cluster, fleet);
    await becomes(cluster, fleet, REFUSED);
    await published();
    expect((await publishedTo(cluster, attacker)).includes(CREDENTIAL)).toBe(false);
    const other = fleetOf(attacker, { replicas: 0, workspaceSelector: {} });
    await remove(cluster, fleet);
    await apply(cluster, other);
    await published();
    expect((await publishedTo(cluster, attacker)).includes(CREDENTIAL)).toBe(false);
  });

  test.for([
    {
      rule: 'a config that names the provider',
      object: (): KubeThing =>
        ours('GatewayConfig', { name: 'by-slug', namespace: attacker }, { config: { provider: '@mine' } }),
    },
    {
      rule: 'a Provider on an Integration that is not granted',
      object: (): KubeThing =>
        ours('Provider', { name: 'ungranted', namespace: attacker }, { integrationRef: { name: 'shared' } }),
    },
  ])('is out of reach by $rule', async ({ object }) => {
    await apply(cluster, object());
    await becomes(cluster, object(), REFUSED);
    await published();
    expect((await loot()).includes(CREDENTIAL)).toBe(false);
    expect((await loot()).includes(SHARED)).toBe(false);
    await remove(cluster, object());
  });
});

test('a credential of the organisation serves a workspace it is granted to, and is not put into its namespace', async () => {
  const access = ours(
    'IntegrationAccess',
    { name: attacker, namespace: stage.organisation },
    {
      integrationRef: { name: 'shared' },
      workspaceRef: { name: attacker },
      enabled: true,
    },
  );
  const provider = ours('Provider', { name: 'shared', namespace: attacker }, { integrationRef: { name: 'shared' } });
  for (const object of [access, provider]) await apply(cluster, object);
  await becomes(cluster, provider, { type: 'ResolvedRefs', status: 'True' });
  await published();
  await waitFor(async () => (await publishedTo(cluster, attacker)).includes(`provider/${attacker}/shared`), {
    what: 'the provider at the own fleet',
  });
  expect((await publishedTo(cluster, attacker)).includes(SHARED)).toBe(false);
  await waitFor(async () => (await publishedTo(cluster, stage.fleets)).includes(SHARED), {
    what: 'the credential at the fleet of the organisation',
  });
});

test('a key that opens every workspace cannot be in the namespace of one', async () => {
  const key = ours(
    'ApiKey',
    { name: 'master', namespace: attacker },
    {
      type: 'organisation-service',
      sha256: 'ab'.repeat(32),
      scopes: ['completions.write'],
    },
  );
  await apply(cluster, key);
  await becomes(cluster, key, { type: 'Accepted', status: 'False', reason: 'Invalid' });
  await published();
  expect((await publishedTo(cluster, stage.fleets)).includes('ab'.repeat(32))).toBe(false);
});

test('a key is served for the ApiKey with the key, and not for one that claimed its hash before', async () => {
  const spec = { type: 'workspace-service', scopes: ['completions.write'] };
  const key = 'gwk_of_the_victim';
  const sha256 = createHash('sha256').update(key).digest('hex');
  const claim = ours('ApiKey', { name: 'squat', namespace: attacker }, { ...spec, sha256 });
  await apply(cluster, claim);
  await becomes(cluster, claim, { type: 'Accepted', status: 'True' });
  const proven = ours(
    'ApiKey',
    { name: 'app', namespace: victim },
    { ...spec, secretRef: { name: 'app', key: 'key' } },
  );
  for (const object of [secret(victim, 'app', { key }), proven]) await apply(cluster, object);
  await becomes(cluster, proven, { type: 'ResolvedRefs', status: 'True' });
  await becomes(cluster, claim, { type: 'Accepted', status: 'False', reason: 'Conflicted' });
  await remove(cluster, secret(victim, 'app', {}));
  await becomes(cluster, proven, { type: 'ResolvedRefs', status: 'False' });
  expect(await condition(cluster, claim, 'Accepted')).toMatchObject({ status: 'False' });
  for (const object of [claim, proven]) await remove(cluster, object);
});

test('a config of the organisation with its own credential is not for keys of workspaces to name', async () => {
  const spec = { type: 'workspace-service', scopes: ['completions.write'] };
  const naming = (name: string, digit: string): KubeThing =>
    ours(
      'ApiKey',
      { name, namespace: attacker },
      { ...spec, sha256: digit.repeat(64), defaults: { configRef: { name } } },
    );
  const direct = { config: { provider: 'openai', secretRef: { name: 'shared', key: 'key' } } };
  for (const object of [
    ours('GatewayConfig', { name: 'direct', namespace: stage.organisation }, direct),
    ours('GatewayConfig', { name: 'lent', namespace: stage.organisation }, { config: { provider: '@shared' } }),
    ...[naming('direct', '1'), naming('absent', '2'), naming('lent', '3')],
  ]) {
    await apply(cluster, object);
  }
  await becomes(cluster, naming('lent', '3'), { type: 'ResolvedRefs', status: 'True' });
  const refused = { type: 'ResolvedRefs', status: 'False', reason: 'RefNotFound' };
  const { message } = await becomes(cluster, naming('direct', '1'), refused);
  expect((await becomes(cluster, naming('absent', '2'), refused)).message.replace('absent', 'direct')).toBe(message);
  await published();
  expect(await publishedTo(cluster, attacker)).not.toContain('config//direct');
});

test('a namespace that takes its consent back is served no more, and gets no keys', async () => {
  const tenant = attacker;
  const key = ours(
    'ApiKey',
    { name: 'app', namespace: tenant },
    {
      type: 'workspace-service',
      sha256: 'cd'.repeat(32),
      scopes: ['completions.write'],
    },
  );
  await apply(cluster, key);
  await becomes(cluster, key, { type: 'ResolvedRefs', status: 'True' });
  await label(cluster, tenant, null);
  await becomes(cluster, key, { type: 'ResolvedRefs', status: 'False' });
  await becomes(cluster, ours('Workspace', { name: tenant }, {}), REFUSED);
  const fleet = fleetOf(tenant, {});
  await becomes(cluster, fleet, REFUSED);
  await label(cluster, tenant, tenant);
  await becomes(cluster, key, { type: 'ResolvedRefs', status: 'True' });
});

// The last test: shards that nothing names any more stay for ten minutes, and this one hands out the credential.
test('the credential of a workspace comes with a grant and leaves with it', async () => {
  const borrower = account(attacker, 'borrower', { name: 'openai', namespace: victim, key: 'key' });
  await apply(cluster, borrower);
  await becomes(cluster, borrower, REFUSED);
  await apply(cluster, grant(victim));
  await becomes(cluster, borrower, { type: 'ResolvedRefs', status: 'True' });
  await waitFor(async () => (await loot()).includes(CREDENTIAL), { what: 'a granted credential' });
  await remove(cluster, grant(victim));
  await becomes(cluster, borrower, REFUSED);
  await remove(cluster, borrower);
});
