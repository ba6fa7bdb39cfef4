/** Prices in hindsight, in a real PostgreSQL: rows and their sums. */
import type { LogRow } from '@gatehouse/crds/logs';
import { type PostgresServer, startPostgres } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  createPostgresStore,
  type ReRatedRow,
  type ReRateOptions,
  reRate,
} from '../../../gateway/src/request-log/index.ts';
import { writeRecords } from '../../../gateway/src/request-log/testing.ts';
import { postgresDialect } from '../../../gateway/src/store/index.ts';
import { FIRST_COST, HOUR, kinds, NEW_COST, pricesOf, RATED, rated, START, some } from '../suites/re-rate.ts';

const PRICES = pricesOf('2', '3');

let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgres();
});
afterAll(() => server?.[Symbol.asyncDispose]());

async function worldOf(rows: readonly LogRow[]) {
  const url = await server.database();
  const name = new URL(url).pathname.slice(1);
  const store = createPostgresStore(postgresDialect({ url }));
  await writeRecords(
    store,
    rows.map((row) => ({ row, content: undefined })),
  );
  await store.close();
  const query = async (text: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
    JSON.parse(await server.sql(text, name));
  const run = async (over: Partial<ReRateOptions> = {}): Promise<readonly ReRatedRow[]> => {
    const seen: ReRatedRow[] = [];
    await reRate({
      ...{ dialect: postgresDialect({ url }), prices: PRICES, from: START - HOUR, to: START + 48 * HOUR },
      ...{ models: undefined, isDry: false, batch: 2, now: () => START, isStopped: () => false },
      onBatch: (batch) => seen.push(...batch.rows),
      ...over,
    });
    return seen;
  };
  /** What rows add up to, and what the tables of sums say. */
  const sums = async () => {
    const of = (table: string, columns: string) =>
      query(`select sum(cost_nano)::float8 as cost, ${columns} from gateway_logs.${table}`);
    const more =
      'sum(requests)::int as requests, sum(attempts)::int as attempts, sum(response_ms) as ms, sum(total_tokens)::int as tokens';
    const [[rows], [minutes], [hours], [users]] = await Promise.all([
      of(
        'logs',
        'count(*) filter (where is_final)::int as requests, count(*)::int as attempts, sum(response_ms) filter (where is_final) as ms, sum(total_tokens)::int as tokens',
      ),
      of('log_minutes', more),
      of('log_hours', more),
      query('select sum(cost_nano)::float8 as cost, sum(requests)::int as requests from gateway_logs.user_hours'),
    ]);
    return { rows, minutes, hours, users };
  };
  return { url, query, run, sums };
}

test('rows and all sums change together, over days, in several transactions, and only once', async () => {
  const { query, run, sums } = await worldOf(some(7));
  const first = await run();
  expect(first.map(({ before, after, kind }) => [before, after, kind])).toEqual(
    Array(7).fill([FIRST_COST, NEW_COST, 'changed']),
  );
  const after = await sums();
  expect(after.rows).toMatchObject({ cost: 7 * NEW_COST, requests: 6, attempts: 7, tokens: 210 });
  expect([after.minutes, after.hours]).toEqual([after.rows, after.rows]);
  expect(after.users).toEqual({ cost: 7 * NEW_COST, requests: 6 });
  expect(kinds(await run())).toEqual(Array(7).fill('same'));
  expect(await sums()).toEqual(after);
  const [kept] = await query('select decision, is_unpriced, cost_nano::float8 as cost from gateway_logs.logs limit 1');
  expect(kept).toEqual({
    ...{ cost: NEW_COST, is_unpriced: false },
    decision: RATED,
  });
});

test('the first cost stays, however often prices change', async () => {
  const { query, run } = await worldOf([rated({})]);
  await run();
  await run({ prices: pricesOf('4', '6') });
  const [kept] = await query(
    "select cost_nano::int as cost, decision->'re_rated'->'first_cost_nano' as first from gateway_logs.logs",
  );
  expect(kept).toEqual({ cost: 2 * NEW_COST, first: FIRST_COST });
});

test('what cannot be told again is left', async () => {
  const { run, sums } = await worldOf([
    rated({ account: 'other' }),
    rated({ workspace: 'team-b' }),
    rated({ provider: 'anthropic' }),
    rated({}, null),
    rated({ cost_nano: null }),
    rated({ provider: null, account: null }),
  ]);
  const before = await sums();
  expect(kinds(await run()).toSorted()).toEqual(['account', 'account', 'account', 'usage']);
  expect(await sums()).toEqual(before);
});

test('what is asked for is changed alone', async () => {
  const { run, sums } = await worldOf([
    rated({}),
    rated({ created_at: START - 2 * HOUR }),
    rated({ created_at: START + HOUR }),
    rated({ model: 'theirs', answered_model: 'ours' }),
  ]);
  const seen = await run({ to: START + HOUR, models: [{ provider: 'openai', model: 'ours' }] });
  expect(kinds(seen)).toEqual(['changed']);
  expect((await sums()).rows).toMatchObject({ cost: NEW_COST + 3_000 });
});

test('a dry run says what would change', async () => {
  const { run, sums } = await worldOf([rated({}), rated({})]);
  const before = await sums();
  expect(kinds(await run({ isDry: true }))).toEqual(['changed', 'changed']);
  expect(await sums()).toEqual(before);
});

test('counts beside tokens are charged, and a kind without a price is marked', async () => {
  const { query, run } = await worldOf([
    rated({ id: '00000000-0000-4000-8000-000000000001' }, { cache_write: 4 }),
    rated({ id: '00000000-0000-4000-8000-000000000002' }, { audio: { input: 3, output: 0, cached: 0 } }),
  ]);
  await run();
  const kept = await query('select cost_nano::int as cost, is_unpriced from gateway_logs.logs order by id');
  expect(kept).toEqual([
    { cost: NEW_COST + 4 * 3_000, is_unpriced: false },
    { cost: NEW_COST - 3 * 2_000, is_unpriced: true },
  ]);
});

test('what was done before an end stays, and the next run does the rest', async () => {
  const { run, sums } = await worldOf([0, 1, 2, 3, 4].map((n) => rated({ created_at: START + n })));
  expect(kinds(await run({ isStopped: () => true }))).toHaveLength(2);
  const broken = new Error('the price book broke');
  let asked = 0;
  const failing: ReRateOptions['prices'] = {
    ...PRICES,
    accountOf: (...of) => {
      asked += 1;
      if (asked > 3) throw broken;
      return PRICES.accountOf(...of);
    },
  };
  await expect(run({ prices: failing })).rejects.toBe(broken);
  const half = await sums();
  expect(half.minutes).toEqual(half.rows);
  expect(half.rows).toMatchObject({ cost: 2 * NEW_COST + 3_000 });
  expect(kinds(await run())).toEqual(['same', 'same', 'changed', 'changed', 'changed']);
  const whole = await sums();
  expect([whole.rows?.['cost'], whole.minutes, whole.hours]).toEqual([5 * NEW_COST, whole.rows, whole.rows]);
});

test('two runs at once charge nothing twice', async () => {
  const { run, sums } = await worldOf(Array.from({ length: 20 }, (_, n) => rated({ created_at: START + n })));
  const both = await Promise.all([run(), run()]);
  expect(kinds(both.flat()).filter((kind) => kind === 'changed')).toHaveLength(20);
  const after = await sums();
  expect([after.rows?.['cost'], after.minutes, after.hours]).toEqual([20 * NEW_COST, after.rows, after.rows]);
});
