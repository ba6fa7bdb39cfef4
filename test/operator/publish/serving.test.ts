/** What is published is served: by real gateway processes, with the rights that gateways have. */

import { createMockProvider, type MockProvider } from '@gatehouse/standalone/mock-provider';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { KubeClient } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { startFaultProxy } from '../../kit/fault-proxy.ts';
import { CONFIG_MAPS, connectClient } from '../runtime/support.ts';
import {
  copyIsSaved,
  createFleet,
  fleetVariables,
  hidingShards,
  manifestOf,
  publisherOf,
  shardsThere,
  startGateway,
  tempFolder,
  world,
} from './support.ts';

let cluster: ControlPlaneAccess;
let client: KubeClient;
let mock: MockProvider;
const signal = AbortSignal.timeout(300_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
  mock = await createMockProvider();
});
afterAll(async () => {
  await mock.close();
  await client[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

describe('a gateway of a fleet', () => {
  test('waits for the first Snapshot, serves it, and follows every edit', async () => {
    const fleet = await createFleet(cluster);
    await using folder = await tempFolder();
    await using gateway = await startGateway(await fleetVariables(fleet, cluster, folder.path));
    expect(await gateway.ready()).toBe(false);
    const publisher = publisherOf(client, fleet);
    expect(await publisher.publish(world('one', mock.url), { signal })).toMatchObject({
      epoch: 0,
      version: 1,
      changed: true,
      oversized: [],
    });
    await waitFor(() => gateway.ready(), { what: 'a ready gateway' });
    expect(await gateway.ask()).toBe('one');

    for (const model of ['two', 'three']) {
      await publisher.publish(world(model, mock.url), { signal });
      await waitFor(async () => (await gateway.ask()) === model, { what: `the model ${model}` });
    }
    const before = await manifestOf(client, fleet, signal);
    expect(await publisher.publish(world('three', mock.url), { signal })).toMatchObject({ version: 3, changed: false });
    expect((await manifestOf(client, fleet, signal)).metadata.resourceVersion).toBe(before.metadata.resourceVersion);
    expect(await gateway.status()).toMatchObject({
      snapshot: { version: 3 },
      source: { source: 'kubernetes', connected: true, servedFrom: 'the API server' },
    });
  });

  test('keeps the last good Snapshot while a shard is missing, and loads the whole one when it is back', async () => {
    const fleet = await createFleet(cluster);
    await using folder = await tempFolder();
    const publisher = publisherOf(client, fleet);
    await publisher.publish(world('one', mock.url), { signal });
    await using gateway = await startGateway(await fleetVariables(fleet, cluster, folder.path));
    await waitFor(() => gateway.ready(), { what: 'a ready gateway' });
    const first = await shardsThere(cluster, fleet);
    const next = publisherOf(hidingShards(client), fleet, { identity: 'leader-2' });
    await next.publish(world('two', mock.url), { signal });
    await waitFor(async () => (await gateway.status()).source['problem'] !== undefined, { what: 'a problem' });
    expect(await gateway.ask()).toBe('one');
    expect(await shardsThere(cluster, fleet)).toEqual(first);

    await publisherOf(client, fleet, { identity: 'leader-3' }).publish(world('two', mock.url), { signal });
    await waitFor(async () => (await gateway.ask()) === 'two', { what: 'the model two' });
  });

  test('comes back from its copy on disk while the API server is away, and follows it again afterwards', async () => {
    const fleet = await createFleet(cluster);
    await using folder = await tempFolder();
    const publisher = publisherOf(client, fleet);
    await publisher.publish(world('one', mock.url), { signal });
    await using proxy = await startFaultProxy(cluster);
    const variables = await fleetVariables(fleet, { url: proxy.url, caPem: cluster.caPem }, folder.path);
    const first = await startGateway(variables);
    await waitFor(() => first.ready(), { what: 'a ready gateway' });
    await waitFor(() => copyIsSaved(folder.path, fleet.name), { what: 'a saved copy' });
    proxy.refuse();
    await waitFor(async () => (await first.status()).source['connected'] === false, { what: 'a lost connection' });
    expect(await first.ask()).toBe('one');
    await first.kill();

    await using second = await startGateway(variables);
    await waitFor(() => second.ready(), { what: 'a gateway that serves its copy' });
    expect(await second.ask()).toBe('one');
    expect(await second.status()).toMatchObject({ source: { connected: false, servedFrom: 'the copy on disk' } });
    await publisher.publish(world('two', mock.url), { signal });
    proxy.accept();
    await waitFor(async () => (await second.ask()) === 'two', { what: 'the model two' });
  });

  test('survives a watch that is cut, one that has expired, and a manifest that is deleted', async () => {
    const fleet = await createFleet(cluster);
    await using folder = await tempFolder();
    await using proxy = await startFaultProxy(cluster);
    const publisher = publisherOf(client, fleet);
    await publisher.publish(world('one', mock.url), { signal });
    await using gateway = await startGateway(await fleetVariables(fleet, { ...cluster, url: proxy.url }, folder.path));
    await waitFor(() => gateway.ready(), { what: 'a ready gateway' });
    proxy.cutAll();
    await publisher.publish(world('two', mock.url), { signal });
    await waitFor(async () => (await gateway.ask()) === 'two', { what: 'the model two' });

    proxy.inject(({ isWatch }) => isWatch, { kind: 'answer', status: 410, body: '{}' }, 2);
    proxy.cutAll();
    await publisher.publish(world('three', mock.url), { signal });
    await waitFor(async () => (await gateway.ask()) === 'three', { what: 'the model three' });

    await client.delete(CONFIG_MAPS, fleet.manifest, { signal });
    expect(await publisher.repair({ signal })).toMatchObject({ restored: 1 });
    await publisher.publish(world('four', mock.url), { signal });
    await waitFor(async () => (await gateway.ask()) === 'four', { what: 'the model four' });
    expect(await gateway.status()).toMatchObject({ snapshot: { version: 5 } });
  });
});
