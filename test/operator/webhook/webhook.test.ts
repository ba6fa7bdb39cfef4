import { isObject } from '@gatehouse/crds';
import type { KindName } from '@gatehouse/crds/kinds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../kit/wait-for.ts';
import {
  apply,
  badConfig,
  bodyOf,
  certificatesIn,
  INJECTION_PATH,
  LOCAL,
  make,
  makeWorkspace,
  pathOf,
  pod,
  resource,
  startAll,
  startWebhookStage,
  untilAsked,
  untilSeen,
  VALIDATING_PATH,
  type WebhookStage,
} from './support.ts';

// A cluster of its own: webhook configurations rule a whole cluster, and one of these goes out of order on purpose.
let stage: WebhookStage;
beforeAll(async () => {
  stage = await startWebhookStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const causesOf = (body: unknown): readonly { field?: string; reason?: string; message?: string }[] => {
  const details = isObject(body) && isObject(body['details']) ? body['details'] : {};
  return Array.isArray(details['causes']) ? details['causes'] : [];
};

describe('a write of our Kinds', () => {
  test('is refused with every problem and its place', async () => {
    const { status, body } = await apply(stage.cluster, resource('GatewayConfig', stage.team, 'bad', badConfig()));
    expect(status).toBe(422);
    const deep = 'spec.config.targets[0].targets[0].targets';
    expect(causesOf(body).map(({ field }) => field)).toEqual(
      expect.arrayContaining([`${deep}[0].weight`, `${deep}[1].provdier`]),
    );
  });

  test('is refused when its name is taken by the other Kind with the same slug', async () => {
    await make(stage.cluster, resource('VirtualKey', stage.team, 'taken', LOCAL));
    await untilSeen(stage.view, 'VirtualKey', `${stage.team}/taken`);
    const { status, body } = await apply(
      stage.cluster,
      resource('Provider', stage.team, 'taken', { integrationRef: { name: 'x' } }),
    );
    expect(status).toBe(422);
    expect(causesOf(body)).toEqual([
      expect.objectContaining({ field: 'metadata.name', reason: 'FieldValueDuplicate' }),
    ]);
  });

  test('warns of references that are not there yet and goes through', async () => {
    const config = resource('GatewayConfig', stage.team, 'early', { config: { provider: '@not-there-yet' } });
    const printed = await stage.cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(config) });
    expect(printed).toMatchObject({ code: 0, stderr: expect.stringContaining('spec.config.provider') });
  });

  test('needs no review when it is a status', async () => {
    await make(stage.cluster, resource('VirtualKey', stage.team, 'told', LOCAL));
    const answer = await stage.cluster.request(
      'PATCH',
      `${pathOf(resource('VirtualKey', stage.team, 'told', {}))}/status`,
      {
        contentType: 'application/merge-patch+json',
        body: { status: { observedGeneration: 1 } },
      },
    );
    expect(answer.status).toBe(200);
  });
});

describe('a deletion', () => {
  test('is refused while something else names the object, and then goes through', async () => {
    const provider = resource('VirtualKey', stage.team, 'used', LOCAL);
    const config = resource('GatewayConfig', stage.team, 'user', { config: { provider: '@used' } });
    for (const object of [provider, config]) await make(stage.cluster, object);
    await untilSeen(stage.view, 'GatewayConfig', `${stage.team}/user`);
    await untilSeen(stage.view, 'VirtualKey', `${stage.team}/used`);
    const refused = await stage.cluster.request('DELETE', pathOf(provider));
    expect(refused.status).toBe(409);
    expect(causesOf(refused.body)).toEqual([
      expect.objectContaining({
        reason: 'ObjectInUse',
        message: expect.stringContaining(`GatewayConfig/${stage.team}/user`),
      }),
    ]);
    expect((await stage.cluster.request('DELETE', pathOf(config))).status).toBe(200);
    await waitFor(() => stage.view.stores.get('GatewayConfig')?.get(`${stage.team}/user`) === undefined, {
      what: 'the deletion',
    });
    expect((await stage.cluster.request('DELETE', pathOf(provider))).status).toBe(200);
  });

  test('of a whole set is done when the command is repeated, though what is named comes first', async () => {
    const set = [
      resource('VirtualKey', stage.team, 'set-account', LOCAL),
      resource('GatewayConfig', stage.team, 'set-config', { config: { provider: '@set-account' } }),
      resource('SidecarProfile', stage.team, 'set-app', { defaults: { configRef: { name: 'set-config' } } }),
    ];
    for (const object of set) await make(stage.cluster, object);
    for (const { kind, metadata } of set)
      await untilSeen(stage.view, kind as KindName, `${stage.team}/${metadata.name}`);
    const list = { apiVersion: 'v1', kind: 'List', items: set };
    const remove = () =>
      stage.cluster.kubectl(['delete', '--ignore-not-found', '-f', '-'], { input: JSON.stringify(list) });
    expect(await remove()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`SidecarProfile/${stage.team}/set-app`),
    });
    await waitFor(async () => (await remove()).code === 0, { what: 'the end of the set' });
  });

  test('of a namespace is never held up', async () => {
    const namespace = await makeWorkspace(stage.cluster, stage.view);
    await make(stage.cluster, resource('VirtualKey', namespace, 'used', LOCAL));
    await make(stage.cluster, resource('GatewayConfig', namespace, 'user', { config: { provider: '@used' } }));
    await untilSeen(stage.view, 'GatewayConfig', `${namespace}/user`);
    await stage.cluster.request('DELETE', `/api/v1/namespaces/${namespace}`);
    await waitFor(async () => (await stage.cluster.request('GET', `/api/v1/namespaces/${namespace}`)).status === 404, {
      what: 'the end of the namespace',
    });
  });
});

