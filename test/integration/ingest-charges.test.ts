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

test('once, however often a record or a span is sent', async () => {
  await using world = await startWorld({
    requestLog: memoryLog(),
    entries: () => [workspace(TEAM, { usageLimits: budget(2_000) }), key({ scopes: ['logs.write'] })],
  });
  const createdAt = Date.now();
  const told = {
    request: { url: '/' },
    output: { tokens: { requestUnits: 900 } },
    trace_id: 't',
    span_id: 's',
    createdAt,
  };
  const nanos = `${createdAt}000000`;
  const attribute = (name: string, value: number) => ({ key: name, value: { intValue: String(value) } });
  const span = {
    ...{ traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), startTimeUnixNano: nanos, endTimeUnixNano: nanos },
    attributes: [attribute('gen_ai.usage.input_tokens', 900)],
  };
  const traces = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  for (let i = 0; i < 4; i += 1) {
    expect(await tell(world, told, charged)).toBe(200);
    expect((await world.send('/v1/otel/v1/traces', { body: traces, headers: charged })).status).toBe(200);
  }
  expect(await tell(world, { ...told, span_id: 'other' }, charged)).toBe(200);
  expect(await tell(world, told, charged)).toBe(412);
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

test('a record that comes again has its id, and another one when anything differs', async () => {
  const log = memoryLog();
  const OTHER_KEY = 'gwk_of_the_other_team_0123456789';
  await using world = await startWorld({
    requestLog: log,
    entries: () => [
      key({ scopes: ['logs.write'] }),
      workspace('team-b'),
      key({ name: 'other', secret: OTHER_KEY, workspace: 'team-b', scopes: ['logs.write'] }),
    ],
  });
  const createdAt = Date.now() - 1_000;
  const once = { request: { url: '/', body: { model: 'm' } }, trace_id: 'again', span_id: 'span-1', createdAt };
  const idsOf = async (body: object, headers: Readonly<Record<string, string>> = {}): Promise<readonly string[]> => {
    const before = log.records.length;
    expect(await tell(world, body, headers)).toBe(200);
    return log.records.slice(before).map(({ row }) => row.id);
  };
  const [first] = await idsOf(once);
  expect(await idsOf([once, { ...once }])).toEqual([first, first]);
  const others = [
    ...(await idsOf(once, { 'x-gw-api-key': OTHER_KEY })),
    ...(await idsOf([
      { ...once, span_id: 'span-2' },
      { ...once, trace_id: 'other' },
      { ...once, createdAt: createdAt - 1 },
      { ...once, response: { status: 500 } },
      { ...once, createdAt: undefined },
      { ...once, createdAt: undefined },
      { ...once, span_id: undefined },
    ])),
  ];
  expect(new Set([first, ...others]).size).toBe(9);
});
