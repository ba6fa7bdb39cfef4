import { type AnyEntry, SCHEMA_VERSION, type Snapshot } from '@gatehouse/crds/snapshot';
import {
  config,
  type Entries,
  KEY,
  key,
  organisation,
  provider,
  sha256,
  snapshot,
  workspace,
} from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { reveal } from '../lib/secret.ts';
import { PROVIDERS } from '../providers/register.ts';
import { createSnapshotHolder, type SnapshotHolder, type SnapshotStatus, type SnapshotView } from './index.ts';

const { major, minor } = SCHEMA_VERSION;
const holder = (): SnapshotHolder => createSnapshotHolder({ providers: PROVIDERS });

/** The view that serves after a load which must be accepted. */
async function load(held: SnapshotHolder, version: number, ...entries: Entries): Promise<SnapshotView> {
  const status = await held.load(version, snapshot(...entries));
  if (status.rejected !== undefined || held.current === undefined) throw new Error(status.rejected?.reason);
  return held.current;
}
/** An entry as a shard might bring it. */
const odd = (entry: object): AnyEntry => entry as unknown as AnyEntry;

describe('a Snapshot', () => {
  test('serves as a whole once it is loaded', async () => {
    const held = holder();
    expect(held.current).toBeUndefined();
    expect(held.status).toMatchObject({ version: undefined, entries: 0, rejected: undefined, skipped: [] });
    const view = await load(held, 7, workspace(), key(), provider('main'), config('fast', { provider: '@main' }));
    expect(view.version).toBe(7);
    expect(held.status).toMatchObject({ version: 7, entries: 5, skipped: [] });
    expect(view.key(sha256(KEY))).toMatchObject({ name: 'main', workspace: 'team-a' });
    expect(view.key(KEY)).toBeUndefined();
    expect(view.workspace('team-a')).toMatchObject({ name: 'team-a' });
    expect(view.provider('team-a', 'main')).toMatchObject({ slug: 'main', provider: { id: 'openai' } });
    expect(view.config('team-a', 'fast')?.plan).toMatchObject({ slug: 'fast', slugs: ['main'] });
  });

  test('never changes for a request that has it', async () => {
    const held = holder();
    const before = await load(held, 1, workspace(), key());
    await load(held, 2, workspace());
    expect(before.key(sha256(KEY))).toBeDefined();
    expect(held.current?.key(sha256(KEY))).toBeUndefined();
  });

  test.for([
    { generation: 4, kept: 4, rule: 'of an object' },
    { generation: 0, kept: undefined, rule: 'of a file, which has none' },
  ])('knows the generation of a config $rule, also where its content has not changed', async ({ generation, kept }) => {
    const held = holder();
    const saved = config('fast', { provider: '@main' });
    const others = [workspace(), key(), provider('main')] as const;
    const before = await load(held, 1, ...others, saved);
    const after = await load(held, 2, ...others, { ...saved, generation });
    expect(before.config('team-a', 'fast')?.plan.generation).toBe(1);
    expect(after.config('team-a', 'fast')?.plan.generation).toBe(kept);
  });

  test('has defaults of its own for the organisation', async () => {
    expect((await load(holder(), 1)).organisation).toEqual({ savedConfigsOnly: false, headersToMask: [] });
    const strict = await load(holder(), 1, organisation({ savedConfigsOnly: true }));
    expect(strict.organisation.savedConfigsOnly).toBe(true);
  });
});

