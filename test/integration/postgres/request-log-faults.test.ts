/** PostgreSQL that is slow, read-only, full, away or crashing: requests go on, and each row is written once or counted as dropped. */
import { Client } from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import { type PostgresServer, startPostgres } from '../../kit/postgres.ts';
import { waitFor } from '../../kit/wait-for.ts';

const MIB = 1024 * 1024;

let server: PostgresServer;
let url: string;
let database: string;
let world: World;

beforeAll(async () => {
  server = await startPostgres();
});
afterAll(async () => {
  await server?.[Symbol.asyncDispose]();
});

beforeEach(async () => {
  url = await server.database();
  database = new URL(url).pathname.slice(1);
  world = await startWorld({ env: { GATEHOUSE_LOGS_DATABASE_URL: url, GATEHOUSE_LOGS_QUEUE_BYTES: String(MIB) } });
  await send(1);
  await waitFor(async () => (await written()) === 1, { what: 'the first row' });
});
afterEach(async () => {
  await world?.[Symbol.asyncDispose]();
});

const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hello' }] };
const AT_ONCE = 16;

/** Every one of them has to be answered. */
async function send(count: number): Promise<void> {
  let left = count;
  const some = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const { status } = await world.send('/v1/chat/completions', { headers: { 'x-gw-provider': '@openai' }, body });
      expect(status).toBe(200);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, some));
}

const written = () => world.metric('gatehouse_request_log_written_total');
const dropped = () => world.metric('gatehouse_request_log_dropped_total');
const waiting = () => world.metric('gatehouse_request_log_waiting_bytes');

const untilSettled = (rows: number) =>
  waitFor(async () => (await written()) + (await dropped()) === rows, { what: `the end of ${rows} rows` });

async function kept(): Promise<{ readonly rows: number; readonly requests: number }> {
  const query = `select (select count(*)::int from gateway_logs.logs) as rows,
    (select sum(requests)::int from gateway_logs.log_minutes) as requests`;
  return JSON.parse(await server.sql(query, database))[0];
}

