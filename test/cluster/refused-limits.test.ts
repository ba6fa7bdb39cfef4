/** What is wrong with a limit or a price is said with the same field path by `kubectl apply`, `gatehouse validate` and the status. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { formatPath } from '@gatehouse/crds';
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import { API_VERSION, KINDS, type KindName } from '@gatehouse/crds/kinds';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { translate } from '../../operator/src/translate/index.ts';
import { runCommandLine } from '../../standalone/src/cli/index.ts';
import { type ControlPlaneAccess, runKubectl, sharedControlPlane } from './index.ts';

const SPECS = {
  ApiKey: { type: 'workspace-service', scopes: ['completions.write'] },
  Workspace: { namespace: 'team-x' },
  VirtualKey: { provider: 'openai', secretRef: { name: 's', key: 'k' } },
  Provider: { integrationRef: { name: 'openai' } },
  IntegrationAccess: { integrationRef: { name: 'openai' }, allWorkspaces: true },
} as const satisfies Partial<Record<KindName, object>>;

const SELECTION = { conditions: [{ key: 'model', values: ['*'] }], groupBy: [{ key: 'api_key' }] };
const RATE = { type: 'requests', unit: 'rpm', value: 10 };
const BUDGET = { name: 'main', creditLimit: '50' };

interface Row {
  readonly what: string;
  readonly kind: KindName;
  readonly spec: object;
  readonly path: string;
}

const WRONG_RATES = [
  { what: 'a limit of nothing', over: { value: 0 }, member: '.value' },
  { what: 'a limit without a value', over: { value: undefined }, member: '.value' },
  { what: 'half a request', over: { value: 1.5 }, member: '.value' },
  { what: 'an unknown window', over: { unit: 'rpy' }, member: '.unit' },
  { what: 'a limit of money', over: { type: 'cost' }, member: '.type' },
];

const WRONG_BUDGETS = [
  { what: 'a budget of less than a dollar', over: { creditLimit: '0.5' }, member: 'creditLimit' },
  { what: 'a budget beyond exact numbers', over: { creditLimit: '9007200' }, member: 'creditLimit' },
  { what: 'a budget that is no number', over: { creditLimit: 'much' }, member: 'creditLimit' },
  { what: 'a negative budget', over: { creditLimit: '-1' }, member: 'creditLimit' },
  { what: 'a budget without a size', over: { creditLimit: undefined }, member: 'creditLimit' },
  { what: 'too few tokens', over: { type: 'tokens', creditLimit: '99' }, member: 'creditLimit' },
  { what: 'half a token', over: { type: 'tokens', creditLimit: '100.5' }, member: 'creditLimit' },
  { what: 'half a budgeted request', over: { type: 'requests', creditLimit: '10.5' }, member: 'creditLimit' },
  { what: 'an alert at the end', over: { alertThreshold: '50' }, member: 'alertThreshold' },
  { what: 'two kinds of reset', over: { periodicReset: 'weekly', periodicResetDays: 3 }, member: 'periodicResetDays' },
  { what: 'a reset every zero days', over: { periodicResetDays: 0 }, member: 'periodicResetDays' },
  { what: 'an unknown reset', over: { periodicReset: 'yearly' }, member: 'periodicReset' },
  { what: 'a reset at no time', over: { nextUsageResetAt: 'tomorrow' }, member: 'nextUsageResetAt' },
  { what: 'a budget of apples', over: { type: 'apples' }, member: 'type' },
];

const owners = Object.entries(SPECS).flatMap(([name, spec]): Row[] => {
  const kind = name as KindName; // a key of the table
  return [
    ...WRONG_RATES.map(({ what, over, member }) => ({
      ...{ what, kind, path: `spec.rateLimits[0]${member}` },
      spec: { ...spec, rateLimits: [{ ...RATE, ...over }] },
    })),
    ...WRONG_BUDGETS.map(({ what, over, member }) => ({
      ...{ what, kind, path: `spec.usageLimits[0].${member}` },
      spec: { ...spec, usageLimits: [{ ...BUDGET, ...over }] },
    })),
  ];
});

const policy = (kind: KindName, what: string, spec: object, path: string): Row => ({ what, kind, path, spec });
const rated = { ...SELECTION, ...RATE };
const budgeted = { ...SELECTION, creditLimit: '50' };
const policies: readonly Row[] = [
  ...WRONG_RATES.map(({ what, over, member }) =>
    policy('RateLimitPolicy', what, { ...rated, ...over }, `spec${member}`),
  ),
  ...WRONG_BUDGETS.map(({ what, over, member }) =>
    policy('UsageLimitPolicy', what, { ...budgeted, ...over }, `spec.${member}`),
  ),
  ...(['RateLimitPolicy', 'UsageLimitPolicy'] as const).flatMap((kind) => {
    const good = kind === 'RateLimitPolicy' ? rated : budgeted;
    return [
      policy(kind, 'a condition on nothing', { ...good, conditions: [{ key: 'model' }] }, 'spec.conditions[0].values'),
      policy(
        kind,
        'a condition on the weather',
        { ...good, conditions: [{ key: 'weather', values: ['*'] }] },
        'spec.conditions[0].key',
      ),
      policy(kind, 'no condition', { ...good, conditions: [] }, 'spec.conditions'),
      policy(kind, 'no group', { ...good, groupBy: [] }, 'spec.groupBy'),
      policy(kind, 'groups by the weather', { ...good, groupBy: [{ key: 'weather' }] }, 'spec.groupBy[0].key'),
    ];
  }),
  policy('RateLimitPolicy', 'calls per second', { ...rated, unit: 'rps' }, 'spec.unit'),
  policy(
    'VirtualKey',
    'calls per second',
    { ...SPECS.VirtualKey, rateLimits: [{ ...RATE, unit: 'rps' }] },
    'spec.rateLimits[0].unit',
  ),
  policy(
    'ApiKey',
    'the same limit twice',
    { ...SPECS.ApiKey, rateLimits: [RATE, { ...RATE, value: 9 }] },
    'spec.rateLimits[1]',
  ),
  policy('ApiKey', 'the same budget twice', { ...SPECS.ApiKey, usageLimits: [BUDGET, BUDGET] }, 'spec.usageLimits[1]'),
];

const PRICED = { provider: 'openai', model: 'gpt-4o' };
const ACCOUNT = { provider: 'openai', secretRef: { name: 's', key: 'k' } };
const WRONG_PRICES = [
  { what: 'a price as a number', usd: 2.5 },
  { what: 'a negative price', usd: '-1' },
  { what: 'a price beyond exact costs', usd: '1000000' },
  { what: 'a price with too many digits', usd: '0.0000000001' },
  { what: 'a price that is no number', usd: 'free' },
];
const prices: readonly Row[] = [
  ...WRONG_PRICES.flatMap(({ what, usd }) => [
    policy(
      'ModelPricing',
      what,
      { ...PRICED, usdPerMillionTokens: { request: usd } },
      'spec.usdPerMillionTokens.request',
    ),
    policy('ModelPricing', what, { ...PRICED, usdPerRequest: usd }, 'spec.usdPerRequest'),
    policy(
      'ModelPricing',
      what,
      { ...PRICED, additionalUnits: [{ name: 'web_search', usd }] },
      'spec.additionalUnits[0].usd',
    ),
    policy(
      'Integration',
      what,
      { ...ACCOUNT, models: [{ slug: 'gpt-4o', usdPerMillionTokens: { response: usd } }] },
      'spec.models[0].usdPerMillionTokens.response',
    ),
  ]),
  policy('ModelPricing', 'a price list without prices', PRICED, 'spec'),
  policy('Integration', 'a discount in per cent', { ...ACCOUNT, priceMultiplier: '80%' }, 'spec.priceMultiplier'),
  policy('Integration', 'a factor of a thousand', { ...ACCOUNT, priceMultiplier: '1000' }, 'spec.priceMultiplier'),
];

const rows = [...owners, ...policies, ...prices].map((row) => ({
  ...row,
  title: `${row.what} of ${row.kind} at ${row.path}`,
}));

let cluster: ControlPlaneAccess;
let namespace: string;
let folder: string;

beforeAll(async () => {
  cluster = sharedControlPlane();
  namespace = await cluster.createNamespace();
  folder = await mkdtemp(join(tmpdir(), 'gatehouse-limits-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await cluster[Symbol.asyncDispose]();
});

const objectOf = ({ kind, spec }: Row) => ({
  apiVersion: API_VERSION,
  kind,
  metadata: { name: 'wrong', ...(KINDS[kind].scope === 'Cluster' ? {} : { namespace }) },
  spec,
});

const refusal = z.looseObject({
  details: z.looseObject({ causes: z.array(z.looseObject({ field: z.string().default('') })) }),
});

/** The fields that the API server names. */
async function refusedBy(row: Row): Promise<string[]> {
  const { plural, scope } = KINDS[row.kind];
  const place = scope === 'Cluster' ? '' : `namespaces/${namespace}/`;
  const { body } = await cluster.request('POST', `/apis/${API_VERSION}/${place}${plural}?dryRun=All`, {
    body: objectOf(row),
  });
  return refusal.parse(body).details.causes.map(({ field }) => field);
}