test('a config with more targets than this gateway admits is skipped, and the rest is served', async () => {
  const caps = { rootTargets: 1, conditionalRootTargets: 2, nestedTargets: 0 };
  const held = createSnapshotHolder({ providers: PROVIDERS, caps });
  const two = { strategy: { mode: 'fallback' }, targets: [{ provider: '@main' }, { provider: '@main' }] };
  const nested = { strategy: { mode: 'fallback' }, targets: [two] };
  const one = { ...two, targets: [{ provider: '@main' }] };
  const view = await load(
    held,
    1,
    workspace(),
    provider('main'),
    config('two', two),
    config('nested', nested),
    config('one', one),
  );
  expect(held.status.skipped).toEqual([
    { id: 'config/team-a/two', reason: 'targets: 2 targets; at most 1 are allowed' },
    { id: 'config/team-a/nested', reason: 'targets.0: 2 nested targets; at most 0 are allowed' },
  ]);
  expect(['two', 'nested', 'one'].map((slug) => view.config('team-a', slug) !== undefined)).toEqual([
    false,
    false,
    true,
  ]);
});

describe('names resolve', () => {
  test('in the workspace first, then in the organisation as far as it is granted', async () => {
    const view = await load(
      holder(),
      1,
      workspace('team-a'),
      workspace('team-b'),
      provider('own', { workspace: 'team-a' }),
      provider('shared', { workspace: null, grants: ['team-a'] }),
      provider('open', { workspace: null, grants: ['*'] }),
      provider('own', { workspace: null, grants: ['*'] }),
      config('c', { provider: '@own' }, { workspace: 'team-a' }),
      config('c', { provider: '@open' }, { workspace: null }),
    );
    const ownerOf = (workspaceName: string, slug: string) => view.provider(workspaceName, slug)?.workspace;
    expect([ownerOf('team-a', 'own'), ownerOf('team-b', 'own')]).toEqual(['team-a', null]);
    expect([ownerOf('team-a', 'shared'), ownerOf('team-b', 'shared')]).toEqual([null, undefined]);
    expect([ownerOf('team-a', 'open'), ownerOf('team-b', 'open'), ownerOf('nobody', 'open')]).toEqual([
      null,
      null,
      null,
    ]);
    expect(view.providers('team-a').map(({ slug, workspace: owner }) => [slug, owner])).toEqual([
      ['own', 'team-a'],
      ['shared', null],
      ['open', null],
    ]);
    expect(view.providers('team-b').map(({ slug }) => slug)).toEqual(['open', 'own']);
    expect(view.config('team-a', 'c')?.plan.slugs).toEqual(['own']);
    expect(view.config('team-b', 'c')?.plan.slugs).toEqual(['open']);
  });
});

describe('a Snapshot is refused, and the last good one keeps serving,', () => {
  const good = () => snapshot(workspace(), key());

  test.for<{ rule: string; bad: Snapshot }>([
    { rule: 'when its major version is newer', bad: { schemaVersion: { major: major + 1, minor: 0 }, entries: [] } },
    { rule: 'when its major version is older', bad: { schemaVersion: { major: major - 1, minor: 0 }, entries: [] } },
    { rule: 'when an entry has no id', bad: snapshot(odd({ ...key(), id: undefined })) },
    { rule: 'when an entry has no digest', bad: snapshot(odd({ ...key(), digest: undefined })) },
    { rule: 'when a body is broken', bad: snapshot(odd({ ...workspace(), digest: 'new', body: { defaults: 1 } })) },
    {
      rule: 'when a key has no hash',
      bad: snapshot(odd({ ...key(), digest: 'new', body: { ...key().body, sha256: [] } })),
    },
  ])('$rule', async ({ bad }) => {
    const held = holder();
    const view = await load(held, 1, ...good().entries);
    const status = await held.load(2, bad);
    expect(status).toMatchObject({ version: 1, rejected: { version: 2, reason: expect.any(String) } });
    expect(held.current).toBe(view);
    await held.load(3, good());
    expect(held.status).toMatchObject({ version: 3, rejected: undefined });
  });

  test('and the reason shows nothing secret', async () => {
    const [credential] = provider('main', { secret: 'sk-do-not-tell' });
    const bad = odd({ ...credential, digest: 'new', body: { fields: { api_key: ['sk-do-not-tell'] } } });
    const status = await holder().load(1, snapshot(bad));
    expect(status.rejected?.reason).toContain('credential/team-a/main');
    expect(JSON.stringify(status)).not.toContain('sk-do-not-tell');
  });
});

