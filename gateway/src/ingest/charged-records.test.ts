import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createChargedRecords } from './charged-records.ts';

describe('charged records', () => {
  test('are known by their workspace', () => {
    const records = createChargedRecords(10);
    expect([records.add('a', '1'), records.add('a', '1'), records.add('b', '1'), records.add('b', '1')]).toEqual([
      true,
      false,
      true,
      false,
    ]);
  });

  test('of a workspace are not pushed out by another one that sends many', () => {
    const records = createChargedRecords(10);
    for (let i = 0; i < 5; i += 1) records.add('small', String(i));
    for (let i = 0; i < 1_000; i += 1) records.add('large', String(i));
    for (let i = 0; i < 5; i += 1) expect(records.add('small', String(i))).toBe(false);
    for (let i = 995; i < 1_000; i += 1) expect(records.add('large', String(i))).toBe(false);
    expect(records.add('large', '994')).toBe(true);
  });

  test('are the last ones of each workspace, its share at the least, and together not more than the bound', () => {
    const workspace = fc.constantFrom('a', 'b', 'c', 'd');
    const sequence = fc.array(workspace, { maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), sequence, (max, senders) => {
        // Asking adds: each question is put to a memory of its own.
        const isKnown = (sender: string, id: number): boolean => {
          const records = createChargedRecords(max);
          for (const [i, each] of senders.entries()) records.add(each, String(i));
          return !records.add(sender, String(id));
        };
        const bySender = Map.groupBy(senders.keys(), (i) => senders[i] ?? '');
        const known = [...bySender].map(([sender, ids]) => ids.map((id) => isKnown(sender, id)));
        for (const each of known) {
          const count = each.filter((one) => one).length;
          expect(each.slice(each.length - count)).not.toContain(false);
          expect(count).toBeGreaterThanOrEqual(Math.min(each.length, Math.floor(max / bySender.size)));
        }
        expect(known.flat().filter((one) => one).length).toBe(Math.min(max, senders.length));
      }),
    );
  });
});
