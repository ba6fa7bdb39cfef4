/** The writes of a publish at a real API server: killed anywhere, fenced, and without leftovers. */
import { parseManifest } from '@gatehouse/crds/snapshot';
import { unwrap, waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createSnapshotHolder } from '../../../gateway/src/snapshot/holder.ts';
import { createKubernetesSource } from '../../../gateway/src/snapshot/sources/index.ts';
import type { PublisherOptions } from '../../../operator/src/publish/index.ts';
import { ApiError, type Clock, type KubeClient, systemClock } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { CONFIG_MAPS, connectClient, recordLog } from '../runtime/support.ts';
import {
  createFleet,
  fleetVariables,
  manifestOf,
  publisherOf,
  shardsThere,
  type TestFleet,
  tempFolder,
  world,
} from './support.ts';

const UPSTREAM = 'http://127.0.0.1:1';
let cluster: ControlPlaneAccess;
let client: KubeClient;
const signal = AbortSignal.timeout(300_000);
beforeAll(async () => {
  cluster = sharedControlPlane();
  client = await connectClient(cluster);
});
afterAll(async () => {
  await client[Symbol.asyncDispose]();
  await cluster[Symbol.asyncDispose]();
});

/** How many writes a publish makes, and which of them its process does not survive. */
interface Death {
  readonly client: PublisherOptions['client'];
  readonly writes: () => number;
}

/** A process that dies at its n-th write: before the server has it, or before its answer arrives. */
function dyingAt(n: number, when: 'before' | 'after'): Death {
  let writes = 0;
  const dying = async <T>(write: () => Promise<T>): Promise<T> => {
    writes += 1;
    if (writes > n || (writes === n && when === 'before')) throw killed();
    const answer = await write();
    if (writes === n) throw killed();
    return answer;
  };
  return {
    writes: () => writes,
    client: {
      get: client.get,
      create: (kind, object, options) => dying(() => client.create(kind, object, options)),
      update: (kind, object, options) => dying(() => client.update(kind, object, options)),
      mergePatch: (kind, name, patch, options) => dying(() => client.mergePatch(kind, name, patch, options)),
      delete: (kind, name, options) => dying(() => client.delete(kind, name, options)),
    },
  };
}

const killed = (): ApiError => new ApiError({ status: 0, reason: 'Unreachable', message: 'killed' });

/** What a gateway that starts now serves. */
async function served(fleet: TestFleet): Promise<{ version: number | undefined; entries: number }> {
  await using folder = await tempFolder();
  const variables = await fleetVariables(fleet, cluster, folder.path);
  const snapshots = createSnapshotHolder({ providers: new Map() });
  const source = createKubernetesSource(
    {
      api: {
        origin: cluster.url,
        caFile: variables['GATEHOUSE_API_CA_FILE'],
        tokenFile: variables['GATEHOUSE_API_TOKEN_FILE'],
      },
      namespace: fleet.namespace,
      fleet: fleet.name,
      folder: undefined,
      maxAgeMs: 0,
    },
    { snapshots, log: recordLog(), random: Math.random, onConnected: () => undefined },
  );
  source.start();
  try {
    await waitFor(() => snapshots.current, { what: 'a whole Snapshot' });
    const { version, entries } = snapshots.status;
    return { version, entries };
  } finally {
    await source.close();
  }
}

describe('a publish that is killed', () => {
  test.for([
    { n: 1, when: 'before', serves: 1 },
    { n: 1, when: 'after', serves: 1 },
    { n: 2, when: 'before', serves: 1 },
    { n: 2, when: 'after', serves: 1 },
    { n: 3, when: 'before', serves: 1 },
    { n: 3, when: 'after', serves: 1 },
    { n: 4, when: 'before', serves: 1 },
    { n: 4, when: 'after', serves: 1 },
    { n: 5, when: 'before', serves: 1 },
    { n: 5, when: 'after', serves: 2 },
  ] as const)('$when write $n leaves a whole Snapshot, and its successor finishes', async ({ n, when, serves }) => {
    const fleet = await createFleet(cluster);
    await publisherOf(client, fleet).publish(world('one', UPSTREAM), { signal });
    const death = dyingAt(n, when);
    const second = publisherOf(death.client, fleet, { identity: 'leader-2' });
    // Claim, journal, two shards of which one is a Secret, manifest.
    const changed = { ...world('two', UPSTREAM) };
    const withKey = {
      ...changed,
      entries: changed.entries.map((entry) => (entry.kind === 'key' ? rotated(entry) : entry)),
    };
    await expect(second.publish(withKey, { signal })).rejects.toMatchObject({ reason: 'Unreachable' });
    expect(death.writes()).toBeGreaterThanOrEqual(n); // shards are written side by side
    expect(await served(fleet)).toMatchObject({ version: serves, entries: 5 });

    const third = publisherOf(client, fleet, { identity: 'leader-3' });
    // A version that was announced is never given to anything else.
    const isAnnounced = n > 2 || (n === 2 && when === 'after');
    const version = serves === 1 && isAnnounced ? 3 : 2;
    expect(await third.publish(withKey, { signal })).toMatchObject({ version, changed: serves === 1 });
    expect(await served(fleet)).toMatchObject({ version });
    const later = laterClock(11 * 60_000);
    const collector = publisherOf(client, fleet, { identity: 'leader-4', clock: later });
    await collector.publish(withKey, { signal });
    await collector.collect({ signal });
    expect(await shardsThere(cluster, fleet)).toEqual(await namedShards(fleet));
  });
});

const rotated = <T extends { readonly digest: string }>(entry: T): T => ({ ...entry, digest: 'f'.repeat(64) });

