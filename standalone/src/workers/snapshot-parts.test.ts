import type { AnyEntry, Snapshot } from '@gatehouse/crds/snapshot';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createAssembly, toParts } from './snapshot-parts.ts';

const snapshotOf = (contents: Readonly<Record<string, string>>): Snapshot => ({
  schemaVersion: { major: 1, minor: 0 },
  entries: Object.entries(contents)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([id, digest]) => ({ id, digest }) as AnyEntry), // all that parts look at
});

const contents = fc.dictionary(fc.string({ minLength: 1, maxLength: 2 }), fc.constantFrom('a', 'b'), { maxKeys: 300 });

test('parts turn each Snapshot into the next one, and none has more than a hundred entries', () => {
  fc.assert(
    fc.property(fc.array(contents, { minLength: 1, maxLength: 4 }), (versions) => {
      const assemble = createAssembly();
      let previous: Snapshot | undefined;
      for (const [version, given] of versions.entries()) {
        const next = snapshotOf(given);
        const parts = toParts(previous, next, version);
        const assembled = parts.map(assemble);
        expect(assembled.slice(0, -1).every((result) => result === undefined)).toBe(true);
        expect(assembled.at(-1)).toEqual(next);
        expect(Math.max(...parts.flatMap(({ put, remove }) => [put.length, remove.length]))).toBeLessThanOrEqual(100);
        previous = next;
      }
    }),
  );
});

test('an edit sends what it changes only', () => {
  const before = snapshotOf({ a: '1', b: '1', c: '1' });
  const [part, ...others] = toParts(before, snapshotOf({ a: '1', b: '2', d: '1' }), 7);
  expect(others).toEqual([]);
  expect(part).toMatchObject({ version: 7, remove: ['c'], isLast: true });
  expect(part?.put.map(({ id }) => id)).toEqual(['b', 'd']);
});