/** What `gatehouse validate` prints. */
async function validated(row: Row): Promise<string> {
  const file = join(folder, 'wrong.json');
  await writeFile(file, JSON.stringify(objectOf(row)));
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  const shell = {
    variables: {},
    interactive: false,
    out: write,
    err: write,
    onStop: () => () => {},
    onFault: () => {},
  };
  const exit = (): never => {
    throw new Error('the command ended the process');
  };
  expect(await runCommandLine(['validate', file], { ...shell, exit })).toBe(1);
  return lines.join('\n');
}

/** The paths of what the operator finds, which is what the status says. */
function foundIn(row: Row): string[] {
  const object = objectOf(row);
  const key = 'namespace' in object.metadata ? `${namespace}/wrong` : 'wrong';
  const { verdicts } = translate({
    resources: new Map([
      [row.kind, new Map([[key, { ...object, metadata: { ...object.metadata, uid: 'u', generation: 1 } }]])],
    ]),
    secrets: new Map(),
    namespaces: new Map(),
    settings: {
      organisationNamespace: namespace,
      consent: 'label',
      mintsKeys: false,
      caps: DEFAULT_TARGET_CAPS,
    },
    served: 'all',
  });
  const verdict = verdicts.find(({ kind }) => kind === row.kind);
  expect(verdict?.conditions.Accepted).toMatchObject({ status: 'False', reason: 'Invalid' });
  expect(verdict?.conditions.Accepted.message).toContain(row.path);
  return (verdict?.issues ?? []).map(({ path }) => formatPath(path));
}

test.for(rows)('$title is refused everywhere alike', async (row) => {
  expect(foundIn(row)).toContain(row.path);
  expect(await validated(row)).toContain(`${row.path}: `);
  expect(await refusedBy(row)).toContain(row.path);
});

test('kubectl names the field of a limit that it refuses', async () => {
  const file = join(folder, 'apply.json');
  const row = { kind: 'ApiKey', spec: { ...SPECS.ApiKey, usageLimits: [{ ...BUDGET, creditLimit: '0' }] } } as const;
  await writeFile(file, JSON.stringify(objectOf({ ...row, what: '', path: '' })));
  const applied = runKubectl(cluster, ['apply', '--server-side', '-f', file]);
  await expect(applied).rejects.toThrow('spec.usageLimits[0].creditLimit');
});
