/** The request log of a standalone process, in its data folder. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { CompiledQuery, Kysely } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createEmbedded } from './database/index.ts';
import { createMockProvider, type MockProvider } from './mock-provider/index.ts';
import { addressOf, runGatehouse, startGatehouse, type TempFolder, tempFolder } from './testing/index.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const ADMIN = 'gwk_given_0123456789abcdef0123456789';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const folderOf = (): TempFolder =>
  tempFolder({ 'team.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n` });

const start = (folder: TempFolder, args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  startGatehouse(
    [
      ...['standalone', '--resources', folder.path, '--data', `${folder.path}/.data`],
      ...['--port', '0', '--admin-port', '0', ...args],
    ],
    { GATEHOUSE_ADMIN_KEY: ADMIN, GATEHOUSE_DRAIN_ACCEPT_MS: '0', ...env },
  );

async function chat(url: string): Promise<number> {
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${ADMIN}`,
      'content-type': 'application/json',
      'x-gw-config': JSON.stringify({ provider: 'openai', api_key: 'x', custom_host: `${mock.url}/v1` }),
    },
    body: JSON.stringify({ model: 'mock-small', messages: [{ role: 'user', content: 'hello' }] }),
  });
  await answer.text();
  return answer.status;
}

async function writtenRows(url: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return Number(/^gatehouse_request_log_written_total\S* (\d+)/m.exec(text)?.[1] ?? 0);
}

async function query(folder: TempFolder, text: string): Promise<readonly object[]> {
  const database = new Kysely<unknown>({ dialect: await createEmbedded(`${folder.path}/.data`).dialect() });
  try {
    return (await database.executeQuery<object>(CompiledQuery.raw(text))).rows;
  } finally {
    await database.destroy();
  }
}

test.for([
  { rule: 'one process', args: ['--logs'], env: {} },
  { rule: 'several workers', args: ['--workers', '2'], env: { GATEHOUSE_LOGS: 'on' } },
])('$rule keeps the rows of requests', async ({ args, env }) => {
  using folder = folderOf();
  await using child = start(folder, args, env);
  const url = await addressOf(child);
  for (let i = 0; i < 3; i += 1) expect(await chat(url)).toBe(200);
  await waitFor(async () => (await writtenRows(url)) === 3, { what: 'three rows' });
  const listed = await fetch(`${url}/v1/logs`, { headers: { authorization: `Bearer ${ADMIN}` } });
  expect(await listed.json()).toMatchObject({ total: 3 });
  child.kill('SIGTERM');
  expect(await child.ended).toBe(0);
  const rows = await query(folder, 'select status, model, provider from gateway_logs.logs');
  expect(rows).toEqual(Array(3).fill({ status: 200, model: 'mock-small', provider: 'openai' }));
  expect(await query(folder, 'select sum(requests)::int as n from gateway_logs.log_minutes')).toEqual([{ n: 3 }]);
});

test('without the switch there is none, and no database', async () => {
  using folder = folderOf();
  await using child = start(folder, []);
  const url = await addressOf(child);
  expect(await chat(url)).toBe(200);
  for (const path of ['logs', 'analytics/graphs/requests']) {
    const answer = await fetch(`${url}/v1/${path}`, { headers: { authorization: `Bearer ${ADMIN}` } });
    expect([answer.status, await answer.json()]).toMatchObject([501, { error: { code: 'request_log_off' } }]);
  }
  child.kill('SIGTERM');
  expect(await child.ended).toBe(0);
  expect(existsSync(join(folder.path, '.data', 'database'))).toBe(false);
});

test('a value of the variable that is none is an error', async () => {
  using folder = folderOf();
  const args = ['standalone', '--resources', folder.path, '--data', `${folder.path}/.data`, '--port', '0'];
  const { status, err } = await runGatehouse(args, { GATEHOUSE_LOGS: 'yes' });
  expect(status).toBe(1);
  expect(err).toContain('GATEHOUSE_LOGS: expected on or off');
});
