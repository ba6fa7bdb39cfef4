/** Prices in hindsight, in the data folder of a standalone process. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../../mock-provider/index.ts';
import { addressOf, startGatehouse, type TempFolder, tempFolder } from '../../testing/index.ts';
import { openInstallation } from '../objects/testing.ts';
import { runInTest } from '../testing.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const ADMIN_KEY = 'gwk_given_0123456789abcdef0123456789';
const SECRET = 'secret-of-the-account';
const resourcesOf = (mock: string): string => `
${API}
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
---
${API}
kind: VirtualKey
metadata: { name: main, namespace: team-a }
spec:
  displayName: Main
  provider: openai
  secretRef: { name: accounts, key: openai }
  customHost: ${mock}/v1
`;
const PRICE = `
${API}
kind: ModelPricing
metadata: { name: mock }
spec: { provider: openai, model: mock-small, usdPerMillionTokens: { request: "2", response: "3" } }
`;

let mock: MockProvider;
let folder: TempFolder;
let data: string;

beforeAll(async () => {
  mock = await createMockProvider();
  folder = tempFolder({ 'team.yaml': resourcesOf(mock.url) });
  data = join(folder.path, '.data');
});
afterAll(async () => {
  folder?.[Symbol.dispose]();
  await mock?.close();
});

const run = (args: readonly string[], variables: Readonly<Record<string, string>> = {}) =>
  runInTest(['re-rate', '--resources', folder.path, '--data', data, ...args], variables);

const start = () =>
  startGatehouse(
    ['standalone', '--resources', folder.path, '--data', data, '--port', '0', '--admin-port', '0', '--logs'],
    { GATEHOUSE_ADMIN_KEY: ADMIN_KEY, GATEHOUSE_DRAIN_ACCEPT_MS: '0', GATEHOUSE_SECRET_ACCOUNTS_OPENAI: SECRET },
  );

async function ask(url: string): Promise<void> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      ...{ authorization: `Bearer ${ADMIN_KEY}`, 'content-type': 'application/json' },
      'x-gw-config': JSON.stringify({ provider: 'openai', api_key: 'x', custom_host: `${mock.url}/v1` }),
    },
    body: JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'hello' }] }),
  });
  expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('usage')]);
}

const listed = async (url: string): Promise<readonly Readonly<Record<string, unknown>>[]> => {
  const answer = await fetch(`${url}/v1/logs`, { headers: { authorization: `Bearer ${ADMIN_KEY}` } });
  const { data: rows } = Object(await answer.json());
  return rows;
};

test('a price that comes later counts for rows that are there, once, and their analytics', async () => {
  {
    await using child = start();
    const url = await addressOf(child);
    await ask(url);
    await waitFor(async () => (await listed(url)).length === 1, { what: 'the row' });
    const refused = await run(['--since', '1h']);
    expect([refused.status, refused.err]).toEqual([1, expect.stringContaining('data folder')]);
    child.kill('SIGTERM');
    expect(await child.ended).toBe(0);
  }
  writeFileSync(join(folder.path, 'price.yaml'), PRICE);
  const dry = await run(['--since', '1h', '--dry-run', '-o', 'json']);
  expect([dry.err, dry.status]).toEqual(['', 0]);
  const { all, models, dry_run: isDry } = JSON.parse(dry.out.join('\n'));
  expect([isDry, models]).toEqual([true, [{ ...all, model: 'openai__mock-small' }]]);
  expect(all).toMatchObject({ rows: 1, changed: 1, left: { usage: 0, account: 0 }, cost_nano_before: '0' });
  const done = await run(['--since', '1h', '--model', 'openai__mock-small']);
  expect(done.out.map((line) => line.split(/ {2,}/)[0])).toEqual(['MODEL', 'openai__mock-small', 'all']);
  expect(done.out[1]).toMatch(/ 1 +1 +0 +0\.000000 +0\.0000\d\d +0\.0000\d\d$/);
  const again = await run(['--since', '1h', '-o', 'json']);
  expect(JSON.parse(again.out.join('\n')).all).toMatchObject({
    ...{ changed: 0, cost_nano_before: all.cost_nano_after, cost_nano_after: all.cost_nano_after },
  });
  await using child = start();
  const url = await addressOf(child);
  const [row] = await listed(url);
  expect(row?.['cost']).toBeCloseTo(Number(all.cost_nano_after) / 1e7, 6);
  const graph = await fetch(
    `${url}/v1/analytics/graphs/cost?time_of_generation_min=${new Date(Date.now() - 3_600_000).toISOString()}&time_of_generation_max=${new Date().toISOString()}`,
    {
      headers: { authorization: `Bearer ${ADMIN_KEY}` },
    },
  );
  expect(Object(await graph.json()).summary.total).toBeCloseTo(Number(all.cost_nano_after) / 1e7, 3);
});

test('with what export has written, and the Workspaces and ModelPricings beside it', async () => {
  await using own = await openInstallation();
  expect(await own.applyAll()).toMatchObject({ status: 0 });
  const exported = own.pathOf('exported');
  expect(await own.run('export', '-o', exported, '-n', 'team-a')).toMatchObject({ status: 0 });
  const space = `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a, defaults: { configRef: { name: gone } } }\n`;
  own.files.write('exported/beside.yaml', `${space}---${PRICE}`);
  const ran = await runInTest(
    ['re-rate', '--resources', exported, '--data', data, '--since', '1h', '--dry-run', '-o', 'json'],
    {},
  );
  expect([ran.status, ran.err]).toEqual([0, expect.stringMatching(/^\d problems.*which do not matter here/)]);
  expect(JSON.parse(ran.out.join('\n')).all).toMatchObject({ rows: 1, left: { usage: 0, account: 0 } });
});

describe('it is refused', () => {
  test.for([
    { rule: 'without a time', args: [], status: 2, says: '--since is missing' },
    { rule: 'with times in the wrong order', args: ['--since', '1h', '--until', '2h'], status: 2, says: 'not before' },
    { rule: 'with a model that is none', args: ['--since', '1h', '--model', 'gpt'], status: 2, says: '--model takes' },
    {
      rule: 'for a ClickHouse that is away',
      ...{ args: ['--since', '1h'], status: 1, says: 'ECONNREFUSED' },
      variables: { GATEHOUSE_LOGS_CLICKHOUSE_URL: 'http://user:own-secret@127.0.0.1:1' },
    },
    {
      rule: 'for a database that is away',
      ...{ args: ['--since', '1h'], status: 1, says: 'ECONNREFUSED' },
      variables: { DATABASE_URL: 'postgres://user:own-secret@127.0.0.1:1/logs?sslmode=disable' },
    },
    { rule: 'without a log', args: ['--since', '1h', '--data', '/nonexistent'], status: 1, says: 'no request log' },
  ] as const)('$rule', async ({ args, status, says, ...more }) => {
    const ran = await run(args, 'variables' in more ? more.variables : {});
    expect([ran.status, ran.err]).toEqual([status, expect.stringContaining(says)]);
    expect(ran.err).not.toContain('own-secret');
  });

  test('where a price of the folder would be left out', async () => {
    using broken = tempFolder({ 'price.yaml': PRICE.replace('"2"', '"two"') });
    const ran = await runInTest(['re-rate', '--resources', broken.path, '--data', data, '--since', '1h'], {});
    expect([ran.status, ran.out, ran.err]).toEqual([1, [], expect.stringContaining('ModelPricing/mock')]);
  });
});