const laterClock = (ms: number): Clock => ({ ...systemClock, wallMs: () => Date.now() + ms });

async function namedShards(fleet: TestFleet): Promise<string[]> {
  const { data } = await manifestOf(client, fleet, signal);
  const { shards } = unwrap(parseManifest(data?.['manifest.json'] ?? ''));
  return shards.map(({ name }) => name).sort();
}

describe('two publishers', () => {
  test('do not overwrite each other: the later one fails, and continues from what is published', async () => {
    const fleet = await createFleet(cluster);
    const [old, young] = ['leader-1', 'leader-2'].map((identity) => publisherOf(client, fleet, { identity }));
    await old?.publish(world('one', UPSTREAM), { signal });
    await young?.publish(world('two', UPSTREAM), { signal });
    const before = await manifestOf(client, fleet, signal);
    await expect(old?.publish(world('old', UPSTREAM), { signal })).rejects.toMatchObject({ reason: 'Conflict' });
    expect((await manifestOf(client, fleet, signal)).data).toEqual(before.data);
    expect(await old?.publish(world('old', UPSTREAM), { signal })).toMatchObject({ version: 3, changed: true });
    await expect(young?.publish(world('new', UPSTREAM), { signal })).rejects.toMatchObject({ reason: 'Conflict' });
    expect(await young?.publish(world('new', UPSTREAM), { signal })).toMatchObject({ version: 4 });
  });

  test('never lose a shard that one collects while the other needs it again', async () => {
    const fleet = await createFleet(cluster);
    await publisherOf(client, fleet, { identity: 'leader-0' }).publish(world('one', UPSTREAM), { signal });
    const clock = laterClock(0);
    const old = publisherOf(client, fleet, { clock });
    await old.publish(world('two', UPSTREAM), { signal });
    const young = publisherOf(client, fleet, { identity: 'leader-2' });
    // In the middle of the collection, between its look and its deletion, the other one publishes the old content.
    let met = false;
    const meeting: PublisherOptions['client'] = {
      ...client,
      delete: async (kind, name, options) => {
        if (!met) await young.publish(world('one', UPSTREAM), { signal });
        met = true;
        return client.delete(kind, name, options);
      },
    };
    const collector = publisherOf(meeting, fleet, { identity: 'leader-1', clock: laterClock(11 * 60_000) });
    await collector.publish(world('two', UPSTREAM), { signal });
    await collector.collect({ signal });
    expect(met).toBe(true);
    expect(await shardsThere(cluster, fleet)).toEqual(expect.arrayContaining(await namedShards(fleet)));
    expect(await served(fleet)).toMatchObject({ version: 3 });
  });
});

describe('shards', () => {
  test('go ten minutes after nothing names them any more, and not before', async () => {
    const fleet = await createFleet(cluster);
    let ahead = 0;
    const publisher = publisherOf(client, fleet, { clock: { ...systemClock, wallMs: () => Date.now() + ahead } });
    await publisher.publish(world('one', UPSTREAM), { signal });
    await publisher.publish(world('two', UPSTREAM), { signal });
    const both = await shardsThere(cluster, fleet);
    ahead = 9 * 60_000;
    expect(await publisher.collect({ signal })).toBe(0);
    expect(await shardsThere(cluster, fleet)).toEqual(both);
    ahead = 11 * 60_000;
    expect(await publisher.collect({ signal })).toBe(1);
    expect(await shardsThere(cluster, fleet)).toEqual(await namedShards(fleet));
    expect(await publisher.collect({ signal })).toBe(0);
  });

  test('are put back when they were removed or replaced', async () => {
    const fleet = await createFleet(cluster);
    const publisher = publisherOf(client, fleet);
    await publisher.publish(world('one', UPSTREAM), { signal });
    const names = await namedShards(fleet);
    for (const name of names) {
      const secret =
        (await cluster.request('GET', `/api/v1/namespaces/${fleet.namespace}/secrets/${name}`)).status === 200;
      const kind = secret ? 'secrets' : 'configmaps';
      await cluster.request('DELETE', `/api/v1/namespaces/${fleet.namespace}/${kind}/${name}`);
      const body = { metadata: { name }, data: { 'shard.json': secret ? 'W10=' : '[]' } };
      if (!secret) await cluster.request('POST', `/api/v1/namespaces/${fleet.namespace}/${kind}`, { body });
    }
    expect(await publisher.repair({ signal })).toMatchObject({ restored: names.length });
    expect(await served(fleet)).toMatchObject({ version: 1, entries: 5 });
  });

  test('are immutable, owned by their fleet, and secret where they must be', async () => {
    const fleet = await createFleet(cluster);
    await publisherOf(client, fleet).publish(world('one', UPSTREAM), { signal });
    const { body } = await cluster.request('GET', `/api/v1/namespaces/${fleet.namespace}/configmaps`);
    expect(JSON.stringify(body)).not.toContain('sk-local');
    const names = await namedShards(fleet);
    const objects = await Promise.all(
      names.map(async (name) => {
        const path = `/api/v1/namespaces/${fleet.namespace}`;
        const found = await cluster.request('GET', `${path}/configmaps/${name}`);
        return found.status === 200 ? found.body : (await cluster.request('GET', `${path}/secrets/${name}`)).body;
      }),
    );
    for (const object of objects) {
      expect(object).toMatchObject({
        immutable: true,
        metadata: {
          ownerReferences: [{ kind: 'GatewayFleet', uid: fleet.uid }],
          labels: { 'gatehouse.dev/fleet': 'main' },
        },
      });
    }
    expect(objects).toHaveLength(2);
    await client.get(CONFIG_MAPS, { namespace: fleet.namespace, name: 'main-shards' }, { signal });
  });
});
