import { config, key, provider, unwrap, workspace } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createShardCache } from './shard-cache.ts';
import { publication } from './testing.ts';

const options = { signal: new AbortController().signal };
const first = publication({ epoch: 0, version: 1 }, [workspace(), key(), ...provider('a')]);
const second = publication({ epoch: 0, version: 2 }, [
  workspace(),
  key(),
  ...provider('a'),
  config('c', { provider: '@a' }),
]);

describe('a shard cache', () => {
  test('loads a Snapshot whole, and each shard once', async () => {
    const asked: string[] = [];
    const cache = createShardCache(async ({ digest }) => {
      asked.push(digest);
      return first.shards.get(digest) ?? second.shards.get(digest);
    });
    expect(unwrap(await cache.load(first.manifest, options)).entries).toHaveLength(4);
    expect(unwrap(await cache.load(second.manifest, options)).entries).toHaveLength(5);
    expect(asked.toSorted()).toEqual([...new Set([...first.shards.keys(), ...second.shards.keys()])].sort());
    cache.keepOnly(second.manifest);
    const [gone = ''] = [...first.shards.keys()].filter((digest) => !second.shards.has(digest));
    expect(cache.entriesOf(gone)).toBeUndefined();
  });

  test.for<{ rule: string; fetch: (text: string | undefined) => Promise<string | undefined> }>([
    { rule: 'missing', fetch: async () => undefined },
    { rule: 'another content', fetch: async (text) => `${text} ` },
    { rule: 'cut off', fetch: async (text) => text?.slice(1) },
    { rule: 'not to be had', fetch: () => Promise.reject(new Error('boom')) },
  ])('gives nothing while a shard is $rule, and everything afterwards', async ({ fetch }) => {
    let broken = true;
    const cache = createShardCache(async ({ digest, secret }) => {
      const text = first.shards.get(digest);
      return broken && secret ? fetch(text) : text;
    });
    expect(await cache.load(first.manifest, options)).toMatchObject({ ok: false });
    broken = false;
    expect(await cache.load(first.manifest, options)).toMatchObject({ ok: true });
  });
});
