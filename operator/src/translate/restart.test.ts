/** A restart: what one process has published replaces what the next one cannot read. */
import { describe, expect, test } from 'vitest';
import { indexPublished, originKey, originsOf } from './incremental/index.ts';
import { type TestObject, testKey, worldOf } from './test-world.ts';
import { type Translation, translate } from './translate.ts';
import type { WorldSettings } from './types/index.ts';

const SETTINGS: Partial<WorldSettings> = { consent: 'label' };
const inTeam = (name: string) => ({ name, namespace: 'team' });

const namespace = (labels: object = { 'gatehouse.dev/workspace': 'team' }): TestObject => ({
  kind: 'Namespace',
  metadata: { name: 'team', labels },
});
const workspace = (further: object = {}): TestObject => ({
  kind: 'Workspace',
  metadata: { name: 'team' },
  spec: { namespace: 'team', ...further },
});
const secret: TestObject = { kind: 'Secret', metadata: inTeam('mock'), stringData: { key: 'secret' } };
const account = (further: object = {}): TestObject => ({
  kind: 'VirtualKey',
  metadata: inTeam('own'),
  spec: { provider: 'openai', secretRef: { name: 'mock', key: 'key' }, ...further },
});
const config = (further: object = {}): TestObject => ({
  kind: 'GatewayConfig',
  metadata: inTeam('main'),
  spec: { config: { provider: '@own', ...further } },
});
const integration = (further: object = {}): TestObject => ({
  kind: 'Integration',
  metadata: { name: 'shared', namespace: 'gatehouse-system' },
  spec: { provider: 'openai', secretRef: { name: 'org', key: 'key' }, allowAllModels: true, ...further },
});
const access: TestObject = {
  kind: 'IntegrationAccess',
  metadata: { name: 'a', namespace: 'gatehouse-system' },
  spec: { integrationRef: { name: 'shared' }, allWorkspaces: true, enabled: true },
};
const provider = (further: object = {}): TestObject => ({
  kind: 'Provider',
  metadata: inTeam('lent'),
  spec: { integrationRef: { name: 'shared' }, ...further },
});
const orgSecret: TestObject = {
  kind: 'Secret',
  metadata: { name: 'org', namespace: 'gatehouse-system' },
  stringData: { key: 'of-the-organisation' },
};
const ALL = [namespace(), workspace(), secret, account(), config(), integration(), access, provider(), orgSecret];

const BROKEN = { unknownField: true };

/** The ids that a new process serves, marked where they are the last good ones. */
function afterRestart({
  broken = [],
  gone = [],
}: {
  broken?: readonly TestObject[];
  gone?: readonly string[];
}): string[] {
  const { snapshot } = translate(worldOf(ALL, { settings: SETTINGS }));
  const objects = new Map(ALL.map((object) => [testKey(object), object]));
  for (const object of broken) objects.set(testKey(object), object);
  for (const key of gone) expect(objects.delete(key)).toBe(true);
  const next = translate(
    worldOf(objects.values(), { settings: SETTINGS }),
    undefined,
    indexPublished(snapshot.entries),
  );
  const again = translate(worldOf(objects.values(), { settings: SETTINGS }), next);
  expect(idsOf(again)).toEqual(idsOf(next));
  return idsOf(next);
}

const idsOf = ({ snapshot }: Translation): string[] =>
  snapshot.entries.map(({ id, stale }) => (stale === true ? `${id} (stale)` : id));

const OWN = ['provider/team/own', 'credential/team/VirtualKey:own'];
const LENT = ['provider/team/lent', 'credential//Integration:shared'];