/** For connections that are made later; those that are there are ended. */
async function setReadOnly(value: 'on' | 'off'): Promise<void> {
  // One after the other: a connection that is made before the setting is committed would not have it.
  await server.sql(`alter database "${database}" set default_transaction_read_only = ${value}`);
  await server.sql(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${database}'`);
}

test('a database that takes no writes for a while loses nothing', async () => {
  await setReadOnly('on');
  await send(20);
  await waitFor(async () => (await waiting()) > 0, { what: 'rows that wait' });
  await setReadOnly('off');
  await untilSettled(21);
  expect(await kept()).toEqual({ rows: 21, requests: 21 });
  expect(await dropped()).toBe(0);
});

test('a database that says that its disk is full loses nothing once there is room', async () => {
  await server.sql('create sequence gateway_logs.refusals', database); // goes on where a transaction is taken back
  await server.sql(
    `create function gateway_logs.refuse() returns trigger language plpgsql as
      $$ begin perform nextval('gateway_logs.refusals'); raise exception 'no space' using errcode = 'disk_full'; end $$`,
    database,
  );
  const full = 'before insert on gateway_logs.logs for each statement execute function gateway_logs.refuse()';
  await server.sql(`create trigger full_disk ${full}`, database);
  await send(20);
  const isRefused = 'select is_called from gateway_logs.refusals';
  await waitFor(async () => JSON.parse(await server.sql(isRefused, database))[0].is_called, {
    what: 'a refused batch',
  });
  expect(await written()).toBe(1);
  await server.sql('drop trigger full_disk on gateway_logs.logs', database);
  await untilSettled(21);
  expect(await kept()).toEqual({ rows: 21, requests: 21 });
  expect(await dropped()).toBe(0);
});

test('no request waits for a table that is locked', async () => {
  const holder = new Client({ connectionString: url });
  await holder.connect();
  try {
    await holder.query('begin');
    await holder.query('lock table gateway_logs.logs in access exclusive mode');
    await send(20); // they would never be answered if one of them waited
    await waitFor(async () => (await waiting()) > 0, { what: 'rows that wait' });
    expect(await written()).toBe(1);
    await holder.query('rollback');
  } finally {
    await holder.end();
  }
  await untilSettled(21);
  expect(await kept()).toEqual({ rows: 21, requests: 21 });
  expect(await dropped()).toBe(0);
});

test('of more rows than there is room for the oldest are dropped and counted', async () => {
  await server.stop();
  for (let i = 0; i < 10; i += 1) {
    await send(100);
    expect(await waiting()).toBeLessThanOrEqual(MIB);
  }
  expect(await world.metric('gatehouse_request_log_dropped_total', { reason: 'queue_full' })).toBeGreaterThan(0);
  await server.start();
  await untilSettled(1_001);
  const rows = await written();
  expect(await kept()).toEqual({ rows, requests: rows });
});

test('a database that crashes while rows are written has each of them once', async () => {
  for (let i = 0; i < 3; i += 1) {
    const before = await written();
    const sending = send(100);
    await waitFor(async () => (await written()) > before || (await waiting()) > 0, { what: 'a row' });
    await server.stop();
    await server.start();
    await sending;
  }
  await untilSettled(301);
  expect(await kept()).toEqual({ rows: 301, requests: 301 });
  expect(await dropped()).toBe(0);
});

describe('of a log that may take so many bytes', () => {
  /** `bytes` beyond those of empty tables. */
  async function bounded(bytes: number): Promise<void> {
    await world[Symbol.asyncDispose]();
    const [size] = JSON.parse(
      await server.sql(
        `select sum(pg_total_relation_size(c.oid))::int as bytes from pg_class c
         where relnamespace = 'gateway_logs'::regnamespace and relkind = 'r'`,
        database,
      ),
    );
    const maxBytes = String(size.bytes + bytes);
    world = await startWorld({ env: { GATEHOUSE_LOGS_DATABASE_URL: url, GATEHOUSE_LOGS_DATABASE_BYTES: maxBytes } });
  }

  const daysOf = (name: string): string => `select count(*)::int as days from pg_class where relname like '${name}'`;

  test('the oldest days are dropped', async () => {
    const old = 'gateway_logs.documents_20260101';
    const bounds = "for values from ('2026-01-01T00:00:00Z') to ('2026-01-02T00:00:00Z')";
    await server.sql(`create table ${old} partition of gateway_logs.documents ${bounds}`, database);
    await bounded(MIB);
    const content = `jsonb_build_object('text', (select string_agg(md5(i::text), '') from generate_series(1, 100000) i))`;
    await server.sql(
      `insert into gateway_logs.documents (id, created_at, workspace, content)
       values (gen_random_uuid(), '2026-01-01T12:00:00Z', 'team', ${content})`,
      database,
    );
    await send(1);
    await waitFor(async () => (await written()) === 1, { what: 'a row' });
    expect(JSON.parse(await server.sql(daysOf('documents_20260101'), database))).toEqual([{ days: 0 }]);
    expect(await kept()).toEqual({ rows: 2, requests: 2 });
  });

  /** As clients give it, of so many KiB each; `at`: SQL of an instant. */
  const giveFeedback = (count: number, at: string): Promise<string> =>
    server.sql(
      `insert into gateway_logs.feedback (id, workspace, trace_id, value, weight, metadata, created_at, updated_at)
       select gen_random_uuid(), 'team-' || i % 3, 'trace', 1, 1,
         jsonb_build_object('why', (select string_agg(md5((i * 100 + part)::text), '') from generate_series(1, 32) part)), ${at}, ${at}
       from generate_series(1, ${count}) i`,
      database,
    );
  const OLD = "timestamptz '2026-01-01T12:00:00Z'";
  const feedbackOf = async (at: string): Promise<number> => {
    const query = `select count(*)::int as kept from gateway_logs.feedback where date_trunc('day', created_at) = date_trunc('day', ${at})`;
    return JSON.parse(await server.sql(query, database))[0].kept;
  };

  test('what clients say goes with the days of the rows', async () => {
    const bounds = "for values from ('2026-01-01T00:00:00Z') to ('2026-01-02T00:00:00Z')";
    await server.sql(
      `create table gateway_logs.logs_20260101 partition of gateway_logs.logs ${bounds};
       create table gateway_logs.documents_20260101 partition of gateway_logs.documents ${bounds}`,
      database,
    );
    await giveFeedback(10, OLD);
    await giveFeedback(10, 'now()');
    await bounded(-1);
    await send(1);
    await waitFor(async () => (await written()) === 1, { what: 'a row' });
    expect(JSON.parse(await server.sql(daysOf('logs_20260101'), database))).toEqual([{ days: 0 }]);
    expect([await feedbackOf(OLD), await feedbackOf('now()')]).toEqual([0, 10]);
  });

  test('what clients have said in days without rows makes room, too', async () => {
    await bounded(MIB);
    await giveFeedback(4_000, OLD);
    await giveFeedback(4_000, `${OLD} + interval '1 day'`);
    await giveFeedback(10, 'now()');
    await send(1);
    await waitFor(async () => (await written()) === 1, { what: 'a row' });
    expect([await feedbackOf(OLD), await feedbackOf('now()')]).toEqual([0, 10]);
    expect(await kept()).toEqual({ rows: 2, requests: 2 });
  });

  test('rows wait while the present day alone takes more, and are written when there is room', async () => {
    await bounded(-1);
    await send(1);
    const isBehind = async (): Promise<boolean> => (await world.metric('gatehouse_request_log_oldest_seconds')) > 1;
    await waitFor(isBehind, { what: 'a row that waits longer than a batch' });
    expect(await written()).toBe(0);
    await server.sql('truncate gateway_logs.logs', database); // a day that is over would be dropped
    await waitFor(async () => (await written()) === 1, { what: 'the row' });
    expect(await dropped()).toBe(0);
  });
});
