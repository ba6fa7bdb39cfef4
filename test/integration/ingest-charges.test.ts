/** What records of clients charge, over sockets: docs/behaviour/request-logs.md#records-of-clients. */
import { expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { account } from '../kit/limited-world.ts';
import { memoryLog } from '../kit/request-log.ts';
import { key, TEAM, workspace } from '../kit/snapshot.ts';

const charged = { 'x-gw-override-service-log-usage': 'true' };
const budget = (limit: number) => [{ name: 'main', type: 'tokens' as const, limit }];

const tell = async (world: World, body: object, headers: Readonly<Record<string, string>> = {}) =>
  (await world.send('/v1/logs', { body, headers })).status;

test('budgets of the key and the workspace, where their sender asks for that alone', async () => {
  const told = { request: { url: '/' }, output: { tokens: { requestUnits: 1_100 } } };
  for (const owner of ['key', 'workspace']) {
    await using world = await startWorld({
      requestLog: memoryLog(),
      entries: () => [
        workspace(TEAM, owner === 'workspace' ? { usageLimits: budget(2_000) } : {}),
        key({ scopes: ['logs.write'], ...(owner === 'key' ? { usageLimits: budget(2_000) } : {}) }),
      ],
    });
    const statuses: number[] = [];
    for (const headers of [{}, {}, {}, charged, charged, {}]) statuses.push(await tell(world, told, headers));
    expect([owner, ...statuses]).toEqual([owner, 200, 200, 200, 200, 200, 412]);
  }
});

test('no account, which others share', async () => {
  await using world = await startWorld({
    requestLog: memoryLog(),
    entries: (mock) => [
      key({ scopes: ['logs.write', 'completions.write'] }),
      account(mock, 'shared', { grants: ['*'], usageLimits: budget(100) }, null),
    ],
  });
  const told = {
    request: { url: '/', provider: '@shared' },
    output: { tokens: { requestUnits: 1_000_000 }, cost: { cost: 20_000 } },
  };
  expect([await tell(world, told, charged), await tell(world, told, charged)]).toEqual([200, 200]);
  const asked = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@shared' },
    body: { model: 'gpt-4o', messages: [{ role: 'user', content: 'hello' }] },
  });
  expect(asked.status, asked.text).toBe(200);
});
