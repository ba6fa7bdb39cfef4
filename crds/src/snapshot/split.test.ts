import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { digestOf } from './canonical.ts';
import { type AnyEntry, entryId } from './entries.ts';
import { readShard, renderShard, shardDigest } from './published.ts';
import { type Split, splitIntoShards } from './split.ts';

const LIMITS = { maxBytes: 2_000, targetBytes: 1_000 };

/** A workspace, or a secret entry, of about so many bytes. */
function entry(name: string, { secret = false, size = 10, revision = 0 } = {}): AnyEntry {
  const kind = secret ? 'credential' : 'workspace';
  const filler = 'x'.repeat(size);
  const body = secret
    ? { fields: { filler, revision: String(revision) } }
    : { savedConfigsOnly: false, defaults: {}, displayName: `${filler}${revision}` };
  const id = entryId(kind, 'w', name);
  return { kind, id, workspace: 'w', generation: 1, digest: digestOf(body), body } as AnyEntry; // kind and body fit
}

const many = (count: number, options = {}): AnyEntry[] =>
  Array.from({ length: count }, (_, i) => entry(`e${i}`, options)).sort((a, b) => (a.id < b.id ? -1 : 1));
const digests = ({ shards }: Split): string[] => shards.map(({ digest }) => digest);
const idsOf = ({ shards }: Split): string[] => shards.flatMap(({ entries }) => entries.map(({ id }) => id)).sort();

describe('a split', () => {
  test('contains every entry once, in shards below the maximum that are named by their digest', () => {
    const entries = [...many(100), ...many(40, { secret: true }).map((one) => ({ ...one, id: `${one.id}s` }))];
    const split = splitIntoShards(entries, LIMITS);
    expect(idsOf(split)).toEqual(entries.map(({ id }) => id).sort());
    for (const { entries: inside, digest, bytes, secret } of split.shards) {
      const text = renderShard(inside);
      expect([shardDigest(text), Buffer.byteLength(text)]).toEqual([digest, bytes]);
      expect(bytes).toBeLessThanOrEqual(LIMITS.targetBytes);
      for (const { kind } of inside) expect(kind === 'credential').toBe(secret);
      expect(readShard(text, digest)).toEqual({ ok: true, value: inside });
    }
  });

  test('gives a large entry its own shard, and reports one that is too large for any', () => {
    const split = splitIntoShards(
      [entry('a'), entry('large', { size: 1_500 }), entry('huge', { size: 3_000 })],
      LIMITS,
    );
    expect(split.shards.map(({ entries }) => entries.map(({ id }) => id))).toEqual([
      ['workspace/w/a'],
      ['workspace/w/large'],
    ]);
    expect(split.oversized).toEqual([{ id: 'workspace/w/huge', bytes: expect.any(Number) }]);
  });

  test('changes one shard for an edit of an entry', () => {
    const before = splitIntoShards(many(500), LIMITS);
    const edited = many(500).map((one) => (one.id === 'workspace/w/e7' ? entry('e7', { revision: 1 }) : one));
    const after = splitIntoShards(edited, LIMITS, before);
    expect(digests(after).filter((digest) => !digests(before).includes(digest))).toHaveLength(1);
  });

  test('changes two or three shards when one splits or two merge', () => {
    let split = splitIntoShards(many(200), LIMITS);
    for (let count = 200; count < 260; count += 1) {
      const next = splitIntoShards(many(count + 1), LIMITS, split);
      expect(digests(next).filter((digest) => !digests(split).includes(digest)).length).toBeLessThanOrEqual(2);
      split = next;
    }
  });

  test('is the same object when nothing has changed', () => {
    const entries = many(50);
    const split = splitIntoShards(entries, LIMITS);
    expect(splitIntoShards([...entries], LIMITS, split)).toBe(split);
  });

  test('depends on the entries alone, not on their order or on earlier splits', () => {
    const worlds = fc.array(
      fc.uniqueArray(fc.record({ name: fc.integer({ min: 0, max: 60 }), revision: fc.integer({ min: 0, max: 3 }) }), {
        selector: ({ name }) => name,
        maxLength: 60,
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(worlds, (history) => {
        let split: Split | undefined;
        for (const world of history) {
          const entries = world.map(({ name, revision }) => entry(`e${name}`, { revision, secret: name % 5 === 0 }));
          split = splitIntoShards(entries, LIMITS, split);
          expect(digests(split)).toEqual(digests(splitIntoShards(entries.toReversed(), LIMITS)));
        }
      }),
    );
  });

  test('refuses two entries of the same id', () => {
    expect(() => splitIntoShards([entry('a'), entry('a', { revision: 1 })], LIMITS)).toThrow(RangeError);
  });
});
