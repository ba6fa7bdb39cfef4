/** What gateways say about the versions they serve, over their real admin listeners. */

import type { AnyEntry, Snapshot } from '@gatehouse/crds/snapshot';
import { createMockProvider } from '@gatehouse/standalone/mock-provider';
import { organisation, snapshot, waitFor, workspace } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Secret } from '../../../gateway/src/lib/secret.ts';
import { createAdminListener } from '../../../gateway/src/listener/index.ts';
import { createSnapshotHolder, type SnapshotHolder } from '../../../gateway/src/snapshot/index.ts';
import { type Acknowledgements, createAcknowledgements, type FleetPod } from '../../../operator/src/publish/index.ts';
import type { KubeClient } from '../../../operator/src/runtime/index.ts';
import { type ControlPlaneAccess, sharedControlPlane } from '../../cluster/index.ts';
import { connectClient, recordLog } from '../runtime/support.ts';
import { ADMIN_TOKEN, createFleet, fleetVariables, publisherOf, startGateway, tempFolder, world } from './support.ts';

interface TestPod extends AsyncDisposable {
  readonly pod: FleetPod;
  readonly snapshots: SnapshotHolder;
}

/** The admin listener of a gateway that knows no provider, so that it serves without the entries of providers. */
async function startPod(name: string, options: { readonly ready?: boolean } = {}): Promise<TestPod> {
  const snapshots = createSnapshotHolder({ providers: new Map() });
  const listener = createAdminListener(
    { host: '127.0.0.1', port: 0 },
    {
      snapshots,
      metrics: undefined,
      usage: undefined,
      version: 'test',
      isAccepting: () => true,
      sourceStatus: () => undefined,
      token: new Secret(ADMIN_TOKEN),
    },
  );
  const adminPort = await listener.listen();
  return {
    snapshots,
    pod: { name, uid: `uid-${name}`, ip: '127.0.0.1', ready: options.ready ?? true, adminPort },
    [Symbol.asyncDispose]: listener.closeNow,
  };
}

interface Watching extends AsyncDisposable {
  readonly acknowledgements: Acknowledgements;
  readonly changes: () => number;
}

function watching(token = ADMIN_TOKEN): Watching {
  let changes = 0;
  const onChange = (): void => {
    changes += 1;
  };
  const acknowledgements = createAcknowledgements({ token: () => token, onChange, log: recordLog() });
  return { acknowledgements, changes: () => changes, [Symbol.asyncDispose]: () => acknowledgements.close() };
}

const simple = (...entries: readonly AnyEntry[]): Snapshot => snapshot(workspace(), ...entries);

describe('acknowledgements', () => {
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

  test('say what a gateway process serves as soon as it does, and what another one cannot use', async () => {
    await using mock = await createMockProvider();
    const fleet = await createFleet(cluster);
    await using folder = await tempFolder();
    await using gateway = await startGateway(await fleetVariables(fleet, cluster, folder.path));
    await using other = await startPod('b');
    await using watched = watching();
    const { acknowledgements } = watched;
    const a: FleetPod = { name: 'a', uid: 'uid-a', ip: '127.0.0.1', ready: true, adminPort: gateway.adminPort };
    acknowledgements.setPods([a, other.pod]);
    const publisher = publisherOf(client, fleet);
    for (const [model, version] of [
      ['one', 1],
      ['two', 2],
    ] as const) {
      const given = world(model, mock.url);
      const { digest } = await publisher.publish(given, { signal });
      await other.snapshots.load(version, given, { digest });
      await waitFor(() => acknowledgements.count(digest).serving === 2, { what: `version ${version}` });
      expect(acknowledgements.count(digest)).toEqual({ ready: 2, serving: 2 });
    }
    expect(acknowledgements.table()).toMatchObject([
      { pod: { name: 'a' }, reachable: true, answer: { version: 2, skipped: [] } },
      {
        pod: { name: 'b' },
        answer: { version: 2, skipped: [{ id: 'provider/team-a/local', reason: expect.any(String) }] },
      },
    ]);
    await gateway.kill();
    await waitFor(() => acknowledgements.table()[0]?.reachable === false, { what: 'a pod that does not answer' });
    expect(acknowledgements.table()).toMatchObject([{ answer: { version: 2 } }, { answer: { version: 2 } }]);
  });
});

