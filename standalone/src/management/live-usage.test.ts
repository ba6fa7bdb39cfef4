import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import type { BudgetUsage } from '@gatehouse/gateway';
import type { ResourceStore, StoredObject } from '@gatehouse/operator/management';
import { expect, test } from 'vitest';
import { createFolderStore } from '../folder-store/index.ts';
import { createResourceFolder, ORGANISATION_NAMESPACE } from '../resource-folder/index.ts';
import { tempFolder } from '../testing/index.ts';
import { withLiveUsage } from './live-usage.ts';

const NOW = Date.UTC(2027, 0, 20);
const MONTH = { periodStartMs: Date.UTC(2027, 0, 1), resetsAtMs: Date.UTC(2027, 1, 1) };
const ORG = ORGANISATION_NAMESPACE;

const object = (kind: string, name: string, spec: string, namespace = 'ns-a'): string =>
  `apiVersion: gatehouse.dev/v1alpha1\nkind: ${kind}\nmetadata: { name: ${name}, namespace: ${namespace} }\nspec: ${spec}\n`;

const BUDGETS = 'usageLimits: [{ name: main, creditLimit: "2" }, { name: other, creditLimit: "3" }]';
const FILES = {
  'workspace.yaml': `apiVersion: gatehouse.dev/v1alpha1\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: ns-a, ${BUDGETS} }\n`,
  'key.yaml': object(
    'ApiKey',
    'app',
    `{ type: workspace-service, sha256: ${'a'.repeat(64)}, scopes: [completions.write], ${BUDGETS} }`,
  ),
  'other-key.yaml': object(
    'ApiKey',
    'free',
    `{ type: workspace-service, sha256: ${'b'.repeat(64)}, scopes: [completions.write] }`,
  ),
  'account.yaml': object(
    'VirtualKey',
    'vendor',
    `{ provider: ollama, customHost: "http://127.0.0.1:9/v1", ${BUDGETS} }`,
  ),
  'shared.yaml': object(
    'VirtualKey',
    'vendor',
    `{ provider: ollama, customHost: "http://127.0.0.1:9/v1", ${BUDGETS} }`,
    ORG,
  ),
};

interface Counter extends Partial<BudgetUsage> {
  readonly owner: BudgetUsage['budget']['owner']['kind'];
  readonly id: string;
  readonly used: number;
}

const counter = ({ owner, id, used, ...over }: Counter): BudgetUsage => ({
  budget: {
    id: `${id}|cost|main`,
    name: 'main',
    slot: id.split('/')[1] ?? '',
    owner: { kind: owner, id, slug: 'any' },
    type: 'cost',
    limit: 2_000_000_000,
    schedule: {},
  },
  used,
  ...{ periodStartMs: 0, resetsAtMs: undefined, exhausted: false, alert: false, generation: '' },
  ...over,
});

async function open(root: string, usage: readonly BudgetUsage[]): Promise<ResourceStore> {
  const folder = createResourceFolder([root], {
    variables: {},
    caps: DEFAULT_TARGET_CAPS,
    now: () => performance.now(),
  });
  await folder.refresh();
  return withLiveUsage(createFolderStore({ root, folder, now: () => NOW }), {
    usage: async () => usage,
    organisationNamespace: ORG,
    now: () => NOW,
  });
}

const usageOf = (stored: StoredObject | undefined): unknown => stored?.status['usage'];

test('each object has what its own budgets have used', async () => {
  using temp = tempFolder(FILES);
  const store = await open(temp.path, [
    counter({ owner: 'workspace', id: 'workspace/team-a/team-a', used: 1_000_000_000 }),
    counter({ owner: 'key', id: 'key/team-a/app', used: 250_000_000, ...MONTH }),
    counter({ owner: 'provider', id: 'provider/team-a/vendor', used: 2_500_000_000 }),
    counter({ owner: 'policy', id: 'policy/team-a/UsageLimitPolicy:app', used: 1 }),
    counter({ owner: 'key', id: 'token/team-a/issuer/app', used: 1 }),
  ]);
  const amounts = { name: 'main', type: 'cost', limit: '2' };
  const key = await store.get({ kind: 'ApiKey', namespace: 'ns-a', name: 'app' });
  const month = { periodStartTime: '2027-01-01T00:00:00Z', nextResetTime: '2027-02-01T00:00:00Z' };
  const used = [{ ...amounts, used: '0.25', usedPercent: 12, ...month }];
  expect(usageOf(key)).toEqual(used);
  expect(usageOf(await store.find('ApiKey', key?.meta.uid ?? ''))).toEqual(used);
  expect((await store.list('ApiKey')).map((one) => [one.meta.name, usageOf(one)])).toEqual(
    expect.arrayContaining([
      ['app', used],
      ['free', undefined],
    ]),
  );
  const workspace = await store.get({ kind: 'Workspace', namespace: undefined, name: 'team-a' });
  expect(usageOf(workspace)).toEqual([{ ...amounts, used: '1', usedPercent: 50 }]);
  const account = { kind: 'VirtualKey', name: 'vendor' } as const;
  expect(usageOf(await store.get({ ...account, namespace: 'ns-a' }))).toEqual([
    { ...amounts, used: '2.5', usedPercent: 100 },
  ]);
  expect(usageOf(await store.get({ ...account, namespace: ORG }))).toBeUndefined();
});

test('what was used in a period that is over is not shown', async () => {
  using temp = tempFolder(FILES);
  const over = { periodStartMs: Date.UTC(2026, 11, 1), resetsAtMs: NOW };
  const store = await open(temp.path, [counter({ owner: 'key', id: 'key/team-a/app', used: 1, ...over })]);
  expect(usageOf(await store.get({ kind: 'ApiKey', namespace: 'ns-a', name: 'app' }))).toBeUndefined();
});

test('of a grant that is counted for each workspace, the counter with the least left is shown', async () => {
  const account = object('Integration', 'openai', '{ provider: openai }', ORG);
  const grant = object(
    'IntegrationAccess',
    'openai-all',
    '{ integrationRef: { name: openai }, allWorkspaces: true, usageLimits: [{ name: main, creditLimit: "2" }] }',
    ORG,
  );
  using temp = tempFolder({ ...FILES, 'integration.yaml': account, 'access.yaml': grant });
  const store = await open(
    temp.path,
    [1, 3, 2].map((used, i) =>
      counter({ owner: 'access', id: `access/team-${i}/openai-all`, used: used * 500_000_000 }),
    ),
  );
  const shown = await store.get({ kind: 'IntegrationAccess', namespace: ORG, name: 'openai-all' });
  expect(usageOf(shown)).toMatchObject([{ used: '1.5', usedPercent: 75 }]);
});
