/** Requests through a gateway, and what the request log in PostgreSQL then has of them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import { type PostgresServer, startPostgres } from '../../kit/postgres.ts';
import { config } from '../../kit/snapshot.ts';
import { waitFor } from '../../kit/wait-for.ts';

const FALLBACK = {
  strategy: { mode: 'fallback' },
  targets: [
    { provider: '@openai', override_params: { model: 'mock-fail-503' } },
    { provider: '@openai', override_params: { model: 'mock-small' } },
  ],
};

const body = { model: 'mock-small', user: 'ada', messages: [{ role: 'user', content: 'canary-9f2e' }] };

let server: PostgresServer;
let database: string;
let world: World;

beforeAll(async () => {
  server = await startPostgres();
  const url = await server.database();
  database = new URL(url).pathname.slice(1);
  world = await startWorld({
    env: { GATEHOUSE_LOGS_DATABASE_URL: url },
    entries: () => [config('cheap', FALLBACK)],
  });
});

afterAll(async () => {
  await world?.[Symbol.asyncDispose]();
  await server?.[Symbol.asyncDispose]();
});

type Row = Readonly<Record<string, unknown>>;

/** The rows of a trace, once there are so many. */
const rowsOf = (trace: string, count: number): Promise<readonly Row[]> =>
  waitFor(
    async () => {
      const query = `select * from gateway_logs.logs where trace_id = '${trace}' order by attempt`;
      const rows: readonly Row[] = JSON.parse(await server.sql(query, database).catch(() => '[]')); // no table yet
      return rows.length >= count ? rows : undefined;
    },
    { what: `${count} rows of ${trace}` },
  );

const chat = (headers: Record<string, string>, over: object = {}) =>
  world.send('/v1/chat/completions', { headers, body: { ...body, ...over } });

test('each target of a request has a row, and the sums are those of the answer', async () => {
  const answer = await chat({ 'x-gw-config': 'cheap', 'x-gw-trace-id': 'both' });
  expect(answer.status).toBe(200);
  const [failed, good] = await rowsOf('both', 2);
  expect(failed).toMatchObject({ status: 503, is_final: false, target: 'config.targets[0]', account: 'openai' });
  expect(good).toMatchObject({
    ...{ status: 200, is_final: true, target_index: 1, config: 'cheap', mode: 'fallback', end_user: 'ada' },
    ...{ workspace: 'team-a', operation: 'chatComplete', provider: 'openai', model: 'mock-small', source: 'unified' },
  });
  const { usage } = JSON.parse(answer.text);
  expect([good?.['input_tokens'], good?.['output_tokens']].map(Number)).toEqual([
    usage.prompt_tokens,
    usage.completion_tokens,
  ]);
  expect(good?.['request_id']).toBe(failed?.['request_id']);
});

test('a stream has a row after its last byte', async () => {
  const answer = await chat({ 'x-gw-provider': '@openai', 'x-gw-trace-id': 'stream' }, { stream: true });
  expect(answer.text).toContain('[DONE]');
  const [row] = await rowsOf('stream', 1);
  expect(row).toMatchObject({ is_stream: true, status: 200 });
  expect(Number(row?.['last_byte_ms'])).toBeGreaterThanOrEqual(Number(row?.['response_ms']));
});

test('a refusal has a row, and a stranger has none', async () => {
  const refused = await chat({ 'x-gw-provider': '@nobody', 'x-gw-trace-id': 'refused' });
  expect(refused.status).toBe(400);
  await chat({ 'x-gw-api-key': 'gwk_stranger', 'x-gw-trace-id': 'stranger' });
  const [row] = await rowsOf('refused', 1);
  expect(row).toMatchObject({ status: 400, provider: null, is_final: true });
  await chat({ 'x-gw-provider': '@openai', 'x-gw-trace-id': 'after' });
  await rowsOf('after', 1);
  const strangers = await server.sql(`select 1 from gateway_logs.logs where trace_id = 'stranger'`, database);
  expect(JSON.parse(strangers)).toEqual([]);
});

test('rows have no text of the client and no credential', async () => {
  await chat({ 'x-gw-provider': '@openai', 'x-gw-trace-id': 'canary' });
  const text = JSON.stringify(await rowsOf('canary', 1));
  expect(text).not.toContain('canary-9f2e');
  expect(text).not.toContain('gwk_');
});

test('requests go on while PostgreSQL is away, and their rows come when it is back', async () => {
  await server.stop();
  expect((await chat({ 'x-gw-provider': '@openai', 'x-gw-trace-id': 'away' })).status).toBe(200);
  await waitFor(async () => ((await world.metric('gatehouse_request_log_waiting_bytes')) ?? 0) > 0, {
    what: 'a row that waits',
  });
  await server.start();
  await rowsOf('away', 1);
  await waitFor(async () => (await world.metric('gatehouse_request_log_waiting_bytes')) === 0, {
    what: 'no row that waits',
  });
});

test('a gateway that ends writes what waits', async () => {
  const url = await server.database();
  const ending = await startWorld({ env: { GATEHOUSE_LOGS_DATABASE_URL: url } });
  const sent = await ending.send('/v1/chat/completions', { headers: { 'x-gw-provider': '@openai' }, body });
  expect(sent.status).toBe(200);
  await ending[Symbol.asyncDispose]();
  const rows = JSON.parse(await server.sql('select status from gateway_logs.logs', new URL(url).pathname.slice(1)));
  expect(rows).toEqual([{ status: 200 }]);
});
