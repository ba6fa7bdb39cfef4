import { organisation, waitFor, workspace } from '@gatehouse/test/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSnapshotHolder, type SnapshotHolder } from '../../holder.ts';
import { createLoader, type Loader } from './loader.ts';
import { createShardCache } from './shard-cache.ts';
import { publication, QUIET, type TestPublication } from './testing.ts';

let snapshots: SnapshotHolder;
let loader: Loader;
let there: Map<string, string>;
let events: string[];
let stop: AbortController;
let running: Promise<void>;
beforeEach(() => {
  snapshots = createSnapshotHolder({ providers: new Map() });
  there = new Map();
  events = [];
  stop = new AbortController();
  loader = createLoader({
    snapshots,
    shards: createShardCache(async ({ digest }) => there.get(digest)),
    log: QUIET,
    random: () => 0,
    onServing: ({ version }, event) => events.push(`${event} ${version}`),
  });
  running = loader.run(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await running;
});

function publish(version: number, uid?: string): TestPublication {
  const given = publication(version, [workspace(`team-${version}`)], uid);
  for (const [digest, text] of given.shards) there.set(digest, text);
  return given;
}
const serves = (version: number) => waitFor(() => snapshots.status.version === version, { what: `version ${version}` });

describe('a loader', () => {
  test('serves what it is offered, once', async () => {
    const { object } = publish(1);
    loader.offer(object);
    await serves(1);
    loader.offer({ ...object });
    expect([events, loader.problem, loader.hasBegun]).toEqual([['loaded 1', 'confirmed 1'], undefined, true]);
  });

  test('tries again until a Snapshot is whole, and drops it for a newer one', async () => {
    const missing = publish(1);
    there.clear();
    loader.offer(missing.object);
    await waitFor(() => loader.problem !== undefined);
    expect(snapshots.current).toBeUndefined();
    for (const [digest, text] of missing.shards) there.set(digest, text);
    await serves(1);
    expect(loader.problem).toBeUndefined();
    const lost = publish(2);
    for (const digest of lost.shards.keys()) there.delete(digest);
    loader.offer(lost.object);
    loader.offer(publish(3).object);
    await serves(3);
    expect(events).toEqual(['loaded 1', 'loaded 3']);
  });

  test('does not go back to what a replica of the API server still shows', async () => {
    loader.offer(publish(2).object);
    await serves(2);
    loader.offer(publish(1).object);
    loader.offer(publish(3).object);
    await serves(3);
    expect(events).toEqual(['loaded 2', 'loaded 3']);
  });

  test('begins anew with a manifest that was made anew', async () => {
    loader.offer(publish(7).object);
    await serves(7);
    loader.offer(publish(1, 'another').object);
    await serves(1);
  });

  test.for([
    { rule: 'of a newer major version', text: '{"version":5,"schemaVersion":{"major":99,"minor":0}}', rejected: 5 },
    { rule: 'without shards', text: '{"version":6,"schemaVersion":{"major":1,"minor":0}}', rejected: 6 },
    { rule: 'that is none', text: 'x', rejected: undefined },
  ])('keeps serving beside a manifest $rule', async ({ text, rejected }) => {
    loader.offer(publish(1).object);
    await serves(1);
    loader.offer({ uid: 'uid', text });
    expect(loader.problem).toEqual(expect.any(String));
    expect(snapshots.status).toMatchObject({
      version: 1,
      ...(rejected === undefined ? {} : { rejected: { version: rejected } }),
    });
    loader.offer(publish(9).object);
    await serves(9);
    expect(snapshots.status.rejected).toBeUndefined();
  });

  test('does not try a Snapshot again that the gateway has refused', async () => {
    const broken = publication(4, [organisation({ headersToMask: 7 as never })]);
    for (const [digest, text] of broken.shards) there.set(digest, text);
    loader.offer(broken.object);
    await waitFor(() => snapshots.status.rejected?.version === 4);
    await waitFor(() => loader.problem !== undefined);
    loader.offer(publish(5).object);
    await serves(5);
    expect(events).toEqual(['loaded 5']);
  });
});
