import { expect, test } from 'vitest';
import { systemClock } from '../runtime/index.ts';
import { createLastGood, type World } from '../translate/index.ts';
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

test('a translation reaches everybody although one of them fails', async () => {
  const { translations, failures } = setup(() => EMPTY);
  await using _ = translations;
  const reached: number[] = [];
  translations.subscribe(() => {
    throw new Error('boom');
  });
  translations.subscribe(({ sequence }) => reached.push(sequence));
  await translations.start(createLastGood([]));
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
  await translations.start(createLastGood([]));
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
  await translations.start(createLastGood([]));
  expect(failures()).toBe(0);
  expect(lines).toEqual([{ object: 'ApiKey/team-a/app', err: new Error('boom') }]);
});
