import type { KindName } from '@gatehouse/crds/kinds';
import { expect, test } from 'vitest';
import { systemClock } from '../runtime/index.ts';
import { indexPublished, type World, type WorldObject } from '../translate/index.ts';
import { createTranslations } from './translations.ts';

const SETTINGS: World['settings'] = {
  organisationNamespace: 'gatehouse-system',
  consent: 'implied',
  mintsKeys: false,
  caps: { rootTargets: 100, conditionalRootTargets: 1000, nestedTargets: 50 },
};
const EMPTY: World = {
  resources: new Map(),
  secrets: new Map(),
  namespaces: new Map(),
  settings: SETTINGS,
  served: 'all',
};

const NOTHING_BEFORE = { published: indexPublished([]), unreadFleets: new Set<string>() };

function setup(takeWorld: () => World) {
  const lines: unknown[] = [];
  const log = { debug: () => {}, info: () => {}, warn: () => {}, error: (fields: object) => lines.push(fields) };
  let failures = 0;
  const onFailure = () => {
    failures += 1;
  };
  const translations = createTranslations({ takeWorld, onTranslated: () => {}, onFailure, log, clock: systemClock });
  return { translations, lines, failures: () => failures };
}

test('a translation reaches every listener although one of them throws', async () => {
  const { translations, failures } = setup(() => EMPTY);
  await using _ = translations;
  const reached: number[] = [];
  translations.subscribe(() => {
    throw new Error('boom');
  });
  translations.subscribe(({ sequence }) => reached.push(sequence));
  await translations.start(NOTHING_BEFORE);
  expect(reached).toEqual([0]);
  expect(failures()).toBe(1);
});

test('a translation that fails as a whole is counted, and the next one is made', async () => {
  let broken = true;
  const { translations, failures, lines } = setup(() => {
    if (broken) throw new Error('boom');
    return EMPTY;
  });
  await using _ = translations;
  await translations.start(NOTHING_BEFORE);
  expect(failures()).toBe(1);
  expect(lines).toHaveLength(1);
  expect(translations.latest).toBeUndefined();
  broken = false;
  const made = new Promise<void>((resolve) => {
    translations.subscribe(() => resolve());
  });
  translations.trigger();
  await made;
  expect(translations.latest?.sequence).toBe(0);
});

test('an object on which the translation fails is named in the log', async () => {
  const world: World = {
    ...EMPTY,
    namespaces: new Map([['team-a', new Map()]]),
    resources: new Map([
      [
        'ApiKey',
        new Map([
          [
            'team-a/app',
            {
              apiVersion: 'gatehouse.dev/v1alpha1',
              kind: 'ApiKey',
              metadata: { name: 'app', namespace: 'team-a' },
              get spec(): unknown {
                throw new Error('boom');
              },
            },
          ],
        ]),
      ],
    ]),
  };
  const { translations, lines, failures } = setup(() => world);
  await using _ = translations;
  await translations.start(NOTHING_BEFORE);
  expect(failures()).toBe(0);
  expect(lines).toEqual([{ object: 'ApiKey/team-a/app', err: new Error('boom') }]);
});

const TEAM: World['namespaces'] = new Map([['team-a', new Map()]]);
const WORKSPACE: WorldObject = {
  apiVersion: 'gatehouse.dev/v1alpha1',
  kind: 'Workspace',
  metadata: { name: 'team-a' },
  spec: { namespace: 'team-a' },
};
/** An account whose Secret may not be read. */
const account = (name: string): WorldObject => ({
  apiVersion: 'gatehouse.dev/v1alpha1',
  kind: 'VirtualKey',
  metadata: { name, namespace: 'team-a' },
  spec: { provider: 'openai', secretRef: { name, key: 'key' } },
});
const worldOf = (accounts: readonly string[], secrets: readonly string[] = []): World => ({
  ...EMPTY,
  namespaces: TEAM,
  resources: new Map<KindName, ReadonlyMap<string, WorldObject>>([
    ['Workspace', new Map([['team-a', WORKSPACE]])],
    ['VirtualKey', new Map(accounts.map((name) => [`team-a/${name}`, account(name)]))],
  ]),
  secrets: new Map(secrets.map((name) => [`team-a/${name}`, new Map([['key', 'of-before']])])),
});

test('what was published and could be read only later is served from then on, and the fleet is known', async () => {
  const before = setup(() => worldOf(['one', 'two'], ['one', 'two']));
  await using _before = before.translations;
  await before.translations.start(NOTHING_BEFORE);
  const published = before.translations.latest?.translation.snapshot.entries ?? [];

  let world = worldOf(['one', 'two']);
  const { translations } = setup(() => world);
  await using _ = translations;
  await translations.start({ ...NOTHING_BEFORE, unreadFleets: new Set(['fleets/main']) });
  const ids = () => translations.latest?.translation.snapshot.entries.map(({ id }) => id) ?? [];
  expect(ids()).not.toContain('provider/team-a/one');
  expect([...(translations.latest?.unreadFleets ?? [])]).toEqual(['fleets/main']);

  world = worldOf(['one']);
  const made = new Promise<void>((resolve) => {
    translations.subscribe(() => resolve());
  });
  translations.recall({ ...NOTHING_BEFORE, published: indexPublished(published) });
  await made;
  expect(ids()).toContain('provider/team-a/one');
  expect(ids()).not.toContain('provider/team-a/two');
  expect([...(translations.latest?.unreadFleets ?? [])]).toEqual([]);
  expect(translations.latest?.translation.changes.gone).toEqual(['VirtualKey/team-a/two']);
});
