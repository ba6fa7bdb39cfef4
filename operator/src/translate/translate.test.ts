import type { AnyEntry } from '@gatehouse/crds/snapshot';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LayeredMap } from './incremental/index.ts';
import { deepFreeze, type TestObject, testKey, worldOf } from './test-world.ts';
import { type Translation, translate, translateInSlices } from './translate.ts';
import type { WorldObject, WorldObjects } from './types/index.ts';

const KEYS = 20;

const workspace = (name: string): TestObject => ({ kind: 'Workspace', metadata: { name }, spec: { namespace: name } });
const apiKey = (name: string, namespace: string, spec: object = {}): TestObject => ({
  kind: 'ApiKey',
  metadata: { name, namespace, generation: 1 },
  spec: { type: 'workspace-service', sha256: hash(name), scopes: ['completions.write'], ...spec },
});
const config = (name: string, namespace: string, attempts: number): TestObject => ({
  kind: 'GatewayConfig',
  metadata: { name, namespace, generation: attempts },
  spec: { config: { provider: '@openai', retry: { attempts } } },
});
const virtualKey = (name: string, namespace: string): TestObject => ({
  kind: 'VirtualKey',
  metadata: { name, namespace },
  spec: { provider: 'openai', secretRef: { name: 'openai', key: 'key' } },
});
const secret = (namespace: string, key: string): TestObject => ({
  kind: 'Secret',
  metadata: { name: 'openai', namespace },
  stringData: { key },
});
const hash = (text: string): string => Buffer.from(text).toString('hex').padEnd(64, '0');

/** Two workspaces; one in ten keys of team-a has a default config. */
const OBJECTS: readonly TestObject[] = deepFreeze([
  workspace('team-a'),
  workspace('team-b'),
  secret('team-a', 'sk-a'),
  virtualKey('openai', 'team-a'),
  config('main', 'team-a', 1),
  config('main', 'team-b', 1),
  ...Array.from({ length: KEYS }, (_, i) =>
    apiKey(`a${i}`, 'team-a', i % 10 === 0 ? { defaults: { configRef: { name: 'main' } } } : {}),
  ),
  apiKey('b', 'team-b'),
]);

const replaced = (...edits: readonly TestObject[]): readonly TestObject[] => {
  const keys = new Set(edits.map(testKey));
  return [...OBJECTS.filter((object) => !keys.has(testKey(object))), ...edits];
};

function layered(objects: WorldObjects): LayeredMap<WorldObject> {
  const all = new Map<string, WorldObject>();
  objects.forEach((object, key) => {
    all.set(key, object);
  });
  return new LayeredMap(all);
}

const resultOf = ({ snapshot, verdicts }: Translation) => ({ snapshot, verdicts });
const entry = ({ snapshot }: Translation, id: string): AnyEntry | undefined =>
  snapshot.entries.find((item) => item.id === id);

describe('a translation', () => {
  test('does not depend on the order of objects', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray([...OBJECTS]), (objects) => {
        const sorted = objects.toSorted((a, b) => (testKey(a) < testKey(b) ? -1 : 1));
        expect(resultOf(translate(worldOf(objects)))).toEqual(resultOf(translate(worldOf(sorted))));
      }),
    );
  });

  test('that builds on another one equals one from scratch, but for what is kept as last good', () => {
    const worlds = fc.array(fc.shuffledSubarray([...OBJECTS]), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(worlds, (steps) => {
        let last: Translation | undefined;
        for (const objects of steps) {
          last = translate(worldOf(objects), last);
          const fresh = translate(worldOf(objects));
          const current = last.snapshot.entries.filter(({ stale }) => stale !== true);
          expect(current).toEqual(fresh.snapshot.entries);
          expect(last.verdicts.map(({ key, issues }) => ({ key, issues }))).toEqual(
            fresh.verdicts.map(({ key, issues }) => ({ key, issues })),
          );
        }
      }),
    );
  });

  test('leaves the one it builds on as it was', () => {
    const first = translate(worldOf(OBJECTS));
    const before = structuredClone(resultOf(first));
    const smaller = translate(worldOf(OBJECTS.slice(0, 5)), first);
    expect(smaller.snapshot).not.toEqual(first.snapshot);
    expect(resultOf(first)).toEqual(before);
    expect(translate(worldOf(OBJECTS), first).snapshot).toBe(first.snapshot);
  });

  test('serves configs up to the caps of its settings', () => {
    const targets = [{ provider: '@openai' }, { provider: '@openai' }];
    const two = { ...config('two', 'team-a', 1), spec: { config: { strategy: { mode: 'fallback' }, targets } } };
    const served = (rootTargets: number): boolean => {
      const caps = { rootTargets, conditionalRootTargets: 1, nestedTargets: 1 };
      return entry(translate(worldOf(replaced(two), { settings: { caps } })), 'config/team-a/two') !== undefined;
    };
    expect([served(1), served(2)]).toEqual([false, true]);
  });

  test('sorts entries and verdicts', () => {
    const { snapshot, verdicts } = translate(worldOf(OBJECTS));
    expect(snapshot.entries.map(({ id }) => id)).toEqual(snapshot.entries.map(({ id }) => id).toSorted());
    expect(verdicts.map(({ key }) => key)).toEqual(verdicts.map(({ key }) => key).toSorted());
  });
});