describe('after a restart', () => {
  test.for<{
    rule: string;
    given: Parameters<typeof afterRestart>[0];
    has: readonly string[];
    lacks: readonly string[];
  }>([
    { rule: 'nothing that is valid is stale', given: {}, has: [...OWN, ...LENT, 'config/team/main'], lacks: [] },
    {
      rule: 'a broken object keeps what was published for it',
      given: { broken: [account(BROKEN), config(BROKEN)] },
      has: [...OWN, 'config/team/main'].map((id) => `${id} (stale)`),
      lacks: [],
    },
    {
      rule: 'an object whose Secret is gone keeps it, too',
      given: { gone: ['Secret/team/mock'] },
      has: OWN.map((id) => `${id} (stale)`),
      lacks: [],
    },
    {
      rule: 'a broken Workspace keeps its namespace',
      given: { broken: [workspace(BROKEN)] },
      has: ['workspace/team/team (stale)', ...OWN, 'config/team/main'],
      lacks: [],
    },
    {
      rule: 'a broken Integration keeps what stands on it',
      given: { broken: [integration(BROKEN)] },
      has: LENT.map((id) => `${id} (stale)`),
      lacks: [],
    },
    {
      rule: 'a deleted object is gone',
      given: { gone: ['VirtualKey/team/own'] },
      has: [],
      lacks: OWN,
    },
    {
      rule: 'nothing is left of a broken Workspace without consent',
      given: { broken: [workspace(BROKEN), namespace({})] },
      has: [],
      lacks: ['workspace/team/team', ...OWN, 'config/team/main'],
    },
    {
      rule: 'a broken Provider whose grant has gone loses it',
      given: { broken: [provider(BROKEN)], gone: ['IntegrationAccess/gatehouse-system/a'] },
      has: [],
      lacks: ['provider/team/lent'],
    },
    {
      rule: 'a broken Provider with its grant keeps it',
      given: { broken: [provider(BROKEN)] },
      has: ['provider/team/lent (stale)'],
      lacks: [],
    },
  ])('$rule', ({ given, has, lacks }) => {
    const ids = afterRestart(given);
    for (const id of has) expect(ids).toContain(id);
    for (const id of lacks) expect(ids.some((line) => line.startsWith(id))).toBe(false);
  });
});

describe('of an object of the same name', () => {
  const at = (object: TestObject, generation: number): TestObject => ({
    ...object,
    metadata: { ...object.metadata, generation },
  });
  const before = [namespace(), at(workspace(), 3), secret, at(account(), 3)];
  const { snapshot } = translate(worldOf(before, { settings: SETTINGS }));
  const restarted = (...now: readonly TestObject[]): string[] =>
    idsOf(
      translate(
        worldOf([namespace(), secret, ...now], { settings: SETTINGS }),
        undefined,
        indexPublished(snapshot.entries),
      ),
    );

  test.for([
    { rule: 'the same generation is kept', generation: 3, stale: true },
    { rule: 'an earlier generation is kept', generation: 4, stale: true },
    { rule: 'a later generation is not: it was deleted and made anew', generation: 1, stale: false },
  ])('$rule', ({ generation, stale }) => {
    const withAccount = restarted(at(workspace(), 3), at(account(BROKEN), generation));
    expect(withAccount.includes('provider/team/own (stale)')).toBe(stale);
    expect(withAccount.includes('credential/team/VirtualKey:own (stale)')).toBe(stale);
    const withWorkspace = restarted(at(workspace(BROKEN), generation), at(account(), 3));
    expect(withWorkspace.includes('workspace/team/team (stale)')).toBe(stale);
    expect(withWorkspace.includes('provider/team/own')).toBe(stale);
  });

  test('a credential has no generation that the object has not reached', () => {
    const first = translate(worldOf(before, { settings: SETTINGS }));
    const anew = [namespace(), at(workspace(), 3), secret, at(account(), 1)];
    const next = translate(worldOf(anew, { settings: SETTINGS }), first);
    const credentials = next.snapshot.entries.filter(({ kind }) => kind === 'credential');
    expect(credentials).toMatchObject([{ generation: 1 }]);
  });
});

test('the id of an entry names its object', () => {
  const { memo } = translate(worldOf(ALL, { settings: SETTINGS }));
  let entries = 0;
  for (const items of memo.states.values()) {
    items.forEach(({ translated }) => {
      for (const { id } of translated?.entries ?? []) {
        entries += 1;
        expect(translated === undefined ? [] : originsOf(id).includes(originKey(translated.verdict))).toBe(true);
      }
    });
  }
  expect(entries).toBeGreaterThan(5);
  expect(originsOf('nonsense')).toEqual([]);
});
