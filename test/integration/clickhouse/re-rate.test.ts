/** Prices in hindsight, in the engine of ClickHouse: rows and their sums, as they are read. */
import type { LogRow } from '@gatehouse/crds/logs';
import { startPostgres, unwrap, waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import {
  type ClickHouseReRateOptions,
  createClickHouseStore,
  type ReRatedRow,
  reRateClickHouse,
} from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { postgresDialect } from '../../../operator/src/management/database/index.ts';
import {
  connectClickHouse,
  createClickHouseReader,
  createLogDatabase,
  type LogFilter,
  type LogReader,
} from '../../../operator/src/management/logs/index.ts';
import { runInTest } from '../../../standalone/src/cli/testing.ts';
import { startGatehouse, tempFolder } from '../../../standalone/src/testing/index.ts';
import { type ClickHouseServer, startClickHouse } from '../../clickhouse/index.ts';
import { FIRST_COST, HOUR, kinds, NEW_COST, pricesOf, RATED, rated, START, some } from '../suites/re-rate.ts';

const VISIBLE = { workspaces: undefined, people: undefined, apiKey: undefined };
/** Whole hours: sums come from roll-ups alone. */
const ALL: LogFilter = { visible: VISIBLE, from: START - HOUR / 2, to: START + HOUR * 47.5 };

let server: ClickHouseServer;
let reader: LogReader;
const closing: (() => unknown)[] = [];
beforeAll(async () => {
  server = await startClickHouse();
  closing.unshift(() => server[Symbol.asyncDispose]());
  const postgres = await startPostgres();
  closing.unshift(() => postgres[Symbol.asyncDispose]());
  const dialect = unwrap(postgresDialect({ url: await postgres.database() }));
  const feedback = createLogDatabase({ dialect, onAway: () => undefined });
  closing.unshift(() => feedback.close());
  const connection = unwrap(connectClickHouse({ url: server.url, onAway: () => undefined }));
  closing.unshift(() => connection.close());
  reader = createClickHouseReader({ ...connection, feedback });
});
afterAll(async () => {
  for (const close of closing) await close();
});
beforeEach(async () => {
  const tables = [
    'logs',
    'documents',
    'log_minutes',
    'log_hours',
    'user_hours',
    'fallback_minutes',
    'fallback_hours',
    're_rated',
  ];
  for (const table of tables) await server.rows(`truncate table if exists gateway_logs.${table}`);
});

async function write(rows: readonly LogRow[]): Promise<void> {
  const store = createClickHouseStore({ url: server.url });
  await writeRecords(
    store,
    rows.map((row) => ({ row, content: undefined })),
  );
  await store.close();
}

async function run(over: Partial<ClickHouseReRateOptions> = {}): Promise<readonly ReRatedRow[]> {
  const seen: ReRatedRow[] = [];
  await reRateClickHouse({
    ...{ clickHouse: { url: server.url }, prices: pricesOf('2', '3'), from: ALL.from, to: ALL.to },
    ...{ models: undefined, isDry: false, batch: 2, now: () => START, isStopped: () => false },
    onBatch: (batch) => seen.push(...batch.rows),
    ...over,
  });
  return seen;
}

const costIn = (sums: readonly { readonly costNano: number }[]): number =>
  sums.reduce((sum, { costNano }) => sum + costNano, 0);

/** What rows, roll-ups and rows that are summed up say; all of them the same, or the test fails. */
async function agreedCost(): Promise<number> {
  const byRow = (await reader.list(ALL, { limit: 50_000, offset: 0 })).reduce(
    (sum, row) => sum + (row.cost_nano ?? 0),
    0,
  );
  const ofRows: LogFilter = { ...ALL, totalTokens: { min: 0 } };
  const page = { limit: 10, offset: 0 };
  const sums = [
    costIn((await reader.sum(ALL, { by: [] })).sums),
    costIn((await reader.sum(ALL, { by: ['model', 'cache'], width: 'minute', withTimes: true })).sums),
    costIn((await reader.sum(ofRows, { by: ['api_key'], width: 'day' })).sums),
    costIn((await reader.labels(ALL, 'end_user', page)).sums),
    costIn((await reader.labels(ALL, { metadata: 'all' }, page)).sums),
  ];
  expect(sums).toEqual(sums.map(() => byRow));
  return byRow;
}

test('rows and all sums change together, over days, and only once', async () => {
  await write(some(7));
  const [untouched] = (await reader.sum(ALL, { by: [] })).sums;
  const first = await run();
  expect(first.map(({ before, after, kind }) => [before, after, kind])).toEqual(
    Array(7).fill([FIRST_COST, NEW_COST, 'changed']),
  );
  expect(await agreedCost()).toBe(7 * NEW_COST);
  expect((await reader.sum(ALL, { by: [] })).sums).toEqual([{ ...untouched, costNano: 7 * NEW_COST }]);
  expect(kinds(await run())).toEqual(Array(7).fill('same'));
  expect(await agreedCost()).toBe(7 * NEW_COST);
  const [row] = await reader.list({ ...ALL, costNano: { min: NEW_COST, max: NEW_COST } }, { limit: 9, offset: 0 });
  expect(row).toMatchObject({
    ...{ cost_nano: NEW_COST, is_unpriced: false },
    decision: RATED,
  });
  expect(await reader.list({ ...ALL, costNano: { max: FIRST_COST } }, { limit: 9, offset: 0 })).toEqual([]);
  expect(await reader.find(row?.id ?? '', VISIBLE)).toEqual(row);
});

test('the last price counts, and the first cost stays, also where the clock goes back', async () => {
  await write(some(3));
  await run();
  await run({ prices: pricesOf('4', '6'), now: () => START - HOUR });
  expect(await agreedCost()).toBe(3 * 2 * NEW_COST);
  const [row] = await reader.list(ALL, { limit: 1, offset: 0 });
  expect(row?.decision.re_rated?.first_cost_nano).toBe(FIRST_COST);
});

test('what cannot be told again, and what is not asked for, is left', async () => {
  await write([
    rated({ account: 'other', metadata: { all: 'yes' } }),
    rated({ workspace: 'team-b', metadata: { all: 'yes' } }),
    rated({ metadata: { all: 'yes' } }, null),
    rated({ cost_nano: null, metadata: { all: 'yes' } }),
    rated({ model: "o'ther", metadata: { all: 'yes' } }),
    rated({ created_at: START + HOUR, metadata: { all: 'yes' } }),
  ]);
  const seen = await run({ to: START + HOUR, models: [{ provider: 'openai', model: 'ours' }] });
  expect(kinds(seen).toSorted()).toEqual(['account', 'account', 'usage']);
  expect(kinds(await run({ isDry: true })).toSorted()).toContain('changed');
  expect(await agreedCost()).toBe(5 * FIRST_COST);
});

test('sums agree while half of it is done, after the server was killed, and when it is done again', async () => {
  await write(some(7));
  let stopping: Promise<void> | undefined;
  const broken = run({
    onBatch: () => {
      stopping ??= server.stop();
    },
  });
  await expect(broken).rejects.toThrow();
  await stopping;
  await server.start();
  const half = await agreedCost();
  expect(half).toBeGreaterThan(7 * FIRST_COST);
  expect(half).toBeLessThan(7 * NEW_COST);
  const both = await Promise.all([run(), run()]);
  expect(both.flat().filter(({ kind }) => kind === 'changed').length).toBeGreaterThan(4);
  expect(await agreedCost()).toBe(7 * NEW_COST);
});

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const RESOURCES = `
${API}
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
---
${API}
kind: ModelPricing
metadata: { name: ours }
spec: { provider: openai, model: ours, usdPerMillionTokens: { request: "2", response: "3" } }
`;

test('the command counts nothing twice where it was killed and is run again', async () => {
  using folder = tempFolder({ 'team.yaml': RESOURCES });
  const rows = 8_000; // four batches: it is killed after the first
  await write(
    Array.from({ length: rows }, (_, n) => rated({ account: null, created_at: START + n, metadata: { all: 'yes' } })),
  );
  const args = [
    're-rate',
    '--resources',
    folder.path,
    '--since',
    '2026-01-30T00:00:00Z',
    '--until',
    '2026-02-02T00:00:00Z',
  ];
  const variables = { GATEHOUSE_LOGS_CLICKHOUSE_URL: server.url };
  const changed = async () => Number((await server.rows('select count() as n from gateway_logs.re_rated'))[0]?.['n']);
  {
    await using child = startGatehouse(args, variables);
    const ended = child.ended.then((status) => `${status}: ${child.err}`);
    const batch = waitFor(async () => (await changed()) > 0, { what: 'a first batch' });
    expect(await Promise.race([batch, ended])).toBe(true);
    child.kill('SIGKILL');
    expect(await child.ended).toBe('SIGKILL');
  }
  const done = (await changed()) * (NEW_COST - FIRST_COST);
  expect(await agreedCost()).toBe(rows * FIRST_COST + done);
  const again = await runInTest([...args, '-o', 'json'], variables);
  expect([again.status, again.err]).toEqual([0, '']);
  expect(JSON.parse(again.out.join('\n')).all).toMatchObject({ rows, cost_nano_after: String(rows * NEW_COST) });
  expect(await agreedCost()).toBe(rows * NEW_COST);
});