describe('a newer minor version', () => {
  test('is read: unknown kinds are left out, unknown members kept', async () => {
    const held = holder();
    const entries = [
      workspace(),
      odd({ ...key(), digest: 'new', body: { ...key().body, colour: 'red' } }),
      odd({ kind: 'colour', id: 'colour/team-a/p', workspace: 'team-a', generation: 1, digest: 'd', body: {} }),
    ];
    const status = await held.load(1, { schemaVersion: { major, minor: minor + 9 }, entries });
    expect(status).toMatchObject({ version: 1, entries: 2, rejected: undefined });
    expect(held.current?.key(sha256(KEY))).toBeDefined();
  });

  test('may name providers that are not known here: they are skipped by name', async () => {
    const held = holder();
    const many = Array.from({ length: 30 }, (_, i) => provider(`p${i}`, { provider: 'not-yet' }));
    await load(held, 1, workspace(), ...many);
    expect(held.status.skipped).toHaveLength(20);
    expect(held.status.skipped[0]).toEqual({ id: 'provider/team-a/p0', reason: expect.stringContaining('not-yet') });
    expect(held.current?.provider('team-a', 'p0')).toBeUndefined();
  });
});

describe('only what changed is compiled again', () => {
  const entries = (secret = 'sk-1', retries = 1) => [
    workspace(),
    key(),
    provider('main', { secret }),
    provider('other'),
    config('c', { provider: '@main', retry: { attempts: retries } }),
  ];
  const parts = (view: SnapshotView) => ({
    key: view.key(sha256(KEY)),
    main: view.provider('team-a', 'main'),
    other: view.provider('team-a', 'other'),
    config: view.config('team-a', 'c'),
  });

  test('no part with unchanged content', async () => {
    const held = holder();
    const before = parts(await load(held, 1, ...entries()));
    const after = parts(await load(held, 2, ...entries()));
    for (const name of ['key', 'main', 'other', 'config'] as const) expect(after[name]).toBe(before[name]);
  });

  test('a config that changed, and no other', async () => {
    const held = holder();
    const before = parts(await load(held, 1, ...entries()));
    const after = parts(await load(held, 2, ...entries('sk-1', 2)));
    expect(after.config).not.toBe(before.config);
    for (const name of ['key', 'main', 'other'] as const) expect(after[name]).toBe(before[name]);
  });

  test('a provider whose secret was rotated, and no other', async () => {
    const held = holder();
    const before = parts(await load(held, 1, ...entries()));
    const after = parts(await load(held, 2, ...entries('sk-2')));
    expect(reveal(after.main?.values.get('api_key') ?? '')).toBe('sk-2');
    expect(JSON.stringify(after.main && [...after.main.values])).not.toContain('sk-2');
    expect(after.other).toBe(before.other);
  });

  test('a config whose literal credential was rotated', async () => {
    const held = holder();
    const withCredential = (secret: string) => [
      workspace(),
      ...provider('main', { secret }),
      odd({
        ...config('c', { strategy: { mode: 'single' }, targets: [{ provider: '@main' }] }),
        body: {
          slug: 'c',
          version: 'v',
          node: {
            strategy: { mode: 'single' },
            targets: [{ provider: 'openai', credential: 'credential/team-a/main' }],
          },
        },
      }),
    ];
    const before = await load(held, 1, ...withCredential('sk-1'));
    const after = await load(held, 2, ...withCredential('sk-2'));
    expect(after.config('team-a', 'c')).not.toBe(before.config('team-a', 'c'));
  });

  test('a Snapshot that was refused changes nothing of that', async () => {
    const held = holder();
    const before = parts(await load(held, 1, ...entries()));
    await held.load(2, { schemaVersion: { major: 99, minor: 0 }, entries: [] });
    expect(parts(await load(held, 3, ...entries())).main).toBe(before.main);
  });
});

