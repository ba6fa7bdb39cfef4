import { contentDigest, type Revision } from '@gatehouse/crds/snapshot';
import { organisation, waitFor, workspace } from '@gatehouse/test/kit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createSnapshotHolder, type SnapshotHolder } from '../../holder.ts';
import { createLoader, type Loader } from './loader.ts';
import { createShardCache } from './shard-cache.ts';
import { publication, SILENT_LOG, type TestPublication } from './testing.ts';

let snapshots: SnapshotHolder;
let loader: Loader;
let there: Map<string, string>;
let events: string[];
let stop: AbortController;
let running: Promise<void>;
let counter = 0;
beforeEach(() => {
  snapshots = createSnapshotHolder({ providers: new Map() });
  there = new Map();
  events = [];
  stop = new AbortController();
  loader = createLoader({
    snapshots,
    shards: createShardCache(async ({ digest }) => there.get(digest)),
    log: SILENT_LOG,
    random: () => 0,
    onServing: ({ version }, event) => events.push(`${event} ${version}`),
  });
  running = loader.run(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await running;
});

function publish(at: number | Revision, uid?: string): TestPublication {
  const revision = typeof at === 'number' ? { epoch: 0, version: at } : at;
  const given = publication(
    revision,
    [workspace(`team-${revision.epoch}-${revision.version}${uid ?? ''}-${counter++}`)],
    uid,
  );
  for (const [digest, text] of given.shards) there.set(digest, text);
  return given;
}
const serves = (version: number) => waitFor(() => snapshots.status.version === version, { what: `version ${version}` });

describe('a loader', () => {
  test('serves a proposed manifest, once', async () => {
    const { object } = publish(1);
    loader.propose(object);
    await serves(1);
    loader.propose({ ...object });
    expect([events, loader.problem, loader.hasBegun]).toEqual([['loaded 1', 'confirmed 1'], undefined, true]);
  });

  test('retries until a Snapshot is complete, and drops it for a newer one', async () => {
    const missing = publish(1);
    there.clear();
    loader.propose(missing.object);
    await waitFor(() => loader.problem !== undefined);
    expect(snapshots.current).toBeUndefined();
    for (const [digest, text] of missing.shards) there.set(digest, text);
    await serves(1);
    expect(loader.problem).toBeUndefined();
    const lost = publish(2);
    for (const digest of lost.shards.keys()) there.delete(digest);
    loader.propose(lost.object);
    loader.propose(publish(3).object);
    await serves(3);
    expect(events).toEqual(['loaded 1', 'loaded 3']);
  });

  test('does not go back to what a replica of the API server still shows', async () => {
    loader.propose(publish(2).object);
    await serves(2);
    loader.propose(publish(1).object);
    loader.propose(publish(3).object);
    await serves(3);
    expect(events).toEqual(['loaded 2', 'loaded 3']);
  });

  test.for([
    { rule: 'an older version', at: { epoch: 2, version: 6 } },
    { rule: 'an older version that was made anew', at: { epoch: 2, version: 6 }, uid: 'another' },
    { rule: 'an older epoch, whatever its version', at: { epoch: 1, version: 900 } },
    { rule: 'the same version with other content', at: { epoch: 2, version: 7 } },
  ])('rejects $rule, reports it, and continues with later revisions', async ({ at, uid }) => {
    loader.propose(publish({ epoch: 2, version: 7 }).object);
    await serves(7);
    const { digest } = snapshots.status;
    loader.propose(publish(at, uid).object);
    expect(snapshots.status).toMatchObject({ epoch: 2, version: 7, digest, rejected: at });
    expect(loader.problem).toEqual(expect.any(String));
    loader.propose(publish({ epoch: 3, version: 1 }).object);
    await serves(1);
    expect(snapshots.status).toMatchObject({ epoch: 3, rejected: undefined });
    expect(loader.problem).toBeUndefined();
  });

  test('clears the rejection once the served manifest is proposed again', async () => {
    const current = publish(7);
    loader.propose(current.object);
    await serves(7);
    loader.propose(publish(6).object);
    expect(snapshots.status.rejected).toMatchObject({ version: 6 });
    loader.propose({ ...current.object, uid: 'put back' });
    expect([snapshots.status.rejected, loader.problem]).toEqual([undefined, undefined]);
  });

  test('does not go back to what came before the life of its process', async () => {
    loader.remember({ epoch: 1, version: 7 });
    loader.propose(publish({ epoch: 1, version: 6 }).object);
    expect(snapshots.status).toMatchObject({ version: undefined, rejected: { epoch: 1, version: 6 } });
    expect(loader.hasBegun).toBe(false);
    loader.propose(publish({ epoch: 1, version: 7 }).object);
    await serves(7);
  });

  test('accepts manifests of an operator before epochs, and reports their digest', async () => {
    const { object, manifest } = publish(7);
    loader.propose(object);
    await serves(7);
    expect(snapshots.status).toMatchObject({ epoch: 0, digest: contentDigest(manifest) });
  });

  test.for([
    { rule: 'of a newer major version', text: '{"version":5,"schemaVersion":{"major":99,"minor":0}}', rejected: 5 },
    { rule: 'without shards', text: '{"version":6,"schemaVersion":{"major":1,"minor":0}}', rejected: 6 },
    { rule: 'that is none', text: 'x', rejected: undefined },
  ])('keeps serving beside a manifest $rule', async ({ text, rejected }) => {
    loader.propose(publish(1).object);
    await serves(1);
    loader.propose({ uid: 'uid', text });
    expect(loader.problem).toEqual(expect.any(String));
    expect(snapshots.status).toMatchObject({
      version: 1,
      ...(rejected === undefined ? {} : { rejected: { version: rejected } }),
    });
    loader.propose(publish(9).object);
    await serves(9);
    expect(snapshots.status.rejected).toBeUndefined();
  });

  test('does not try a Snapshot again that the gateway has refused', async () => {
    const broken = publication({ epoch: 0, version: 4 }, [organisation({ headersToMask: 7 as never })]);
    for (const [digest, text] of broken.shards) there.set(digest, text);
    loader.propose(broken.object);
    await waitFor(() => snapshots.status.rejected?.version === 4);
    await waitFor(() => loader.problem !== undefined);
    loader.propose(publish(5).object);
    await serves(5);
    expect(events).toEqual(['loaded 5']);
  });
});
