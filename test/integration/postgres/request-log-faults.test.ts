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
  /** Rows may have `bytes` beyond those of the tables that are there; gives the bytes of feedback that may be there. */
  async function bounded(bytes: number): Promise<number> {
    await world[Symbol.asyncDispose]();
    const [size] = JSON.parse(
      await server.sql(
        `select sum(pg_total_relation_size(c.oid))::int as bytes from pg_class c
         where relnamespace = 'gateway_logs'::regnamespace and relkind = 'r' and relispartition`,
        database,
      ),
    );
    const maxBytes = Math.ceil(((size.bytes + bytes) * 8) / 7);
    env = { GATEHOUSE_LOGS_DATABASE_URL: url, GATEHOUSE_LOGS_DATABASE_BYTES: String(maxBytes) };
    world = await startWorld({ env });
    return maxBytes / 8;
  }
  /** That the gateway counts for one where it does not look at their sizes. */
  const LARGEST_FEEDBACK_BYTES = 72 * 1024;
  let env: Record<string, string>;

  const daysOf = (name: string): string => `select count(*)::int as days from pg_class where relname like '${name}'`;

  const makeDay = (day: '01' | '02', next: '02' | '03'): Promise<string> =>
    server.sql(
      `create table gateway_logs.documents_202601${day} partition of gateway_logs.documents
       for values from ('2026-01-${day}T00:00:00Z') to ('2026-01-${next}T00:00:00Z')`,
      database,
    );
  const hasDay = async (day: '01' | '02'): Promise<boolean> =>
    JSON.parse(await server.sql(daysOf(`documents_202601${day}`), database))[0].days === 1;

  test('the oldest days are dropped, as many as it takes', async () => {
    await makeDay('01', '02');
    await makeDay('02', '03');
    await bounded(4 * MIB); // about 3 MiB of documents in each of two days
    const content = `jsonb_build_object('text', (select string_agg(md5(i::text), '') from generate_series(1, 100000) i))`;
    await server.sql(
      `insert into gateway_logs.documents (id, created_at, workspace, content)
       select gen_random_uuid(), timestamptz '2026-01-01T12:00:00Z' + day * interval '1 day', 'team', ${content}
       from generate_series(0, 1) day`,
      database,
    );
    await send(1);
    await waitFor(async () => (await written()) === 1, { what: 'a row' });
    expect([await hasDay('01'), await hasDay('02')]).toEqual([false, true]);
    expect(await kept()).toEqual({ rows: 2, requests: 2 });
  });

  /** As clients give it, of a KiB each, one a second: the last one is the newest. */
  const giveFeedback = (count: number): Promise<string> =>
    server.sql(
      `insert into gateway_logs.feedback (id, workspace, trace_id, value, weight, metadata, created_at, updated_at)
       select gen_random_uuid(), 'team-' || i % 3, i::text, 1, 1,
         jsonb_build_object('why', (select string_agg(md5((i * 100 + part)::text), '') from generate_series(1, 32) part)), at, at
       from generate_series(1, ${count}) i, lateral (select timestamptz '2026-01-01T12:00:00Z' + i * interval '1 second') as given (at)`,
      database,
    );
  const feedback = async (): Promise<{ readonly count: number; readonly oldest: number }> => {
    const query = 'select count(*)::int as count, min(trace_id::int) as oldest from gateway_logs.feedback';
    return JSON.parse(await server.sql(query, database))[0];
  };
  const sizeOfFeedback = async (): Promise<number> => {
    const query = "select pg_total_relation_size('gateway_logs.feedback')::int as bytes";
    return JSON.parse(await server.sql(query, database))[0].bytes;
  };
  const MUCH = 6_000;
  /** Waits until so many bytes have room for what is there of `MUCH`, and sees that it is the newest, and not much less. */
  const untilNewestFit = async (bytes: number): Promise<void> => {
    const most = (bytes * MUCH) / sizeOfMuch;
    await waitFor(async () => (await feedback()).count <= most, { what: `at most ${most} feedbacks` });
    const { count, oldest } = await feedback();
    expect(count).toBeGreaterThan(most / 2);
    expect(oldest).toBe(MUCH - count + 1);
  };
  let sizeOfMuch = 0;
  const giveMuch = async (): Promise<void> => {
    await giveFeedback(MUCH);
    sizeOfMuch = await sizeOfFeedback();
  };

  test('of much feedback the newest stays, and no day of rows goes for it', async () => {
    await makeDay('01', '02');
    const most = await bounded(4 * MIB);
    await giveMuch();
    await send(1);
    await waitFor(async () => (await written()) === 1, { what: 'a row' });
    await untilNewestFit(most);
    expect(await hasDay('01')).toBe(true);
    expect(await kept()).toEqual({ rows: 2, requests: 2 });
  });

  test('no feedback takes more than it counts as', async () => {
    const text = (length: number, row = 'i'): string =>
      `(select string_agg(chr(20000 + (random() * 20000)::int), '') from generate_series(1, ${length} + 0 * ${row}))`; // for each row anew
    const before = await sizeOfFeedback();
    const count = 20;
    await server.sql(
      `insert into gateway_logs.feedback
         (id, workspace, trace_id, value, weight, metadata, api_key, key_user, guardrail, created_at, updated_at)
       select gen_random_uuid(), ${text(63)}, ${text(256)}, 1, 1,
         (select jsonb_object_agg(${text(128, 'member')}, ${text(128, 'member')}) from generate_series(1, 64 + 0 * i) member) ||
           jsonb_build_object('successfulChecks', ${text(1_024)}, 'failedChecks', ${text(1_024)}, 'erroredChecks', ${text(1_024)}),
         ${text(128)}, ${text(128)}, ${text(128)}, now(), now()
       from generate_series(1, ${count}) i`,
      database,
    );
    const each = ((await sizeOfFeedback()) - before) / count;
    expect(each).toBeLessThan(LARGEST_FEEDBACK_BYTES);
    expect(each).toBeGreaterThan(LARGEST_FEEDBACK_BYTES * 0.8); // what is inserted is the largest
  });

  test('feedback of guardrails from before the oldest day of rows goes, that of clients stays', async () => {
    await makeDay('02', '03');
    await bounded(64 * MIB);
    await giveFeedback(2); // of the day before
    await server.sql(`update gateway_logs.feedback set guardrail = 'judge' where trace_id = '1'`, database);
    await send(1);
    await waitFor(async () => (await feedback()).count === 1, { what: 'one feedback' });
    expect(await feedback()).toEqual({ count: 1, oldest: 2 });
  });

  test('gateways that bound feedback at the same time agree on what goes', async () => {
    const most = await bounded(4 * MIB);
    await using other = await startWorld({ env });
    await giveMuch();
    const path = '/v1/chat/completions';
    await Promise.all([send(1), other.send(path, { headers: { 'x-gw-provider': '@openai' }, body })]);
    await waitFor(async () => (await kept()).rows === 3, { what: 'both rows' });
    await untilNewestFit(most);
  });

  test.for([
    { what: 'reads feedback', statement: 'select count(*) from gateway_logs.feedback', isInTheWay: false },
    {
      what: 'changes feedback',
      statement: 'update gateway_logs.feedback set value = 2 where trace_id = $$1$$',
      isInTheWay: false,
    },
    { what: 'locks feedback', statement: 'lock table gateway_logs.feedback', isInTheWay: true },
  ])('a transaction that $what holds up no row', async ({ statement, isInTheWay }) => {
    const most = await bounded(MIB);
    await giveMuch();
    const holder = new Client({ connectionString: url });
    await holder.connect();
    try {
      await holder.query('begin');
      await holder.query(statement);
      await send(1);
      await waitFor(async () => (await written()) === 1, { what: 'a row' });
      if (!isInTheWay) await waitFor(async () => (await feedback()).count < MUCH / 2, { what: 'less feedback' });
      await holder.query('rollback');
      if (isInTheWay) await untilNewestFit(most);
    } finally {
      await holder.end();
    }
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
