/** Every question about the request log has the same answer in ClickHouse as in PostgreSQL. */
import { randomUUID } from 'node:crypto';
import type { LogRow } from '@gatehouse/crds/logs';
import { startPostgres, unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClickHouseStore, createPostgresStore, type LogRecord } from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { postgresDialect as dialectOfStore } from '../../../gateway/src/store/index.ts';
import { postgresDialect } from '../../../operator/src/management/database/index.ts';
import {
  connectClickHouse,
  createClickHouseReader,
  createLogDatabase,
  createPostgresReader,
  type LogFilter,
  type LogReader,
  type Page,
  type SumOptions,
  type TimeWidth,
} from '../../../operator/src/management/logs/index.ts';
import { startClickHouse } from '../../clickhouse/index.ts';
import { logFeedback, logRow } from '../../kit/log-row.ts';

const FROM = Date.UTC(2026, 2, 30, 22, 41, 7, 250);
const TO = Date.UTC(2026, 3, 2, 3, 12, 55, 1);
const COUNT = 400;
/** With feedback, and without rows: more than a parameter of ClickHouse takes at once. */
const OTHER_TRACES = 5_000;

/** The same each time: differences have to be found again. */
function* numbers(seed: number): Generator<number> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    yield state;
  }
}
const random = numbers(7);
const next = (below: number): number => Math.floor(((random.next().value ?? 0) / 2_147_483_648) * below);
const pick = <T>(values: readonly T[]): T => values[next(values.length)] as T; // there are values

const CONTENT = JSON.stringify({ request: { url: '/v1/chat/completions', method: 'POST', body: { a: "o'clock" } } });

function someRow(index: number): LogRecord {
  const row = logRow({
    workspace: pick(['team-a', 'team-b']),
    created_at: FROM - 3_600_000 + next(TO - FROM + 7_200_000),
    trace_id: `trace-${next(COUNT / 2)}`,
    api_key: pick(['key/a', 'key/b', null]),
    key_user: pick(['ada', 'bob', null]),
    end_user: pick(['u1', 'u2', 'u3', null]),
    provider: pick(['openai', 'anthropic', null]),
    account: pick(['main', 'backup', null]),
    model: pick(['gpt', "cla'ude", null]),
    config: pick(['cheap', null]),
    prompt: pick(['ask', null]),
    status: pick([200, 200, 246, 429, 500]),
    is_final: pick([true, true, false]),
    cache: pick(['HIT', 'SEMANTIC HIT', 'MISS', null] as const),
    retries: pick([-1, 0, 1, 2]),
    target_index: pick([0, 1, 2, null]),
    fell_back: pick([true, false]),
    response_ms: pick([0.4, 12, 130, 45_000]),
    input_tokens: next(1_000),
    output_tokens: next(1_000),
    total_tokens: next(2_000),
    cost_nano: pick([null, 5_000, 700_000]),
    span_id: pick(['span', null]),
    metadata: pick<LogRow['metadata']>([{ team: 'red' }, { team: 'blue', "it's": 'x\ty' }, {}]),
    document: index === 0 ? 'database' : 'none',
  });
  return { row, content: index === 0 ? CONTENT : undefined };
}

const RECORDS = Array.from({ length: COUNT }, (_, index) => someRow(index));
/** Rows of clients, and a request that the gateway has served with the same trace: before all others. */
const BEFORE = FROM - 30 * 86_400_000;
const SERVED = logRow({ trace_id: 'trace-of-both', created_at: BEFORE, source: 'proxy' });
const OF_CLIENTS = ['trace-of-both', 'trace-of-clients'].flatMap((trace_id) =>
  [1_000, 2_000].map((ms) => logRow({ trace_id, created_at: BEFORE + ms, source: 'log' })),
);
/** On traces that people say something of, too, and on others, some without rows; a second after their rows. */
const OF_GUARDRAILS = RECORDS.slice(40, 140).map(({ row }, i) =>
  logFeedback({
    ...{ workspace: row.workspace, trace_id: i % 10 === 0 ? `trace-without-rows-${i}` : row.trace_id },
    ...{ value: (i % 7) - 3, weight: i % 2 === 0 ? 1 : 0.5, created_at: row.created_at + 1_000 },
  }),
);
const EVERYBODY = { workspaces: undefined, people: undefined, apiKey: undefined };
const ALL: LogFilter = { visible: EVERYBODY, from: FROM, to: TO };