describe('times of expiry', () => {
  test('are compared with the clock of the gateway; unreadable times count as past', async () => {
    const at = (expiresAt?: string) =>
      load(holder(), 1, workspace(), key(expiresAt === undefined ? {} : { expiresAt })).then(
        (view) => view.key(sha256(KEY))?.expiresAtMs,
      );
    expect(await at()).toBe(Number.POSITIVE_INFINITY);
    expect(await at('2030-01-02T03:04:05Z')).toBe(Date.UTC(2030, 0, 2, 3, 4, 5));
    expect(await at('soon')).toBe(0);
  });

  test.for([
    { rule: 'by itself', expiresAt: undefined, end: Date.UTC(2030, 0, 1) },
    { rule: 'with the key, when that ends before', expiresAt: '2029-01-01T00:00:00Z', end: Date.UTC(2029, 0, 1) },
  ])('a previous key ends $rule, and is the same key until then', async ({ expiresAt, end }) => {
    const previous = { sha256: sha256('gwk_before'), expiresAt: '2030-01-01T00:00:00Z' };
    const view = await load(holder(), 1, workspace(), key({ previous, ...(expiresAt && { expiresAt }) }));
    const [now, before] = [view.key(sha256(KEY)), view.key(previous.sha256)];
    expect(before).toEqual({ ...now, expiresAtMs: end });
    expect(before?.limits).toBe(now?.limits);
  });

  test('both spellings of a scope are the same', async () => {
    const view = await load(holder(), 1, workspace(), key({ scopes: ['completions:write', 'models.list'] }));
    expect([...(view.key(sha256(KEY))?.scopes ?? [])]).toEqual(['completions.write', 'models.list']);
  });
});

describe('loads', () => {
  test('run one after the other, in the order they came', async () => {
    const held = holder();
    const seen: (number | undefined)[] = [];
    held.onChange(({ version }) => seen.push(version));
    await Promise.all([1, 2, 3].map((version) => held.load(version, snapshot(workspace(), key()))));
    expect(seen).toEqual([1, 2, 3]);
  });

  test('notify listeners until they are removed', async () => {
    const held = holder();
    const seen: SnapshotStatus[] = [];
    const stop = held.onChange((status) => seen.push(status));
    await held.load(1, snapshot(workspace()));
    await held.load(2, { schemaVersion: { major: 99, minor: 0 }, entries: [] });
    stop();
    await held.load(3, snapshot(workspace()));
    expect(seen).toMatchObject([{ version: 1 }, { version: 1, rejected: { version: 2 } }]);
  });

  test('go on after a listener that throws', async () => {
    const held = holder();
    const stop = held.onChange(() => {
      throw new Error('boom');
    });
    await expect(held.load(1, snapshot(workspace()))).rejects.toThrow('boom');
    stop();
    expect((await held.load(2, snapshot(workspace()))).version).toBe(2);
  });

  test('of 100,000 keys let other work in between', { timeout: 60_000 }, async () => {
    const held = holder();
    const hashOf = (i: number): string => i.toString(16).padStart(64, '0');
    const template = key();
    const keys = Array.from({ length: 100_000 }, (_, i) =>
      odd({
        ...template,
        id: `key/team-a/k${i}`,
        digest: `d${i}`,
        body: { ...template.body, name: `k${i}`, sha256: [hashOf(i)] },
      }),
    );
    let turns = 0;
    let loading = true;
    const beat = (): void => {
      turns += 1;
      if (loading) setImmediate(beat);
    };
    setImmediate(beat);
    const view = await load(held, 1, workspace(), keys);
    loading = false;
    // One run of validation and one of compilation would be two turns: it is many more, each of some milliseconds.
    expect(turns).toBeGreaterThan(10);
    expect(view.key(hashOf(99_999))).toMatchObject({ name: 'k99999' });
  });
});
