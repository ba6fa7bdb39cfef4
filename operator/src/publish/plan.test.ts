import { type AnyEntry, type Manifest, SCHEMA_VERSION, splitIntoShards } from '@gatehouse/crds/snapshot';
import { config, key, provider, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { planPublish } from './plan.ts';

const FLEET = { fleet: 'main', schemaVersion: SCHEMA_VERSION };
const shardsOf = (...entries: readonly AnyEntry[]) => splitIntoShards(entries).shards;
const first = shardsOf(workspace(), key(), ...provider('a'), config('c', { provider: '@a' }));

function manifest(shards: typeof first, schemaVersion = SCHEMA_VERSION): Manifest {
  const { refs } = planPublish(undefined, shards, FLEET);
  return { version: 1, schemaVersion: { ...schemaVersion }, shards: [...refs] };
}

describe('a plan', () => {
  test('of a new fleet has every shard, named by its digest', () => {
    const plan = planPublish(undefined, first, FLEET);
    expect(plan).toMatchObject({ changed: true, added: first, kept: [] });
    expect(plan.refs.map(({ name, secret }) => [name, secret])).toEqual(
      first.map(({ digest, secret }) => [`main-shard-${digest.slice(0, 16)}`, secret]),
    );
  });

  test.for([
    { rule: 'the same shards', shards: first, changed: false, added: 0, kept: 2 },
    {
      rule: 'another config',
      shards: shardsOf(workspace(), key(), ...provider('a'), config('c', { provider: '@b' })),
      changed: true,
      added: 1,
      kept: 1,
    },
    { rule: 'no secret entries', shards: shardsOf(workspace()), changed: true, added: 1, kept: 0 },
    { rule: 'nothing', shards: [], changed: true, added: 0, kept: 0 },
  ])('writes what differs for $rule', ({ shards, changed, added, kept }) => {
    const plan = planPublish(manifest(first), shards, FLEET);
    expect([plan.changed, plan.added.length, plan.kept.length]).toEqual([changed, added, kept]);
  });

  test('is a change when the schema version is another one', () => {
    const { major, minor } = SCHEMA_VERSION;
    expect(planPublish(manifest(first, { major, minor: minor + 1 }), first, FLEET).changed).toBe(true);
  });
});