const FILTERS: Readonly<Record<string, LogFilter>> = {
  everything: ALL,
  'a workspace': { ...ALL, visible: { ...EVERYBODY, workspaces: ['team-a'] } },
  'no workspace': { ...ALL, visible: { ...EVERYBODY, workspaces: [] } },
  'a person': { ...ALL, visible: { ...EVERYBODY, workspaces: ['team-b'], people: ['ada', 'x'] } },
  'a key': { ...ALL, visible: { ...EVERYBODY, apiKey: 'key/a' } },
  'keys and accounts': { ...ALL, apiKeys: ['key/a', 'key/b'], accounts: ['main'] },
  models: { ...ALL, models: [{ provider: 'anthropic', model: "cla'ude" }] },
  'models of any provider': { ...ALL, modelNames: ["cla'ude", 'none'] },
  'configs and prompts': { ...ALL, configs: ['cheap'], prompts: ['ask'] },
  statuses: { ...ALL, statuses: [429, 500] },
  traces: { ...ALL, traces: ['trace-1', 'trace-2', 'trace-3'] },
  spans: { ...ALL, spans: ['span', RECORDS[5]?.row.id ?? ''] },
  tokens: { ...ALL, inputTokens: { min: 100 }, outputTokens: { max: 900 }, totalTokens: { min: 10, max: 1_500 } },
  cost: { ...ALL, costNano: { min: 1, max: 600_000 } },
  metadata: { ...ALL, metadata: { team: 'blue', "it's": 'x\ty' } },
  'metadata that is SQL': { ...ALL, metadata: { "' or 1 = 1 --": "' or 1 = 1 --" } },
  feedback: { ...ALL, feedback: { min: -1, max: 3 } },
  'a short time': { ...ALL, from: FROM, to: FROM + 45_000 },
  'an hour or so': { ...ALL, from: FROM, to: FROM + 4_000_000 },
};

const SUMS: readonly SumOptions[] = [
  { by: [] },
  { by: [], width: 'minute' },
  { by: ['status'], width: 'hour', withTimes: true },
  { by: ['provider', 'model'], width: 'day' },
  { by: ['status', 'retries'], width: 'week', withFallbacks: true },
  { by: ['model'], width: 'minute', withFallbacks: true, withTimes: true },
  { by: ['workspace', 'api_key'], page: { limit: 2, offset: 1 } },
  { by: ['cache'], page: { limit: 2, offset: 50 } },
];

type Database = ReturnType<typeof createLogDatabase>;
let readers: { readonly postgres: LogReader; readonly clickhouse: LogReader };
const closing: (() => Promise<unknown>)[] = [];

beforeAll(async () => {
  const postgres = await startPostgres();
  const clickhouse = await startClickHouse();
  const url = await postgres.database();
  const stores = [createPostgresStore(dialectOfStore({ url })), createClickHouseStore({ url: clickhouse.url })];
  for (const store of stores) {
    await writeRecords(store, RECORDS);
    const records = [SERVED, ...OF_CLIENTS].map((row) => ({ row, content: undefined }));
    await writeRecords(store, records);
    // Some come again, in another batch.
    for (const given of [OF_GUARDRAILS, OF_GUARDRAILS.slice(0, 20)])
      await store.writeFeedback({ id: randomUUID(), records: given });
    await store.close();
  }
  // The rows of ClickHouse stand beside a database that has what people say, and no rows.
  const urls = [url, await postgres.database()];
  const databases = urls.map((one) =>
    createLogDatabase({ dialect: unwrap(postgresDialect({ url: one })), onAway: () => undefined }),
  );
  const [ofRows, ofPeople] = databases as [Database, Database]; // as many as URLs
  const connection = unwrap(connectClickHouse({ url: clickhouse.url, onAway: () => undefined }));
  const feedback = RECORDS.slice(0, 60).map(({ row }, i) => {
    const at = new Date(row.created_at).toISOString();
    return `('${randomUUID()}', '${row.workspace}', '${row.trace_id}', ${(i % 21) - 10}, 0.5, '{}', '${at}', '${at}')`;
  });
  for (const [at, database] of databases.entries()) {
    await database.use(async () => undefined); // makes the tables
    const name = new URL(urls[at] ?? '').pathname.slice(1);
    await postgres.sql(
      `insert into gateway_logs.feedback (id, workspace, trace_id, value, weight, metadata, created_at, updated_at) values ${feedback.join(', ')}`,
      name,
    );
    await postgres.sql(
      `insert into gateway_logs.feedback (id, workspace, trace_id, value, weight, metadata, created_at, updated_at)
       select gen_random_uuid(), 'team-a', 'trace-of-nobody-${'x'.repeat(24)}-' || i, 1, 0.5, '{}', now(), now() from generate_series(1, ${OTHER_TRACES}) i`,
      name,
    );
    closing.push(() => database.close());
  }
  readers = {
    postgres: createPostgresReader(ofRows),
    clickhouse: createClickHouseReader({ ...connection, feedback: ofPeople }),
  };
  closing.push(
    () => connection.close(),
    async () => clickhouse[Symbol.asyncDispose](),
    async () => postgres[Symbol.asyncDispose](),
  );
});

afterAll(async () => {
  for (const close of closing) await close();
});

async function expectSame<T>(ask: (reader: LogReader) => Promise<T>): Promise<T> {
  const wanted = await ask(readers.postgres);
  expect(rounded(await ask(readers.clickhouse))).toEqual(rounded(wanted));
  return wanted;
}

/** Sums of fractions depend on their order. */
const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_, one: unknown) => (typeof one === 'number' ? Number(one.toFixed(6)) : one)));

