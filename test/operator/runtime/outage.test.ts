import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type Change,
  createCache,
  createKubeClient,
  createLeader,
  createNamedWatches,
  isExpired,
  leaseTiming,
} from '../../../operator/src/runtime/index.ts';
import { type ControlPlane, startControlPlane } from '../../cluster/index.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { CONFIG_MAPS, type ConfigMap, configMap, QUICK, recordLog, running, SECRETS } from './support.ts';

/** A lease that outlasts the restart, however slow the machine is. */
const LONGER = leaseTiming(60_000);

test('a restart of the API server costs neither state nor a lease that outlasts it, and old resourceVersions expire', async () => {
  await using cluster = await startControlPlane();
  await using client = await createKubeClient({
    source: { kubeConfig: await certificateConfig(cluster) },
    userAgent: 'gatehouse-test',
  });
  const signal = AbortSignal.timeout(600_000);
  const namespace = await cluster.createNamespace();
  for (const name of ['kept', 'edited', 'deleted']) {
    await client.create(CONFIG_MAPS, configMap(namespace, name), { signal });
  }
  const log = recordLog();
  const cache = createCache({ client, namespaces: [namespace], log, timing: QUICK });
  const store = cache.watch(CONFIG_MAPS, { fieldSelector: 'metadata.name!=kube-root-ca.crt' });
  const changes: Change<ConfigMap>[] = [];
  store.subscribe((change) => changes.push(change));
  const named = createNamedWatches({ client, kind: SECRETS, log, timing: QUICK });
  named.want({ id: 'a' }, new Set([`${namespace}/s`]));
  const leader = createLeader({ client, namespace, name: 'leader', identity: 'one', log, timing: LONGER });
  await using _cache = running((stop) => cache.run(stop));
  await using _named = running((stop) => named.run(stop));
  await using _leader = running((stop) =>
    leader.run(stop, (life) => new Promise((resolve) => life.addEventListener('abort', () => resolve()))),
  );
  await cache.synced({ signal, timeoutMs: 60_000 });
  await named.settled(signal);
  await waitFor(() => leader.leads);
  const { resourceVersion } = await client.list(CONFIG_MAPS, { namespace, signal });
  // The server comes back with the state of now, and knows nothing of what was before it.
  await client.create(CONFIG_MAPS, configMap('default', 'something-else'), { signal });

  await cluster.apiServer.stop();
  // Before it is away, a server that ends may answer with an error.
  await waitFor(() => cache.health()[0]?.failure?.reason === 'Unreachable', { what: 'a server that is away' });
  expect(cache.health()).toMatchObject([{ synced: true, failure: { status: 0, reason: 'Unreachable' } }]);
  expect(store.size).toBe(3);
  await cluster.apiServer.start();
  await client.mergePatch(CONFIG_MAPS, { namespace, name: 'edited' }, { data: { x: '1' } }, { signal });
  await client.delete(CONFIG_MAPS, { namespace, name: 'deleted' }, { signal });
  await client.create(CONFIG_MAPS, configMap(namespace, 'created'), { signal });
  await client.create(SECRETS, { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name: 's' } }, { signal });

  await waitFor(() => changes.length === 6 && named.store.size === 1);
  const names = [...store.objects.values()].map(({ metadata }) => metadata.name);
  expect(names.toSorted()).toEqual(['created', 'edited', 'kept']);
  await waitFor(() => cache.health()[0]?.failure === undefined, { what: 'a healthy cache' });
  expect(leader.leads).toBe(true);

  const stream = await client
    .watch(CONFIG_MAPS, { namespace, resourceVersion, timeoutSeconds: 5, silenceMs: 10_000, signal })
    .catch((error: unknown) => error);
  const error = stream instanceof Error ? stream : await firstError(stream as AsyncIterable<unknown>); // not an error
  expect(isExpired(error)).toBe(true);
});

async function firstError(stream: AsyncIterable<unknown>): Promise<unknown> {
  try {
    for await (const event of stream) return event;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** A kubeconfig whose user has a client certificate in files, as kubeadm writes it. */
async function certificateConfig({ folder, kubeconfig, credentials }: ControlPlane): Promise<string> {
  const { certificate, key } = credentials.kubeletClient;
  const user = { 'client-certificate': certificate, 'client-key': key };
  const path = join(folder, 'certificate.kubeconfig');
  await writeFile(path, JSON.stringify({ ...kubeconfig, users: [{ name: 'test', user }] }));
  return path;
}