describe('a translation again', () => {
  const first = translate(worldOf(OBJECTS));

  test('of the same world is the same snapshot, for nothing', () => {
    const again = translate(worldOf(OBJECTS), first);
    expect(again.snapshot).toBe(first.snapshot);
    expect(again.verdicts).toBe(first.verdicts);
    expect(again.work).toEqual({ parsed: 0, translated: 0 });
  });

  test('after a change of status alone gives the same entries', () => {
    const written = { ...apiKey('a3', 'team-a'), status: { conditions: 'not even a list' } };
    const again = translate(worldOf(replaced(written)), first);
    expect(again.snapshot).toBe(first.snapshot);
    expect(again.verdicts).toBe(first.verdicts);
    expect(again.work).toEqual({ parsed: 1, translated: 1 });
  });

  test.for([
    { rule: 'one key', edit: apiKey('a3', 'team-a', { user: undefined, scopes: ['logs.write'] }), translated: 1 },
    // Not the keys that have it as their default: they only ask whether it is there.
    { rule: 'a config', edit: config('main', 'team-a', 2), translated: 1 },
    { rule: 'a config of another workspace', edit: config('main', 'team-b', 2), translated: 1 },
    { rule: 'a new config without references to it', edit: config('other', 'team-a', 2), translated: 1 },
    { rule: 'a virtual key', edit: virtualKey('openai', 'team-a'), translated: 1 },
  ])('after an edit of $rule translates $translated objects again', ({ edit, translated }) => {
    const again = translate(worldOf(replaced(edit)), first);
    expect(again.work).toEqual({ parsed: 1, translated });
    const kept = again.snapshot.entries.filter((item) => first.snapshot.entries.includes(item));
    expect(kept.length).toBeGreaterThanOrEqual(first.snapshot.entries.length - 1);
  });

  test.for([
    { rule: 'a config comes', kind: 'GatewayConfig', translated: KEYS / 10 + 1 },
    { rule: 'a virtual key comes', kind: 'VirtualKey', translated: 2 },
    // Everything of the workspace, and the Organisation, whose first workspace changes.
    { rule: 'a workspace comes', kind: 'Workspace', translated: KEYS + 4 },
  ])('when $rule translates $translated objects again', ({ kind, translated }) => {
    const isIt = (object: TestObject) => object.kind === kind && JSON.stringify(object).includes('team-a');
    const without = translate(worldOf(OBJECTS.filter((object) => !isIt(object))));
    const again = translate(worldOf(OBJECTS), without);
    expect(again.work).toEqual({ parsed: 1, translated });
    expect(again.snapshot).toEqual(first.snapshot);
  });

  test('after a rotated Secret translates its users again', () => {
    const again = translate(worldOf(replaced(secret('team-a', 'sk-new'))), first);
    expect(again.work).toEqual({ parsed: 0, translated: 1 });
    expect(entry(again, 'credential/team-a/VirtualKey:openai')?.body).toEqual({ fields: { api_key: 'sk-new' } });
    expect(entry(again, 'provider/team-a/openai')).toBe(entry(first, 'provider/team-a/openai'));
  });

  test('of a layered world equals that of a plain one', () => {
    const plain = worldOf(OBJECTS);
    const resources = new Map([...plain.resources].map(([kind, objects]) => [kind, layered(objects)] as const));
    const before = translate({ ...plain, resources });
    expect(resultOf(before)).toEqual(resultOf(first));
    const edit = worldOf([apiKey('a3', 'team-a', { sha256: hash('a4') })])
      .resources.get('ApiKey')
      ?.get('team-a/a3');
    const gone = resources.get('ApiKey')?.with(
      new Map([
        ['team-a/a3', edit],
        ['team-b/b', undefined],
      ]),
    );
    const edited = new Map([...resources, ['ApiKey', gone ?? new LayeredMap<WorldObject>()] as const]);
    const again = translate({ ...plain, resources: edited }, before);
    const remaining = replaced(apiKey('a3', 'team-a', { sha256: hash('a4') })).filter(
      ({ metadata }) => metadata.name !== 'b',
    );
    expect(resultOf(again)).toEqual(resultOf(translate(worldOf(remaining))));
    // The edited key, and the other one whose hash it now claims.
    expect(again.work).toEqual({ parsed: 1, translated: 2 });
  });

  test('under other settings translates everything and keeps equal entries', () => {
    const again = translate(worldOf(OBJECTS, { settings: { mintsKeys: true } }), first);
    expect(again.work.translated).toBeGreaterThan(KEYS);
    expect(again.snapshot).toBe(first.snapshot);
  });

  test('for fewer workspaces gives fewer entries and the same verdicts', () => {
    const again = translate(worldOf(OBJECTS, { served: ['team-b'] }), first);
    expect(again.snapshot.entries.some(({ workspace: owner }) => owner === 'team-a')).toBe(false);
    expect(again.verdicts).toBe(first.verdicts);
    expect(translate(worldOf(OBJECTS), again).snapshot).toEqual(first.snapshot);
  });
});

