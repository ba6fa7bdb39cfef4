import type { Quota } from '@gatehouse/crds/kinds';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { indexPublished } from '../../incremental/index.ts';
import { quotaStandingOf } from '../../quota-standing.ts';
import { type TestObject, worldOf } from '../../test-world.ts';
import { type Translation, translate } from '../../translate.ts';
import type { World, WorldObject } from '../../types/index.ts';
import { weigh } from '../../types/index.ts';

const workspace = (name: string, quota: Partial<Quota> = {}): TestObject => ({
  kind: 'Workspace',
  metadata: { name },
  spec: { namespace: name, quota },
});
const organisation = (workspaceQuota: Partial<Quota>): TestObject => ({
  kind: 'Organisation',
  metadata: { name: 'default' },
  spec: { workspaceQuota },
});
interface ConfigOptions {
  readonly namespace?: string;
  /** Seconds after the first. */
  readonly age?: number;
  readonly uid?: string;
  readonly model?: string;
  readonly generation?: number;
}
const config = (name: string, options: ConfigOptions = {}): TestObject => {
  const { namespace = 'team-a', age = 0, uid = name, model = 'gpt', generation = 1 } = options;
  const creationTimestamp = `2026-01-01T00:00:${String(age).padStart(2, '0')}Z`;
  return {
    kind: 'GatewayConfig',
    metadata: { name, namespace, uid, creationTimestamp, generation },
    spec: { config: { provider: '@openai', overrideParams: { model } } },
  };
};
const guarded = (name: string, query: unknown, age: number): TestObject => ({
  ...config(name, { age }),
  spec: {
    config: {
      strategy: {
        mode: 'conditional',
        conditions: [
          Object.fromEntries([
            ['query', query],
            ['then', 'one'],
          ]),
        ],
        default: 'one',
      },
      targets: [{ name: 'one', provider: '@openai' }],
    },
  },
});

const apiKey = ({ spec = {}, generation = 1 }: { spec?: object; generation?: number } = {}): TestObject => ({
  ...{ kind: 'ApiKey', metadata: { ...config('app', { age: 9 }).metadata, generation } },
  spec: {
    type: 'workspace-service',
    scopes: ['completions.write', 'completions.read'],
    sha256: 'a'.repeat(64),
    ...spec,
  },
});

const refused = ({ verdicts }: Translation) =>
  verdicts.filter(({ conditions }) => conditions.Accepted.reason === 'QuotaExceeded').map(({ key }) => key);
const served = ({ snapshot }: Translation) =>
  snapshot.entries.filter(({ kind }) => kind === 'config').map(({ id }) => id.slice('config/'.length));
const verdictOf = ({ verdicts }: Translation, key: string) => verdicts.find((verdict) => verdict.key === key);

/** The world with the content of some objects left out. */
function withheld(world: World, ...keys: readonly string[]): World {
  const configs = new Map<string, WorldObject>();
  world.resources.get('GatewayConfig')?.forEach((object, key) => {
    const { spec: _, ...bare } = object;
    configs.set(key, keys.includes(key) ? { ...bare, weight: weigh(object) } : object);
  });
  return { ...world, resources: new Map(world.resources).set('GatewayConfig', configs) };
}

