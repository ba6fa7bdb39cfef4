import { type AnyEntry, digestOf } from '@gatehouse/crds/snapshot';
import { config, key, organisation, provider, snapshot, workspace } from '@gatehouse/test/kit';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCatalogue } from '../cost/index.ts';
import { reveal } from '../lib/secret.ts';
import { PROVIDERS } from '../providers/register.ts';
import { type LoadedSnapshot, loadEntries } from './load.ts';
import { toView } from './view.ts';

const CONTEXT = { providers: PROVIDERS };
const CATALOGUE = createCatalogue();
const TEAMS = ['team-a', 'team-b'];
const HASHES = ['0', '1', '2', '3', '4', '5'].map((digit) => digit.repeat(64));

/** Everything that requests can learn. */
function answersOf({ tables, organisation: own, held, skipped }: LoadedSnapshot): object {
  const view = toView(tables, 1, own, CATALOGUE);
  return {
    organisation: view.organisation,
    keys: HASHES.map((hash) => view.key(hash)),
    workspaces: TEAMS.map((team) => view.workspace(team)),
    configs: TEAMS.map((team) => [...view.configSlugs(team)].sort().map((slug) => view.config(team, slug)?.id)),
    providers: TEAMS.map((team) =>
      view
        .providers(team)
        .map(({ id, values }) => [id, [...values].map(([key, value]) => [key, reveal(value)])])
        .sort(),
    ),
    entries: held.size,
    skipped: [...skipped].sort(),
  };
}

const keyOf = (n: number, revision: number): AnyEntry => {
  const one = key();
  const hash = (shift: number): string => HASHES[(n + revision + shift) % HASHES.length] ?? '';
  const previous = { sha256: hash(1), expiresAt: '2030-01-01T00:00:00Z' };
  const body = { ...one.body, name: `key-${n}`, sha256: [hash(0)], ...(revision === 1 ? { previous } : {}) };
  return { ...one, id: `key/team-a/key-${n}`, digest: digestOf(body), body } as AnyEntry; // the kind stays
};

const piece = fc.oneof(
  fc.record({ n: fc.nat(3), revision: fc.nat(2) }).map(({ n, revision }) => [keyOf(n, revision)]),
  fc
    .record({ slug: fc.constantFrom('x', 'y'), team: fc.constantFrom(...TEAMS), secret: fc.constantFrom('s', 't') })
    .map(({ slug, team, secret }) => provider(slug, { workspace: team, secret })),
  fc
    .record({
      slug: fc.constantFrom('c', 'd'),
      team: fc.constantFrom(...TEAMS, null),
      target: fc.constantFrom('x', 'y'),
    })
    .map(({ slug, team, target }) => [config(slug, { provider: `@${target}` }, { workspace: team })]),
  fc.constantFrom(...TEAMS).map((team) => [workspace(team)]),
  fc.boolean().map((savedConfigsOnly) => [organisation({ savedConfigsOnly })]),
);

describe('a Snapshot loaded over another one', () => {
  test('equals the same Snapshot loaded alone', async () => {
    const worlds = fc.array(fc.array(piece, { maxLength: 12 }), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(worlds, async (history) => {
        // Entries that stay are the same objects, as those of a shard are.
        const pool = new Map<string, AnyEntry>();
        let loaded: LoadedSnapshot | undefined;
        for (const pieces of history) {
          const byId = new Map(pieces.flat().map((entry) => [entry.id, entry]));
          const entries = [...byId.values()]
            .map((entry) => {
              const same = pool.get(`${entry.id} ${entry.digest}`) ?? entry;
              pool.set(`${entry.id} ${entry.digest}`, same);
              return same;
            })
            .sort((a, b) => (a.id < b.id ? -1 : 1));
          loaded = await loadEntries(snapshot(...entries), loaded, CONTEXT);
          expect(answersOf(loaded)).toEqual(answersOf(await loadEntries(snapshot(...entries), undefined, CONTEXT)));
        }
      }),
    );
  });

  test('compiles and looks up again only what differs', async () => {
    const entries = [...Array.from({ length: 4 }, (_, n) => keyOf(n, 0)), workspace('team-a')];
    const first = await loadEntries(snapshot(...entries), undefined, CONTEXT);
    const compiled = (loaded: LoadedSnapshot): unknown[] => entries.map(({ id }) => loaded.held.get(id)?.compiled);
    const before = compiled(first);
    const after = entries.with(1, keyOf(1, 4));
    const second = await loadEntries(snapshot(...after), first, CONTEXT);
    expect(compiled(second).map((one, i) => one === before[i])).toEqual([true, false, true, true, true]);
    expect(second.tables.keys.changed).toBe(2);
    expect(toView(first.tables, 1, first.organisation, CATALOGUE).key(HASHES[1] ?? '')).toBeDefined();
    expect(toView(second.tables, 2, second.organisation, CATALOGUE).key(HASHES[1] ?? '')).toBeUndefined();
  });

  test('leaves the previous load usable when an entry is invalid', async () => {
    const first = await loadEntries(snapshot(keyOf(0, 0), workspace('team-a')), undefined, CONTEXT);
    const broken = { ...keyOf(0, 0), digest: 'new', body: {} } as unknown as AnyEntry; // as a shard might bring it
    await expect(loadEntries(snapshot(broken, workspace('team-a')), first, CONTEXT)).rejects.toThrow();
    const next = await loadEntries(snapshot(keyOf(0, 0), workspace('team-b')), first, CONTEXT);
    expect([next.held.size, next.tables.keys.get(HASHES[0] ?? '')?.name]).toEqual([2, 'key-0']);
  });
});
