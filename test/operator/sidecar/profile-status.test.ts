import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../../kit/wait-for.ts';
import { make, makeWorkspace, ORGANISATION, pod, resource } from '../webhook/support.ts';
import { copyPaths, type SidecarStage, secret, startSidecarStage } from './support.ts';

let stage: SidecarStage;
beforeAll(async () => {
  stage = await startSidecarStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe('the status of a profile', () => {
  test('is ready once the copy is there, and counts pods', async () => {
    const all = {
      Accepted: 'True Accepted',
      ResolvedRefs: 'True ResolvedRefs',
      Programmed: 'True Programmed',
      Ready: 'True Succeeded',
    };
    await waitFor(async () => (await stage.conditionsOf(stage.team))['Ready'] === 'True Succeeded');
    expect(await stage.conditionsOf(stage.team)).toEqual(all);
    const labels = { 'gatehouse.dev/sidecar': 'default' };
    const injected = pod(stage.team, 'with', labels, {
      initContainers: [{ name: 'gatehouse', image: 'g:1', restartPolicy: 'Always' }],
    });
    const annotations = { 'gatehouse.dev/injected': 'default' };
    await make(stage.cluster, { ...injected, metadata: { ...injected.metadata, annotations } } as never);
    await make(stage.cluster, pod(stage.team, 'missed', labels));
    await waitFor(async () => (await stage.statusOf(stage.team))?.['missedPods'] === 1);
    expect(await stage.statusOf(stage.team)).toMatchObject({ injectedPods: 1, missedPods: 1 });
    const isOfCopy = async () =>
      (await stage.statusOf(stage.team))?.['snapshotVersion'] === (await stage.mounted(stage.team))?.version;
    await waitFor(isOfCopy, { what: 'the version of the copy' });
  });

  test('names what its sidecars refuse, and the credential for it never comes near them', async () => {
    const namespace = await makeWorkspace(stage.cluster, stage.view);
    await using _controller = stage.startController([namespace]);
    await stage.cluster.request('POST', '/api/v1/namespaces', { body: { metadata: { name: ORGANISATION } } }); // or it is there
    const names = { shared: `shared-${namespace}`, account: `account-${namespace}` };
    await make(stage.cluster, {
      ...secret(ORGANISATION, names.account),
      stringData: { key: 'sk-organisation' },
    } as never);
    const spec = { provider: 'openai', secretRef: { name: names.account, key: 'key' } };
    await make(stage.cluster, resource('Integration', ORGANISATION, names.shared, spec));
    const grant = { integrationRef: { name: names.shared }, workspaceRef: { name: namespace } };
    await make(stage.cluster, resource('IntegrationAccess', ORGANISATION, names.shared, grant));
    await make(stage.cluster, resource('Provider', namespace, 'main', { integrationRef: { name: names.shared } }));
    await make(stage.cluster, resource('SidecarProfile', namespace, 'default', {}));
    const named = async () => JSON.stringify(await stage.statusOf(namespace)).includes('Provider/main');
    await waitFor(named, { what: 'the provider in the status' });
    const isReady = async () => (await stage.conditionsOf(namespace))['Ready'] === 'True Succeeded';
    await waitFor(isReady, { what: 'a ready profile' });
    await using stream = await stage.open(await stage.token(namespace));
    const content = JSON.stringify([await stream.snapshot(), await stage.mounted(namespace)]);
    expect(content).toContain('"needsFleet":true');
    expect(content).not.toContain('sk-organisation');
  });

  test('names a copy that the API server does not take, until the object in its place is removed', async () => {
    const namespace = await makeWorkspace(stage.cluster, stage.view);
    await make(stage.cluster, { ...secret(namespace, 'gatehouse-sidecar-snapshot'), immutable: true } as never);
    await using _controller = stage.startController([namespace]);
    await make(stage.cluster, resource('SidecarProfile', namespace, 'default', {}));
    const want = { Programmed: 'False Invalid', Ready: 'False Invalid', Stalled: 'True Invalid' };
    await waitFor(async () => (await stage.conditionsOf(namespace))['Stalled'] === want.Stalled, {
      what: want.Stalled,
    });
    expect(await stage.conditionsOf(namespace)).toMatchObject(want);
    expect(JSON.stringify(await stage.statusOf(namespace))).toContain('Secret gatehouse-sidecar-snapshot: data');
    await stage.cluster.request('DELETE', copyPaths(namespace).secret);
    await waitFor(async () => (await stage.conditionsOf(namespace))['Ready'] === 'True Succeeded', { what: 'a copy' });
  });

  test.for([
    {
      rule: 'names a config that is not there',
      spec: { defaults: { configRef: { name: 'nowhere' } } },
      want: { ResolvedRefs: 'False RefNotFound', Ready: 'False RefNotFound', Stalled: 'True RefNotFound' },
    },
    {
      rule: 'is suspended',
      spec: { suspend: true },
      want: { Programmed: 'Unknown Pending', Ready: 'Unknown Pending' },
    },
  ])('says when it $rule', async ({ spec, want }) => {
    const name = `p-${Object.keys(spec)[0]?.toLowerCase()}`;
    await make(stage.cluster, resource('SidecarProfile', stage.team, name, spec));
    await waitFor(async () => (await stage.conditionsOf(stage.team, name))['Ready'] === want.Ready, {
      what: want.Ready,
    });
    expect(await stage.conditionsOf(stage.team, name)).toMatchObject(want);
  });
});