describe.for(Object.entries(FILTERS))('asked for %s', ([, filter]) => {
  test('the rows are the same', async () => {
    await expectSame((reader) => reader.list(filter, { limit: 500, offset: 0 }));
    await expectSame((reader) => reader.list(filter, { limit: 3, offset: 2 }));
  });

  test('sums are the same', async () => {
    for (const options of SUMS) await expectSame((reader) => reader.sum(filter, options));
  });

  test('users are the same', async () => {
    for (const width of ['minute', 'day'] as const) await expectSame((reader) => reader.users(filter, width));
  });

  test('labels are the same', async () => {
    const page = { limit: 2, offset: 0 };
    await expectSame((reader) => reader.labels(filter, 'end_user', page));
    await expectSame((reader) => reader.labels(filter, { metadata: 'team' }, page));
    await expectSame((reader) => reader.labels(filter, { metadata: "it's" }, page));
  });

  test('feedback is the same', async () => {
    for (const key of ['time', 'value', 'model'] as const)
      for (const width of ['hour', 'week'] satisfies TimeWidth[])
        await expectSame((reader) => reader.feedback(filter, key, width));
  });
});

test.for(['postgres', 'clickhouse'] as const)(
  'rows behind a row are all others, each once, in %s',
  async (database) => {
    const reader = readers[database];
    const wanted = (await reader.list(ALL, { limit: 500, offset: 0 })).map(({ id }) => id);
    const ids: string[] = [];
    for (let before: LogRow | undefined; ; ) {
      const page = await reader.list(ALL, { limit: 37, offset: 0 }, before);
      before = page.at(-1);
      ids.push(...page.map(({ id }) => id));
      if (page.length < 37) break;
    }
    expect(ids).toEqual(wanted);
  },
);

describe.for(['postgres', 'clickhouse'] as const)('sums in pages, in %s', (database) => {
  const asked = {
    sums: (page: Page) => readers[database].sum(ALL, { by: ['workspace', 'api_key'], page }),
    users: (page: Page) => readers[database].labels(ALL, 'end_user', page),
    metadata: (page: Page) => readers[database].labels(ALL, { metadata: 'team' }, page),
  };

  test.for(Object.entries(asked))('of %s are all of them, each once, with one total', async ([, ask]) => {
    const { sums: all, total } = await ask({ limit: 100, offset: 0 });
    expect(total).toBe(all.length);
    expect(total).toBeGreaterThan(1);
    for (const offset of [1, total - 1, total])
      expect(rounded(await ask({ limit: 2, offset }))).toEqual(rounded({ sums: all.slice(offset, offset + 2), total }));
  });

  test('are none where there is nothing', async () => {
    const none: LogFilter = { ...ALL, traces: ['no such trace'] };
    for (const offset of [0, 3])
      expect(await readers[database].labels(none, 'end_user', { limit: 2, offset })).toEqual({ sums: [], total: 0 });
  });
});

test('there is something to compare', async () => {
  const { sums } = await readers.clickhouse.sum(ALL, { by: [] });
  expect(sums[0]?.attempts).toBeGreaterThan(COUNT / 2);
  expect((await readers.clickhouse.feedback(ALL, 'value', 'day')).length).toBeGreaterThan(5);
  expect((await readers.clickhouse.list(FILTERS['metadata'] ?? ALL, { limit: 500, offset: 0 })).length).toBeGreaterThan(
    9,
  );
});

test('a row is found by its id and by its trace, with its document, and not by those who may not see it', async () => {
  const [first] = RECORDS;
  const { id, trace_id, created_at, workspace } = first?.row ?? logRow();
  expect(await expectSame((reader) => reader.find(id, EVERYBODY))).toMatchObject({ id });
  await expectSame((reader) => reader.find(trace_id, EVERYBODY));
  await expectSame((reader) => reader.find(id, EVERYBODY, created_at));
  expect(await expectSame((reader) => reader.find(id, EVERYBODY, created_at - 3 * 86_400_000).then(String))).toBe(
    'undefined',
  );
  const others = { ...EVERYBODY, workspaces: [workspace === 'team-a' ? 'team-b' : 'team-a'] };
  expect(await readers.clickhouse.find(id, others)).toBeUndefined();
  expect(await readers.clickhouse.content({ id, created_at })).toBe(CONTENT);
});

test('feedback of guardrails that came twice counts once', async () => {
  const visible = { ...EVERYBODY, workspaces: ['team-a', 'team-b'] };
  const given = await readers.clickhouse.feedback(
    { visible, from: FROM - 86_400_000, to: TO + 86_400_000 },
    'value',
    'day',
  );
  expect(given.reduce((sum, { count }) => sum + count, 0)).toBe(60 + OF_GUARDRAILS.length);
});

test.for([
  { trace: 'trace-of-both', wanted: SERVED, rule: 'that the gateway has served' },
  { trace: 'trace-of-clients', wanted: OF_CLIENTS.at(-1), rule: 'of clients alone, the newest one' },
])('of a trace the row is found $rule', async ({ trace, wanted }) => {
  const found = await expectSame((reader) => reader.find(trace, EVERYBODY));
  expect(found?.id).toBe(wanted?.id);
});
