import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Certificates } from '../../../operator/src/certificates/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { certificatesIn, LOCAL, make, makeWorkspace, pathOf, resource } from '../webhook/support.ts';
import { type Copy, copyPaths, type Profile, type SidecarStage, secret, startSidecarStage } from './support.ts';

let stage: SidecarStage;
beforeAll(async () => {
  stage = await startSidecarStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe('the mounted copy', () => {
  test('has the Snapshot whatever is wrong with a profile', async () => {
    const namespace = await makeWorkspace(stage.cluster, stage.view);
    await make(
      stage.cluster,
      resource('SidecarProfile', namespace, 'default', { defaults: { configRef: { name: 'gone' } } }),
    );
    await using _controller = stage.startController([namespace]);
    await waitFor(async () => (await stage.mounted(namespace))?.entries.some(({ kind }) => kind === 'sidecar'));
  });

  test('holds the Snapshot of the stream, and the trusted authorities', async () => {
    await make(stage.cluster, resource('GatewayConfig', stage.team, 'mounted', { config: { provider: '@own' } }));
    const frame = await waitFor(
      async () => {
        const copy = await stage.mounted(stage.team);
        const isSame = copy?.version === stage.view.snapshotFor(stage.team)?.version;
        return isSame && copy?.entries.some(({ id }) => id === `config/${stage.team}/mounted`) ? copy : undefined;
      },
      { what: 'the Snapshot of now' },
    );
    expect(JSON.stringify(frame)).toContain(`sk-of-${stage.team}`);
    const config = await stage.read<Copy>(copyPaths(stage.team).config);
    expect(config?.data['ca.crt']).toBe(stage.certificates.current.caPem);
    expect(JSON.stringify(config)).not.toContain('sk-of');
  });

  test('follows the authority of the snapshot service', async () => {
    const namespace = await makeWorkspace(stage.cluster, stage.view);
    await make(stage.cluster, resource('SidecarProfile', namespace, 'default', {}));
    const { current: first } = stage.certificates;
    await using next = await certificatesIn(stage.client, namespace);
    // Both, for as long as certificates of the old one may be shown.
    const both = { ...next.current, caPem: `${first.caPem}${next.current.caPem}` };
    let current = first;
    const listeners = new Set<(certificate: typeof first) => void>();
    const subscribe: Certificates['subscribe'] = (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    };
    const rotated = {
      get current() {
        return current;
      },
      subscribe,
    };
    await using _controller = stage.startController([namespace], rotated);
    const authorities = async () => (await stage.read<Copy>(copyPaths(namespace).config))?.data['ca.crt'];
    await waitFor(async () => (await authorities()) === first.caPem, { what: 'the first authority' });
    current = both;
    for (const listener of listeners) listener(both);
    await waitFor(async () => (await authorities()) === both.caPem, { what: 'both authorities' });
  });

  test('is put back when it is removed', async () => {
    await waitFor(() => stage.mounted(stage.other));
    await stage.cluster.request('DELETE', copyPaths(stage.other).secret);
    await waitFor(() => stage.mounted(stage.other), { what: 'the Secret again' });
  });

  test('does not go back to what a backup holds of it', async () => {
    const old = await Promise.all(Object.values(copyPaths(stage.team)).map((path) => stage.read<Copy>(path)));
    await make(stage.cluster, resource('GatewayConfig', stage.team, 'later', { config: { provider: '@own' } }));
    const isLater = async () =>
      (await stage.mounted(stage.team))?.entries.some(({ id }) => id === `config/${stage.team}/later`) ?? false;
    await waitFor(isLater, { what: 'the edit' });
    for (const [i, path] of Object.values(copyPaths(stage.team)).entries()) {
      const { metadata, ...body } = old[i] as Copy & { metadata: { name: string } }; // it was there
      const { resourceVersion: _, ...identity } = metadata as typeof metadata & { resourceVersion?: string };
      const put = await stage.cluster.request('PUT', path, { body: { ...body, metadata: identity } });
      expect(put.status).toBe(200);
    }
    await waitFor(isLater, { what: 'the edit again' });
    const isOfNow = async () =>
      (await stage.mounted(stage.team))?.version === stage.view.snapshotFor(stage.team)?.version;
    await waitFor(isOfNow, { what: 'the version of now' });
  });

  test('belongs to all profiles of the namespace and goes with the last one', async () => {
    const namespace = await makeWorkspace(stage.cluster, stage.view);
    await using _controller = stage.startController([namespace]);
    for (const name of ['a', 'b']) await make(stage.cluster, resource('SidecarProfile', namespace, name, {}));
    const owners = async () =>
      (await stage.read<Copy>(copyPaths(namespace).config))?.metadata.ownerReferences.map(({ name }) => name);
    await waitFor(async () => JSON.stringify(await owners()) === '["a","b"]', { what: 'two owners' });
    await stage.cluster.request('DELETE', pathOf(resource('SidecarProfile', namespace, 'a', {})));
    await waitFor(async () => JSON.stringify(await owners()) === '["b"]', { what: 'one owner' });
    await stage.cluster.request('DELETE', pathOf(resource('SidecarProfile', namespace, 'b', {})));
    const paths = copyPaths(namespace);
    await waitFor(
      async () => (await stage.read(paths.config)) === undefined && (await stage.read(paths.secret)) === undefined,
      {
        what: 'the end of the copies',
      },
    );
  });
});

const relabel = (namespace: string, workspace: string | null) =>
  stage.cluster.request('PATCH', `/api/v1/namespaces/${namespace}`, {
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { 'gatehouse.dev/workspace': workspace } } },
  });
const withoutInjection = (namespace: string) =>
  stage.cluster.request('PATCH', `/api/v1/namespaces/${namespace}`, {
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { 'gatehouse.dev/injection': null } } },
  });
