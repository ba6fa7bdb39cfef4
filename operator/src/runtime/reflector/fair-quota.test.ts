import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { allocate, createFairQuota } from './fair-quota.ts';

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0);

describe('an allocation', () => {
  test.for([
    { rule: 'is what is wanted while all fits', wants: [1, 2, 3], room: 6, want: [1, 2, 3] },
    { rule: 'leaves alone who wants little', wants: [4_950, 1], room: 4_000, want: [3_999, 1] },
    { rule: 'is the same for all who want much', wants: [100, 100, 1], room: 21, want: [10, 10, 1] },
    { rule: 'gives what cannot be shared to the first', wants: [1, 5, 5, 5], room: 12, want: [1, 4, 4, 3] },
    { rule: 'serves the first where not everybody can have one', wants: [1, 1, 1], room: 2, want: [1, 1, 0] },
    { rule: 'is nothing without room', wants: [1], room: 0, want: [0] },
  ])('$rule', ({ wants, room, want }) => {
    expect(allocate(wants, room)).toEqual(want);
  });

  test('uses all the room, and treats equal requests equally', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(50), { maxLength: 20 }), fc.nat(400), (wants, room) => {
        const given = allocate(wants, room);
        expect(sumOf(given)).toBe(Math.min(room, sumOf(wants)));
        for (const [i, number] of given.entries()) {
          expect(number).toBeLessThanOrEqual(wants[i] ?? 0);
          if (number < (wants[i] ?? 0)) expect(number).toBeGreaterThanOrEqual(Math.max(...given) - 1);
        }
      }),
    );
  });
});

const names = (prefix: string, count: number): Set<string> =>
  new Set(Array.from({ length: count }, (_, i) => `${prefix}/${i}`));

type Wanted = Map<string, ReadonlySet<string>>;

/** Goes through all shares at every change. */
function createSimpleShares(max: number) {
  const shares = new Map<string, { readonly claims: Wanted; wanted: string[]; admitted: string[] }>([
    ['', { claims: new Map(), wanted: [], admitted: [] }],
  ]);
  return (id: string, share: string, keys: ReadonlySet<string>): ReadonlySet<string> => {
    const changed = shares.get(share) ?? { claims: new Map(), wanted: [], admitted: [] };
    changed.claims.set(id, keys);
    const all = new Set([...changed.wanted, ...keys]);
    changed.wanted = [...all].filter((key) => changed.claims.values().some((claimed) => claimed.has(key)));
    if (changed.wanted.length > 0 || share === '') shares.set(share, changed);
    else shares.delete(share);
    const fit = (name: string, limit: number): number => {
      const of = shares.get(name);
      if (of === undefined) return 0;
      const kept = of.admitted.filter((key) => of.wanted.includes(key)).slice(0, limit);
      const more = of.wanted.filter((key) => !kept.includes(key)).slice(0, limit - kept.length);
      of.admitted = [...kept, ...more];
      return of.admitted.length;
    };
    const room = max - fit('', max);
    const others = [...shares.keys()].filter((name) => name !== '');
    const wants = others.map((name) => shares.get(name)?.wanted.length ?? 0);
    for (const [i, limit] of allocate(wants, room).entries()) fit(others[i] ?? '', limit);
    return new Set([...shares.values()].flatMap(({ admitted }) => admitted));
  };
}

describe('shares', () => {
  test('are the same whether all of them are gone through at a change or only one', () => {
    const step = fc.record({ id: fc.nat(2), share: fc.nat(4), keys: fc.uniqueArray(fc.nat(9)) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.nat(40), (steps, max) => {
        const shares = createFairQuota(max);
        const simple = createSimpleShares(max);
        for (const { id, share, keys } of steps) {
          const own = new Set(keys.map((key) => `${share}/${key}`));
          const name = share === 0 ? '' : String(share);
          shares.replace({ id: `${id}`, share: name === '' ? undefined : name }, own);
          const admitted = simple(`${id}`, name, own);
          const possible = Array.from({ length: 5 }, (_, of) => [...names(`${of}`, 10)]).flat();
          expect(new Set(possible.filter(shares.isAdmitted))).toEqual(admitted);
        }
      }),
      { numRuns: 500 },
    );
  });

  test('admit small requests, whatever others want and whichever came first', () => {
    const shares = createFairQuota(10);
    shares.replace({ id: 'greedy', share: 'a' }, names('a', 50));
    expect([...names('a', 50)].filter(shares.isAdmitted)).toEqual([...names('a', 10)]);
    const touched = shares.replace({ id: 'modest', share: 'b' }, names('b', 2));
    expect([...names('b', 2)].every(shares.isAdmitted)).toBe(true);
    expect([...names('a', 50)].filter(shares.isAdmitted)).toEqual([...names('a', 8)]);
    expect([...touched].toSorted()).toEqual(['a/8', 'a/9', 'b/0', 'b/1']);
    shares.replace({ id: 'modest', share: 'b' }, new Set());
    expect(shares.isAdmitted('a/9')).toBe(true);
  });

  test('come after claimants without a share', () => {
    const shares = createFairQuota(3);
    shares.replace({ id: 'greedy', share: 'a' }, names('a', 50));
    shares.replace({ id: 'installation' }, names('own', 2));
    expect([...names('own', 2)].every(shares.isAdmitted)).toBe(true);
    expect([...names('a', 50)].filter(shares.isAdmitted)).toEqual(['a/0']);
  });

  test('admit a name as long as one share has room for it', () => {
    const shares = createFairQuota(2);
    shares.replace({ id: 'x', share: 'a' }, new Set(['s']));
    shares.replace({ id: 'y', share: 'b' }, new Set(['s']));
    shares.replace({ id: 'x', share: 'a' }, new Set());
    expect([shares.isWanted('s'), shares.isAdmitted('s')]).toEqual([true, true]);
    shares.replace({ id: 'y', share: 'b' }, new Set());
    expect([shares.isWanted('s'), shares.isAdmitted('s')]).toEqual([false, false]);
  });

  test('fit whatever comes and goes, each with its first names', () => {
    const step = fc.record({ id: fc.nat(3), share: fc.nat(3), keys: fc.uniqueArray(fc.nat(9)) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.nat(12), (steps, max) => {
        const shares = createFairQuota(max);
        const wanted = new Map<string, Set<string>>();
        const admitted = new Set<string>();
        const tell = (key: string): void => void (shares.isAdmitted(key) ? admitted.add(key) : admitted.delete(key));
        for (const { id, share, keys } of steps) {
          const own = new Set(keys.map((key) => `${share}/${key}`));
          const claimant = { id: `${share}-${id}`, share: share === 0 ? undefined : String(share) };
          for (const key of shares.replace(claimant, own)) tell(key);
          wanted.set(claimant.id, own);
        }
        const all = new Set([...wanted.values()].flatMap((keys) => [...keys]));
        expect(new Set([...all].filter(shares.isAdmitted)), 'every change is notified').toEqual(admitted);
        const sizeOf = (share: number, keys: ReadonlySet<string>) =>
          [...keys].filter((key) => key.startsWith(`${share}/`)).length;
        expect(sizeOf(0, admitted)).toBe(Math.min(max, sizeOf(0, all)));
        const wants = [1, 2, 3].map((share) => sizeOf(share, all));
        const given = [1, 2, 3].map((share) => sizeOf(share, admitted));
        expect(given.toSorted()).toEqual(allocate(wants, max - sizeOf(0, admitted)).toSorted());
      }),
    );
  });
});