describe('the quota of a workspace', () => {
  test('leaves out the newest, of equal age those with the higher UID', () => {
    const made = translate(
      worldOf([
        workspace('team-a', { objects: 2 }),
        config('a-new', { age: 9 }),
        config('b-tie', { age: 5, uid: '2' }),
        config('c-tie', { age: 5, uid: '1' }),
        config('d-old', { age: 1 }),
      ]),
    );
    expect(served(made)).toEqual(['team-a/c-tie', 'team-a/d-old']);
    expect(refused(made)).toEqual(['GatewayConfig/team-a/a-new', 'GatewayConfig/team-a/b-tie']);
    expect(verdictOf(made, 'GatewayConfig/team-a/a-new')?.conditions.Accepted.message).toContain('objects: 2');
  });

  test('is the same whatever came first', () => {
    const objects = [
      workspace('team-a', { objects: 5 }),
      ...Array.from({ length: 9 }, (_, i) => config(`c${i}`, { age: (i * 7) % 10 })),
    ];
    const whole = translate(worldOf(objects));
    fc.assert(
      fc.property(fc.shuffledSubarray(objects, { minLength: objects.length }), fc.nat(objects.length), (all, cut) => {
        const made = translate(worldOf(all), translate(worldOf(all.slice(0, cut))));
        expect(refused(made)).toEqual(refused(whole));
      }),
    );
  });

  test('keeps the last good content of what was served and is beyond it now', () => {
    const before = translate(worldOf([workspace('team-a'), config('old'), config('new', { age: 1 })]));
    const edited = config('new', { age: 1, model: 'edited', generation: 2 });
    const made = translate(worldOf([workspace('team-a', { objects: 1 }), config('old'), edited]), before);
    expect(refused(made)).toEqual(['GatewayConfig/team-a/new']);
    const entry = made.snapshot.entries.find(({ id }) => id === 'config/team-a/new');
    expect(entry).toMatchObject({ stale: true, generation: 1, body: { node: { overrideParams: { model: 'gpt' } } } });
  });

  describe('that a served ApiKey does not fit into any more', () => {
    const small = workspace('team-a', { objects: 1 });
    const full = [small, config('old')];
    const before = translate(worldOf([workspace('team-a'), config('old'), apiKey()]));
    const bodyIn = ({ snapshot }: Translation) => snapshot.entries.find(({ id }) => id === 'key/team-a/app')?.body;
    const edits = [
      {
        rule: 'lets it expire',
        spec: { expiresAt: '2026-01-02T00:00:00Z' },
        want: { expiresAt: '2026-01-02T00:00:00Z' },
      },
      { rule: 'takes scopes from it', spec: { scopes: ['completions.read'] }, want: { scopes: ['completions.read'] } },
      { rule: 'takes its secret from it', spec: { sha256: 'b'.repeat(64) }, want: { sha256: ['b'.repeat(64)] } },
    ];

    test.for(edits)('$rule', ({ spec, want }) => {
      const edited = apiKey({ spec, generation: 2 });
      const made = translate(worldOf([...full, edited]), before);
      expect(refused(made)).toEqual(['ApiKey/team-a/app']);
      expect(bodyIn(made)).toMatchObject(want);
      const restarted = translate(worldOf([...full, edited]), undefined, indexPublished(before.snapshot.entries));
      expect(bodyIn(restarted)).toMatchObject(want);
    });

    test('keeps its last good content where it is broken', () => {
      const made = translate(worldOf([...full, apiKey({ spec: { scopes: [] }, generation: 2 })]), before);
      expect(refused(made)).toEqual(['ApiKey/team-a/app']);
      expect(bodyIn(made)).toEqual(bodyIn(before));
    });

    test('admits none that was never served', () => {
      expect(bodyIn(translate(worldOf([...full, apiKey()])))).toBeUndefined();
    });
  });

  test('reads an object as soon as there is room for it', () => {
    const small = workspace('team-a', { objects: 1 });
    const before = translate(worldOf([small, config('old'), config('new', { age: 1 })]));
    expect(served(before)).toEqual(['team-a/old']);
    expect(served(translate(worldOf([small, config('new', { age: 1 })]), before))).toEqual(['team-a/new']);
    const raised = worldOf([workspace('team-a', { objects: 2 }), config('old'), config('new', { age: 1 })]);
    expect(served(translate(raised, before))).toEqual(['team-a/new', 'team-a/old']);
  });

  test('does not affect other workspaces and the organisation', () => {
    const made = translate(
      worldOf([
        organisation({ objects: 1 }),
        workspace('team-a'),
        workspace('team-b'),
        config('one'),
        config('two', { age: 1 }),
        config('one', { namespace: 'team-b', age: 2 }),
        config('one', { namespace: 'gatehouse-system' }),
        config('two', { namespace: 'gatehouse-system' }),
      ]),
    );
    expect(refused(made)).toEqual(['GatewayConfig/team-a/two']);
    expect(served(made)).toContain('team-b/one');
  });

  test('of the Workspace goes before that of the Organisation, member by member', () => {
    const made = translate(
      worldOf([organisation({ objects: 1 }), workspace('team-a', { objects: 2 }), config('one'), config('two')]),
    );
    expect(refused(made)).toEqual([]);
  });

  test('on fleets keeps out the newest fleets, and nothing else', () => {
    const fleet = (name: string, age: number): TestObject => ({
      ...config(name, { age }),
      kind: 'GatewayFleet',
      spec: {},
    });
    const objects = [
      workspace('team-a', { gatewayFleets: 2 }),
      ...[1, 2, 3, 4].map((age) => fleet(`f${age}`, age)),
      config('newest', { age: 9 }),
    ];
    const made = translate(worldOf(objects));
    expect(refused(made)).toEqual(['GatewayFleet/team-a/f3', 'GatewayFleet/team-a/f4']);
    expect(served(made)).toEqual(['team-a/newest']);
    expect(quotaStandingOf(made, 'GatewayFleet', { key: 'team-a/f3', uid: 'f3' })).toMatchObject({
      broken: ['gatewayFleets'],
      refusal: { reason: 'QuotaExceeded', message: expect.stringContaining('gatewayFleets: 2') },
    });
    expect(quotaStandingOf(made, 'GatewayFleet', { key: 'team-a/f2', uid: 'f2' })).toEqual({
      broken: [],
      refusal: undefined,
    });
    expect(quotaStandingOf(made, 'GatewayFleet', { key: 'team-a/f2', uid: 'other' })).toBeUndefined();
    const without = translate(worldOf(objects.filter(({ metadata: { name } }) => name !== 'f1')), made);
    expect(refused(without)).toEqual(['GatewayFleet/team-a/f4']);
  });

  test('counts bytes, and what comes after the first that does not fit is left out, too', () => {
    const large = config('large', { age: 1, model: 'x'.repeat(4_000) });
    const objects = [workspace('team-a', { bytes: 4_000 }), config('old'), large, config('small', { age: 2 })];
    expect(refused(translate(worldOf(objects)))).toEqual(['GatewayConfig/team-a/large', 'GatewayConfig/team-a/small']);
  });

  test('counts the work that a pattern may be', () => {
    const plain = guarded('plain', { 'metadata.a': { $regex: 'a{2}' } }, 0);
    const costly = guarded('costly', { 'metadata.a': { $regex: '(a{30}b{30}){1}' } }, 1);
    const made = translate(worldOf([workspace('team-a', { translationUnits: 1_000 }), plain, costly]));
    expect(refused(made)).toEqual(['GatewayConfig/team-a/costly']);
  });

  test('says the same while objects within it change', () => {
    const objects = [workspace('team-a', { bytes: 4_000 }), config('large', { age: 1, model: 'x'.repeat(4_000) })];
    const before = translate(worldOf([...objects, config('old')]));
    const made = translate(worldOf([...objects, config('old', { model: 'longer', generation: 2 })]), before);
    expect(verdictOf(made, 'GatewayConfig/team-a/large')).toBe(verdictOf(before, 'GatewayConfig/team-a/large'));
  });
});