describe('a table of acknowledgements', () => {
  test('counts who serves the content, and shows why a version is refused', async () => {
    await using fast = await startPod('fast');
    await using slow = await startPod('slow');
    await using young = await startPod('young', { ready: false });
    await using watched = watching();
    const { acknowledgements, changes } = watched;
    expect(acknowledgements.count('one')).toEqual({ ready: 0, serving: 0 });
    acknowledgements.setPods([slow.pod, fast.pod, young.pod]);
    expect(changes()).toBe(1);
    await Promise.all([fast, slow].map(({ snapshots }) => snapshots.load(1, simple(), { digest: 'one' })));
    await waitFor(() => acknowledgements.count('one').serving === 2);
    await fast.snapshots.load(2, simple(organisation()), { digest: 'two' });
    await slow.snapshots.load(2, { schemaVersion: { major: 99, minor: 0 }, entries: [] }, { digest: 'two' });
    await waitFor(() => acknowledgements.table().some(({ answer }) => answer?.rejected !== undefined));
    await waitFor(() => acknowledgements.count('two').serving === 1);
    const broken = organisation({ headersToMask: 7 as never });
    await slow.snapshots.load(3, simple(broken), { epoch: 1 });
    await waitFor(() => acknowledgements.table()[1]?.answer?.rejected?.version === 3);
    expect(acknowledgements.table()[1]?.answer).toMatchObject({
      version: 1,
      digest: 'one',
      rejected: { epoch: 1, version: 3, entry: broken.id },
    });
    await slow.snapshots.load(4, simple(), { epoch: 1, digest: 'four' });
    await waitFor(() => acknowledgements.table()[1]?.answer?.rejected === undefined);
    expect(acknowledgements.table()[1]?.answer).toMatchObject({ epoch: 1, version: 4, digest: 'four' });
    expect(acknowledgements.count('four')).toEqual({ ready: 2, serving: 1 });
  });

  test('shows at once that a pod refuses an older version than it serves', async () => {
    await using one = await startPod('a');
    await using watched = watching();
    const { acknowledgements } = watched;
    await one.snapshots.load(7, simple(), { epoch: 2, digest: 'seven' });
    acknowledgements.setPods([one.pod]);
    await waitFor(() => acknowledgements.count('seven').serving === 1);
    one.snapshots.refuse({ epoch: 1, version: 9 }, 'it comes before');
    const seen = () => acknowledgements.table()[0]?.answer;
    await waitFor(() => seen()?.rejected?.epoch === 1, { what: 'the refusal' });
    one.snapshots.clearRejection();
    await waitFor(() => seen()?.rejected === undefined, { what: 'no refusal' });
  });

  test('never counts a pod that says a version and no digest, as gateways of before digests do', async () => {
    await using one = await startPod('a');
    await using watched = watching();
    const { acknowledgements } = watched;
    await one.snapshots.load(7, simple());
    acknowledgements.setPods([one.pod]);
    await waitFor(() => acknowledgements.table()[0]?.answer?.version === 7);
    expect(acknowledgements.count('seven').serving).toBe(0);
    expect(acknowledgements.count(undefined)).toEqual({ ready: 1, serving: 0 });
  });

  test('follows pods that come, go, and come back under the same name', async () => {
    await using first = await startPod('a');
    await using second = await startPod('a');
    await using watched = watching();
    const { acknowledgements } = watched;
    await first.snapshots.load(5, simple(), { digest: 'five' });
    acknowledgements.setPods([first.pod]);
    await waitFor(() => acknowledgements.count('five').serving === 1);
    const next = { ...second.pod, uid: 'another' };
    acknowledgements.setPods([next]);
    expect(acknowledgements.count('five').serving).toBe(0);
    await second.snapshots.load(6, simple(), { digest: 'six' });
    await waitFor(() => acknowledgements.count('six').serving === 1);
    acknowledgements.setPods([{ ...next, ready: false }]);
    expect(acknowledgements.count('six')).toEqual({ ready: 0, serving: 0 });
    expect(acknowledgements.table()).toMatchObject([{ answer: { version: 6 } }]);
    acknowledgements.setPods([]);
    expect(acknowledgements.table()).toEqual([]);
  });

  test('shows no answer of pods with another token', async () => {
    await using one = await startPod('a');
    await one.snapshots.load(1, simple());
    await using watched = watching('wrong');
    watched.acknowledgements.setPods([one.pod]);
    await waitFor(() => watched.acknowledgements.table()[0]?.reachable !== undefined, { what: 'the first answer' });
    expect(watched.acknowledgements.table()).toMatchObject([{ reachable: false, answer: undefined }]);
  });

  test('follows twenty pods at once', async () => {
    await using stack = new AsyncDisposableStack();
    const pods: TestPod[] = [];
    for (let i = 0; i < 20; i += 1) pods.push(stack.use(await startPod(`pod-${i}`)));
    await using watched = watching();
    const { acknowledgements } = watched;
    acknowledgements.setPods(pods.map(({ pod }) => pod));
    for (const version of [1, 2, 3]) {
      const digest = `digest-${version}`;
      await Promise.all(pods.map(({ snapshots }) => snapshots.load(version, simple(), { digest })));
      const all = () => acknowledgements.count(digest).serving === 20;
      await waitFor(all, { what: `version ${version}` });
    }
    expect(acknowledgements.count('digest-3')).toEqual({ ready: 20, serving: 20 });
  });
});