describe('a translation in slices', () => {
  test('yields between slices, and ends with the same result', () => {
    const many = [workspace('team-a'), ...Array.from({ length: 1_000 }, (_, i) => apiKey(`k${i}`, 'team-a'))];
    const steps = translateInSlices(worldOf(many));
    let turns = 0;
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) {
        expect(resultOf(value)).toEqual(resultOf(translate(worldOf(many))));
        break;
      }
      turns += 1;
    }
    expect(turns).toBeGreaterThan(10);
  });
});

describe('a Secret of which nothing is known', () => {
  const key = apiKey('k', 'team-a', { sha256: undefined, secretRef: { name: 'openai', key: 'key' } });
  test.for<{ rule: string; object: TestObject; readings: readonly (readonly [string, 'beyond'])[] }>([
    { rule: 'of an account, named just now', object: virtualKey('openai', 'team-a'), readings: [] },
    {
      rule: 'of an account, one too many',
      object: virtualKey('openai', 'team-a'),
      readings: [['team-a/openai', 'beyond']],
    },
    { rule: 'of a key, named just now', object: key, readings: [] },
    { rule: 'of a key, one too many', object: key, readings: [['team-a/openai', 'beyond']] },
  ])('$rule is reported as unread, not as missing, until it is read', ({ object, readings }) => {
    const objects = [workspace('team-a'), object];
    const unread = { ...worldOf(objects), secretReadings: new Map(readings) };
    const first = translate(unread);
    expect(first.verdicts[0]).toMatchObject({
      conditions: { ResolvedRefs: { status: 'Unknown', reason: 'Pending' } },
      issues: [{ path: ['spec', 'secretRef'] }],
      serves: 'nothing',
    });
    const later = translate({ ...unread, secretReadings: new Map([['team-a/openai', 'known' as const]]) }, first);
    expect(later.verdicts[0]?.conditions.ResolvedRefs.reason).toBe('RefNotFound');
    const read = translate(worldOf([...objects, secret('team-a', 'sk-a')]), later);
    expect(read.verdicts[0]?.conditions.ResolvedRefs.status).toBe('True');
  });
});

describe('a Secret that may not be read', () => {
  const denied = { secretReadings: new Map([['team-a/openai', 'denied' as const]]) };
  const objects = [workspace('team-a'), virtualKey('openai', 'team-a')];

  test('has a finding with the command that grants the right', () => {
    const world = worldOf(objects, { settings: { operatorAccount: { namespace: 'system', name: 'own' } } });
    expect(translate({ ...world, ...denied }).verdicts[0]).toMatchObject({
      conditions: {
        ResolvedRefs: {
          status: 'False',
          reason: 'AccessDenied',
          message: expect.stringContaining(
            'kubectl create rolebinding gatehouse-workspace-secrets --namespace team-a --clusterrole=gatehouse-workspace-secrets --serviceaccount=system:own',
          ),
        },
      },
      serves: 'nothing',
    });
  });

  test('keeps the entries that were made of it', () => {
    const before = translate(worldOf([...objects, secret('team-a', 'sk-a')]));
    const after = translate({ ...worldOf(objects), ...denied }, before);
    expect(after.verdicts[0]?.serves).toBe('last good');
    const credentials = after.snapshot.entries.filter(({ kind }) => kind === 'credential');
    expect(JSON.stringify(credentials)).toContain('sk-a');
  });
});

describe('a verdict', () => {
  test('has a message below 1 kB, however much is wrong', () => {
    const scopes = Array.from(
      { length: 150 },
      (_, i) => `nothing_${'x'.repeat(20)}${String.fromCharCode(97 + (i % 26))}.read`,
    );
    const { verdicts } = translate(
      worldOf([workspace('team-a'), apiKey('bad', 'team-a', { scopes: [...new Set(scopes)] })]),
    );
    const [verdict] = verdicts;
    expect(verdict?.issues).toHaveLength(26);
    expect(Buffer.byteLength(verdict?.conditions.Accepted.message ?? '')).toBeLessThan(1024);
  });

  test('has one line, whatever the text of the user', () => {
    const broken = { ...config('main', 'team-a', 1), spec: { config: { provider: 'no\nsuch' } } };
    const { verdicts } = translate(worldOf([workspace('team-a'), broken]));
    expect(verdicts[0]?.conditions.Accepted.status).toBe('False');
    expect(verdicts[0]?.conditions.Accepted.message).not.toContain('\n');
  });
});