test('objects of a namespace that is no workspace are not read beyond a small part', () => {
  const objects = Array.from({ length: 1_300 }, (_, i) => config(`c${i}`, { namespace: 'nobody', uid: String(i) }));
  const made = translate(worldOf(objects));
  expect(made.work.parsed).toBeLessThan(1_100);
  const verdict = made.verdicts.find(({ name }) => name === 'c999');
  expect(verdict).toMatchObject({ serves: 'nothing', conditions: { ResolvedRefs: { reason: 'RefNotFound' } } });
  const owned = translate(worldOf([workspace('nobody'), ...objects]), made);
  expect(served(owned)).toHaveLength(1_300);
});

describe('an object without its content', () => {
  test('stays what it was while it has not changed', () => {
    const world = worldOf([workspace('team-a'), config('one')]);
    const before = translate(world);
    const made = translate(withheld(world, 'team-a/one'), before);
    expect(made.snapshot).toBe(before.snapshot);
    expect(made.work.parsed).toBeLessThanOrEqual(1);
    expect(verdictOf(made, 'GatewayConfig/team-a/one')).toBe(verdictOf(before, 'GatewayConfig/team-a/one'));
  });

  test('is Pending where it has to be asked for, and served once it is there', () => {
    const world = worldOf([workspace('team-a'), config('one')]);
    const before = translate(withheld(world, 'team-a/one'));
    expect(verdictOf(before, 'GatewayConfig/team-a/one')).toMatchObject({
      serves: 'nothing',
      conditions: { ResolvedRefs: { status: 'Unknown', reason: 'Pending' } },
    });
    expect(served(translate(world, before))).toEqual(['team-a/one']);
  });

  test('weighs what it weighed with it', () => {
    const world = worldOf([
      workspace('team-a', { bytes: 4_000 }),
      config('large', { model: 'x'.repeat(4_000) }),
      config('new', { age: 1 }),
    ]);
    expect(refused(translate(withheld(world, 'team-a/large')))).toEqual(refused(translate(world)));
  });
});