type Webhook = Readonly<Record<string, unknown>>;
const webhooksAt = async (path: string) => (await bodyOf(stage.cluster, path))['webhooks'] as readonly Webhook[]; // as it is applied

async function editWebhooks(path: string, edit: (webhook: Webhook) => Webhook): Promise<void> {
  await waitFor(
    async () => {
      const before = await bodyOf(stage.cluster, path);
      const body = { ...before, webhooks: (before['webhooks'] as readonly Webhook[]).map(edit) }; // as above
      return (await stage.cluster.request('PUT', `${path}?fieldManager=somebody`, { body })).status === 200;
    },
    { what: path },
  );
}

/** As the injector of cert-manager does it. */
const injectTrust = (path: string, caPem: string): Promise<void> =>
  editWebhooks(path, (webhook) => {
    const to = webhook['clientConfig'] as object; // of every webhook
    return { ...webhook, clientConfig: { ...to, caBundle: Buffer.from(caPem).toString('base64') } };
  });

describe('the configurations', () => {
  test('are put back when they are emptied or deleted', async () => {
    const before = await bodyOf(stage.cluster, INJECTION_PATH);
    await stage.cluster.request('PATCH', INJECTION_PATH, {
      contentType: 'application/merge-patch+json',
      body: { webhooks: [] },
    });
    await stage.cluster.request('DELETE', VALIDATING_PATH);
    await waitFor(async () => {
      const after = await bodyOf(stage.cluster, INJECTION_PATH);
      return JSON.stringify(after['webhooks']) === JSON.stringify(before['webhooks']);
    });
    await waitFor(async () => (await stage.cluster.request('GET', VALIDATING_PATH)).status === 200);
    await untilAsked(stage.cluster, stage.team);
  });

  test('follow a new authority, and no review fails meanwhile', async () => {
    const rotated = await certificatesIn(stage.client, stage.outsider, {
      lifetimes: { authorityMs: 12_000, leafMs: 9_000, settleMs: 1_000 },
    });
    const first = rotated.current;
    await using _rotating = await startAll(stage.client, { certificates: rotated, view: stage.view });
    await stage.webhooks[Symbol.asyncDispose]();
    await untilAsked(stage.cluster, stage.team);
    const asking = pod(stage.team, 'during', { 'gatehouse.dev/sidecar': 'default' });
    const review = () => apply(stage.cluster, asking, { dryRun: true });
    // The API server reads each of the two configurations with a delay of its own.
    await waitFor(async () => (await review()).status === 201, { what: 'a review by the other webhook' });
    const turnedAway: unknown[] = [];
    await waitFor(
      async () => {
        const { status, body } = await review();
        if (status !== 201) turnedAway.push(body);
        return rotated.current.caPem !== first.caPem && rotated.current.certPem !== first.certPem;
      },
      { what: 'a new authority and a new certificate' },
    );
    expect(turnedAway).toEqual([]);
    await rotated[Symbol.asyncDispose]();
  });

  test('leave to cert-manager whom to trust, and never take it out again', async () => {
    const certManagerCertificate = 'default/gatehouse-webhook';
    await using _running = await startAll(stage.client, {
      certificates: stage.certificates,
      view: stage.view,
      certManagerCertificate,
    });
    for (const path of [VALIDATING_PATH, INJECTION_PATH]) {
      await waitFor(async () => JSON.stringify(await bodyOf(stage.cluster, path)).includes(certManagerCertificate), {
        what: path,
      });
      await injectTrust(path, stage.certificates.current.caPem);
    }
    await untilAsked(stage.cluster, stage.team);
    // An own object is put back by an apply, which must not touch fields of others.
    await editWebhooks(VALIDATING_PATH, (webhook) => ({ ...webhook, timeoutSeconds: 9 }));
    await waitFor(async () => (await webhooksAt(VALIDATING_PATH))[0]?.['timeoutSeconds'] === 5, {
      what: 'the timeout',
    });
    await untilAsked(stage.cluster, stage.team);
  });
});

describe('without a webhook that answers', () => {
  test('only pods that ask for a sidecar wait; all else goes on', async () => {
    const { status } = await apply(stage.cluster, pod(stage.team, 'asks', { 'gatehouse.dev/sidecar': 'default' }), {
      dryRun: true,
    });
    expect(status).toBe(500);
    const others = [
      pod(stage.team, 'asks-nothing', {}),
      pod(stage.outsider, 'elsewhere', { 'gatehouse.dev/sidecar': 'default' }),
      resource('VirtualKey', stage.team, 'late', LOCAL),
    ];
    for (const object of others) expect((await apply(stage.cluster, object, { dryRun: true })).status).toBe(201);
  });
});
