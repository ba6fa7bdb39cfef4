import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dueRows,
  EMPTY_JOURNAL,
  type Journal,
  MIN_UNREFERENCED_MS,
  type NamedShard,
  parseJournal,
  renderJournal,
  rowsBefore,
} from './journal.ts';

const shard = (name: string): NamedShard => ({ name, secret: name.startsWith('s') });
const row = (name: string, sinceMs = 0) => ({ ...shard(name), sinceMs });

describe('a journal', () => {
  test('comes back as it was written', () => {
    const journal: Journal = { publisher: 'leader', epoch: 1, version: 7, collectedAtMs: 5, shards: [row('a', 1)] };
    expect(parseJournal(renderJournal(journal))).toEqual(journal);
  });

  test.for(['', 'x', '{}', '[]', '{"publisher":"a","shards":[{}]}'])('is not %j', (text) => {
    expect(parseJournal(text)).toBeUndefined();
  });

  test('names what comes and what goes, and forgets what stays named', () => {
    const rows = rowsBefore(
      [row('a'), row('b'), row('old')],
      { before: [shard('a'), shard('b')], after: [shard('b'), shard('c')] },
      9,
    );
    expect(rows).toEqual([row('old'), row('a', 9), row('c', 9)]);
  });

  test('never loses sight of a shard, whatever is published and however often it fails', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 's1', 's2'));
    fc.assert(
      fc.property(fc.array(fc.tuple(names, fc.boolean())), (publishes) => {
        let journal = EMPTY_JOURNAL.shards;
        let named: NamedShard[] = [];
        const exists = new Set<string>();
        for (const [wanted, dies] of publishes) {
          const after = wanted.map(shard);
          journal = rowsBefore(journal, { before: named, after }, 0);
          for (const name of wanted) exists.add(name);
          if (!dies) named = after;
          const known = new Set([...journal, ...named].map(({ name }) => name));
          expect([...exists].filter((name) => !known.has(name))).toEqual([]);
        }
      }),
    );
  });
});

describe('a shard is due', () => {
  test.for([
    { rule: 'after its time', rows: [row('a')], named: [], nowMs: MIN_UNREFERENCED_MS, due: ['a'] },
    { rule: 'not before', rows: [row('a', 1)], named: [], nowMs: MIN_UNREFERENCED_MS, due: [] },
    { rule: 'never while it is named', rows: [row('a')], named: [shard('a')], nowMs: MIN_UNREFERENCED_MS, due: [] },
  ])('$rule', ({ rows, named, nowMs, due }) => {
    expect(dueRows(rows, named, nowMs).map(({ name }) => name)).toEqual(due);
  });

  test('early when there are too many, the oldest first', () => {
    const rows = Array.from({ length: 8_002 }, (_, i) => row(`a${i}`));
    expect(dueRows(rows, [], 0).map(({ name }) => name)).toEqual(['a0', 'a1']);
  });
});
