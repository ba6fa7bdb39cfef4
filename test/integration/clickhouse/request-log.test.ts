/** The request log in the engine of ClickHouse, over its HTTP interface and through its official client. */
import { randomUUID } from 'node:crypto';
import type { LogRow } from '@gatehouse/crds/logs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClickHouseStore, type LogRecord, type LogStore } from '../../../gateway/src/request-log/index.ts';
import { type ClickHouseServer, startClickHouse } from '../../clickhouse/index.ts';
import { logRow } from '../../kit/log-row.ts';

let server: ClickHouseServer;
let store: LogStore;

beforeAll(async () => {
  server = await startClickHouse();
  store = createClickHouseStore({ url: server.url });
});

afterAll(async () => {
  await store?.close();
  await server?.[Symbol.asyncDispose]();
});

const record = (over: Partial<LogRow> = {}, content?: LogRecord['content']): LogRecord => ({
  row: logRow(over),
  content,
});

const batch = (...records: readonly LogRecord[]) => ({ id: randomUUID(), records });

const one = async (query: string) => (await server.rows(query))[0];

describe('a batch', () => {
  test('is kept as it is, with its documents', async () => {
    const content = { request: { url: '/v1/chat/completions', method: 'POST', body: { text: 'é "quoted" \\ 🙂\n' } } };
    const kept = record({ metadata: { "o'clock": 'a\tb\\n' }, document: 'database', cost_nano: null }, content);
    await store.write(batch(kept, record({ workspace: 'other' })));
    const { id } = kept.row;
    const row = await one(`select * from gateway_logs.logs where id = '${id}'`);
    const { decision, created_at, ...others } = kept.row;
    expect(row).toMatchObject({ ...others, created_at: '2026-01-31 23:59:59.123' });
    expect(created_at).toBe(Date.UTC(2026, 0, 31, 23, 59, 59, 123));
    expect(JSON.parse(String(row?.['decision']))).toEqual(decision);
    const document = await one(`select content from gateway_logs.documents where id = '${id}'`);
    expect(JSON.parse(String(document?.['content']))).toEqual(content);
  });

  test('that comes again counts once, in roll-ups too', async () => {
    const workspace = randomUUID();
    const sent = batch(
      record({ workspace, end_user: 'ada', cost_nano: 5, response_ms: 10, is_final: false }),
      record({ workspace, end_user: 'ada', cost_nano: 7, response_ms: 20, attempt: 1, target_index: 1 }),
    );
    for (let i = 0; i < 3; i += 1) await store.write(sent);
    const where = `where workspace = '${workspace}'`;
    expect(await one(`select count() as n from gateway_logs.logs ${where}`)).toMatchObject({ n: 2 });
    for (const table of ['log_minutes', 'log_hours']) {
      const sums =
        'sum(requests) as requests, sum(attempts) as attempts, sum(cost_nano) as cost, sum(response_ms) as ms';
      expect(await one(`select ${sums} from gateway_logs.${table} ${where}`)).toEqual({
        ...{ requests: 1, attempts: 2, cost: 12, ms: 20 },
      });
    }
    const users = `select end_user, sum(requests) as requests, sum(cost_nano) as cost from gateway_logs.user_hours ${where} group by end_user`;
    expect(await server.rows(users)).toEqual([{ end_user: 'ada', requests: 1, cost: 12 }]);
  });

  test('with text that is none is kept without it', async () => {
    const kept = record({ span_name: 'a\0b\ud800c', metadata: { 'x\0': 'y' } });
    await store.write(batch(kept));
    const row = await one(`select span_name, metadata from gateway_logs.logs where id = '${kept.row.id}'`);
    expect(row).toEqual({ span_name: 'a\ufffdb\ufffdc', metadata: { 'x\ufffd': 'y' } });
  });

  test('that no column takes is refused for ever', async () => {
    const failure = await store.write(batch(record({ id: 'no uuid' }))).catch((error: unknown) => error);
    expect(store.isTemporary(failure)).toBe(false);
  });
});

test('what the server is away for is tried again', async () => {
  const kept = batch(record());
  await server.stop();
  const failure = await store.write(kept).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(store.isTemporary(failure)).toBe(true);
  await server.start();
  await store.write(kept);
  expect(await one(`select count() as n from gateway_logs.logs where id = '${kept.records[0]?.row.id}'`)).toEqual({
    n: 1,
  });
});

test('a wrong password is no reason to drop anything, and is in no error', async () => {
  const password = 'a-secret-password';
  const stranger = createClickHouseStore({ url: server.url.replace(/:[^:@]+@/, `:${password}@`) });
  const failure = await stranger.write(batch(record())).catch((error: unknown) => error);
  expect(stranger.isTemporary(failure)).toBe(true);
  expect(String(failure)).not.toContain(password);
  await stranger.close();
});

test('old days go with all that was summed up of them', async () => {
  const workspace = randomUUID();
  const [old, young] = [Date.UTC(2026, 2, 1, 12), Date.UTC(2026, 2, 2, 12)];
  await store.write(
    batch(
      record({ workspace, created_at: old, end_user: 'ada', document: 'database' }, {}),
      record({ workspace, created_at: young, end_user: 'ada', document: 'database' }, {}),
    ),
  );
  await store.dropBefore(Date.UTC(2026, 2, 2, 1));
  for (const table of ['logs', 'documents', 'log_minutes', 'log_hours', 'user_hours'])
    expect(
      await server.rows(`select count() as n from gateway_logs.${table} where workspace = '${workspace}'`),
      table,
    ).toEqual([{ n: 1 }]);
});
