import {
  type AnyEntry,
  digestOf,
  manifestName,
  renderManifest,
  renderShard,
  SCHEMA_VERSION,
  shardDigest,
  shardName,
} from '@gatehouse/crds/snapshot';
import { config } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { ApiError, type Log } from '../../runtime/index.ts';
import { readPublished } from './last-published.ts';

interface GivenFleet {
  readonly name: string;
  readonly publishedAt?: number;
  readonly entries: readonly AnyEntry[];
}

const entry = (model: string, generation = 1, over: Partial<AnyEntry> = {}): AnyEntry => {
  const made = config('main', { provider: '@own', override_params: { model } });
  return { ...made, generation, ...over } as AnyEntry; // the same kind
};
const of = (name: string, publishedAt: number | undefined, ...entries: readonly AnyEntry[]): GivenFleet => ({
  name,
  entries,
  ...(publishedAt === undefined ? {} : { publishedAt }),
});

/** Every object of the fleets by its name. */
function objectsOf(fleets: readonly GivenFleet[]): ReadonlyMap<string, Readonly<Record<string, string>>> {
  const objects = new Map<string, Readonly<Record<string, string>>>();
  for (const { name, entries, ...times } of fleets) {
    const text = renderShard(entries);
    const digest = shardDigest(text);
    const ref = { name: shardName(name, digest), secret: false, digest };
    objects.set(ref.name, { 'shard.json': text });
    const manifest = { version: 1, schemaVersion: { ...SCHEMA_VERSION }, shards: [ref], ...times };
    objects.set(manifestName(name), { 'manifest.json': renderManifest(manifest) });
  }
  return objects;
}

async function read(fleets: readonly GivenFleet[]) {
  const objects = objectsOf(fleets);
  const warnings: unknown[] = [];
  const log: Log = { debug: () => {}, info: () => {}, error: () => {}, warn: (facts) => warnings.push(facts) };
  const client = {
    get: async (_: unknown, { name }: { readonly name: string }) => {
      const data = objects.get(name);
      if (data === undefined) throw new ApiError({ status: 404, reason: 'NotFound', message: '' });
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    },
  };
  const names = fleets.map(({ name }) => ({ name, namespace: 'fleets' }));
  const { signal } = new AbortController();
  const { entries } = await readPublished(names, { client: client as never, log, signal }); // answers every kind alike
  return {
    warnings,
    served: entries.map(({ generation, body }) => `${generation} ${/"model":"(\w+)"/.exec(JSON.stringify(body))?.[1]}`),
  };
}

test.for<{ rule: string; fleets: readonly GivenFleet[]; served: readonly string[] }>([
  { rule: 'nothing of a fleet without a manifest', fleets: [], served: [] },
  {
    rule: 'what was published last, although an object of that name had a higher generation before',
    fleets: [of('a', 1, entry('old', 7)), of('b', 2, entry('new', 1))],
    served: ['1 new'],
  },
  {
    rule: 'of one time the highest generation',
    fleets: [of('a', 1, entry('old', 1)), of('b', 1, entry('new', 2))],
    served: ['2 new'],
  },
  {
    rule: 'of one generation what was published last',
    fleets: [of('a', 1, entry('old')), of('b', 2, entry('new')), of('c', undefined, entry('undated'))],
    served: ['1 new'],
  },
  {
    rule: 'of one generation and time what the first fleet by name has',
    fleets: [of('a', 1, entry('one')), of('b', 1, entry('other'))],
    served: ['1 one'],
  },
])('of several fleets counts $rule, in whatever order they come', async ({ fleets, served }) => {
  expect((await read(fleets)).served).toEqual(served);
  expect((await read(fleets.toReversed())).served).toEqual(served);
});

test.for<{ rule: string; lie: AnyEntry }>([
  { rule: 'the digest of another body', lie: entry('forged', 9, { digest: entry('true').digest }) },
  { rule: 'the id of another workspace', lie: entry('forged', 9, { id: 'config/team-b/main' }) },
  { rule: 'the id of another kind', lie: entry('forged', 9, { id: 'provider/team-a/main' }) },
  { rule: 'no body', lie: entry('forged', 9, { body: undefined as never, digest: digestOf(undefined) }) },
])('an entry with $rule is dropped, and counted', async ({ lie }) => {
  const { served, warnings } = await read([of('a', 1, entry('true'), lie)]);
  expect(served).toEqual(['1 true']);
  expect(warnings).toEqual([expect.objectContaining({ entries: 1 })]);
});

test('a fleet that may not be read is reported, and the others are read', async () => {
  const objects = objectsOf([of('a', 1, entry('one'))]);
  const client = {
    get: async (_: unknown, { name, namespace }: { readonly name: string; readonly namespace: string }) => {
      const data = objects.get(name);
      if (namespace === 'closed') throw new ApiError({ status: 403, reason: 'Forbidden', message: '' });
      if (data === undefined) throw new ApiError({ status: 404, reason: 'NotFound', message: '' });
      return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    },
  };
  const log: Log = { debug: () => {}, info: () => {}, error: () => {}, warn: () => {} };
  const closed = { name: 'b', namespace: 'closed' };
  const { signal } = new AbortController();
  const options = { client: client as never, log, signal }; // answers every kind alike
  const { entries, unread } = await readPublished([closed, { name: 'a', namespace: 'fleets' }], options);
  expect(entries).toHaveLength(1);
  expect(unread).toEqual([closed]);
});