const deleteWorkspace = (name: string) =>
  stage.cluster.request('DELETE', pathOf(resource('Workspace', undefined, name, {})));

/** Gives the generation that is suspended. */
async function suspend(namespace: string): Promise<number> {
  const { body } = await stage.cluster.request('PATCH', pathOf(resource('SidecarProfile', namespace, 'default', {})), {
    contentType: 'application/merge-patch+json',
    body: { spec: { suspend: true } },
  });
  return (body as Profile).metadata.generation; // the API server counts
}

/** A workspace with a copy and a stream that has begun. */
async function startServed() {
  const namespace = await makeWorkspace(stage.cluster, stage.view);
  await make(stage.cluster, resource('VirtualKey', namespace, 'served', LOCAL));
  await make(stage.cluster, resource('SidecarProfile', namespace, 'default', {}));
  const stream = await stage.open(await stage.token(namespace));
  const isServed = () => stream.snapshot().then(({ entries }) => JSON.stringify(entries).includes('served'));
  await waitFor(isServed, { what: 'a stream of what is served' });
  return { namespace, stream };
}

const copiesLeft = async (namespace: string): Promise<string[]> => {
  const paths = Object.values(copyPaths(namespace));
  const found = await Promise.all(paths.map((path) => stage.read(path)));
  return paths.filter((_, i) => found[i] !== undefined);
};

describe('consent that is taken back', () => {
  test.for([
    { rule: 'by the namespace', takeBack: (namespace: string) => relabel(namespace, null) },
    {
      rule: 'in favour of a Workspace that does not exist',
      takeBack: (namespace: string) => relabel(namespace, 'somebody-else'),
    },
    { rule: 'with the Workspace', takeBack: deleteWorkspace },
    { rule: 'with the injection label', takeBack: withoutInjection, reason: 'RefNotPermitted' },
  ])('$rule ends what sidecars serve, at once and for new streams', async ({ takeBack, reason }) => {
    const { namespace, stream } = await startServed();
    await using _stream = stream;
    await using _controller = stage.startController([namespace]);
    await waitFor(async () => (await copiesLeft(namespace)).length === 2, { what: 'the copy' });
    await takeBack(namespace);
    // Of before there may be frames that were not read: each Kind has a watch of its own.
    await waitFor(async () => (await stream.snapshot()).entries.length === 0, { what: 'an empty Snapshot' });
    await waitFor(async () => (await copiesLeft(namespace)).length === 0, { what: 'the end of the copy' });
    await using again = await stage.open(await stage.token(namespace));
    expect((await again.snapshot()).entries).toEqual([]);
    const refused = `False ${reason ?? 'RefNotFound'}`;
    await waitFor(async () => (await stage.conditionsOf(namespace))['ResolvedRefs'] === refused, { what: refused });
  });

  test.for([
    { rule: 'at once', away: false },
    { rule: 'when the operator was away meanwhile', away: true },
  ])('ends the copy of profiles that are suspended, $rule', async ({ away }) => {
    const { namespace, stream } = await startServed();
    await using _stream = stream;
    const before = stage.startController([namespace]);
    await using _before = before;
    await waitFor(async () => (await copiesLeft(namespace)).length === 2, { what: 'the copy' });
    const suspended = await suspend(namespace);
    await waitFor(async () => (await stage.statusOf(namespace))?.['observedGeneration'] === suspended, {
      what: 'its rest',
    });
    expect((await copiesLeft(namespace)).length).toBe(2);
    if (away) await before[Symbol.asyncDispose]();
    await relabel(namespace, null);
    await waitFor(() => stage.view.workspaceOf(namespace) === undefined);
    await using _after = away ? stage.startController([namespace]) : undefined;
    await waitFor(async () => (await copiesLeft(namespace)).length === 0, { what: 'the end of the copy' });
  });

  test('leaves nothing of what was made while no operator was there', async () => {
    const { namespace, stream } = await startServed();
    await stream[Symbol.asyncDispose]();
    {
      await using _controller = stage.startController([namespace]);
      await waitFor(async () => (await copiesLeft(namespace)).length === 2, { what: 'the copy' });
    }
    await relabel(namespace, null);
    await waitFor(() => stage.view.workspaceOf(namespace) === undefined);
    await using _controller = stage.startController([namespace]);
    await waitFor(async () => (await copiesLeft(namespace)).length === 0, { what: 'the end of the copy' });
  });

  test('and given again brings everything back', async () => {
    const { namespace, stream } = await startServed();
    await using _stream = stream;
    await using _controller = stage.startController([namespace]);
    await waitFor(async () => (await copiesLeft(namespace)).length === 2, { what: 'the copy' });
    await relabel(namespace, null);
    await waitFor(async () => (await copiesLeft(namespace)).length === 0, { what: 'the end of the copy' });
    await relabel(namespace, namespace);
    await waitFor(async () => (await stream.snapshot()).entries.length > 0, { what: 'entries on the same stream' });
    await waitFor(() => stage.mounted(namespace), { what: 'the copy again' });
  });

  test('leaves a Secret of another owner alone that has the name of the copy', async () => {
    const namespace = await makeWorkspace(stage.cluster, stage.view);
    await relabel(namespace, null);
    await waitFor(() => stage.view.workspaceOf(namespace) === undefined);
    await make(stage.cluster, secret(namespace, 'gatehouse-sidecar-snapshot'));
    await make(stage.cluster, resource('SidecarProfile', namespace, 'default', {}));
    await using _controller = stage.startController([namespace]);
    await waitFor(async () => (await stage.conditionsOf(namespace))['ResolvedRefs'] === 'False RefNotFound');
    expect(await copiesLeft(namespace)).toEqual([copyPaths(namespace).secret]);
  });
});
