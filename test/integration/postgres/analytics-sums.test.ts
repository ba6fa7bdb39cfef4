/** Totals of analytics are the sums of the rows, whatever is asked for, and however often a batch was written. */
import { randomUUID } from 'node:crypto';
import type { LogRow } from '@gatehouse/crds/logs';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { NOW, type RequestLogWorld, record, startRequestLogWorld } from './request-log-world.ts';

const HOUR = 3_600_000;
/** Rows are of these hours up to now. */
const HOURS = 40;
const RUNS = 40;

const one = <T>(...values: readonly T[]) => fc.constantFrom(...values);
/** Also the borders of minutes and hours, where roll-ups end. */
const instant = fc.oneof(
  fc.integer({ min: NOW - HOURS * HOUR, max: NOW }),
  fc.integer({ min: 0, max: HOURS }).map((hours) => NOW - hours * HOUR),
  fc.integer({ min: 0, max: HOURS * 60 }).map((minutes) => NOW - minutes * 60_000 + 59_999),
);

const someRow = fc.record({
  created_at: instant,
  is_final: fc.boolean(),
  status: one(200, 246, 301, 429, 500),
  api_key: one('app', 'other', null),
  provider: one('openai', 'anthropic', null),
  model: one('small', 'large', null),
  account: one('main', 'backup', null),
  config: one('cfg', null),
  prompt: one('ask', null),
  cache: one('HIT' as const, 'SEMANTIC HIT' as const, 'MISS' as const, null),
  retries: one(-1, 0, 2),
  target_index: one(0, 1, null),
  fell_back: fc.boolean(),
  response_ms: fc.double({ min: 0, max: 1e6, noNaN: true }),
  input_tokens: fc.nat(1_000),
  output_tokens: fc.nat(1_000),
  total_tokens: fc.nat(2_000),
  cost_nano: one(0, 1_234, 370_000, null),
  end_user: one('ada', 'bob', null),
  metadata: one<Record<string, string>>({}, { team: 'red' }, { team: 'blue', more: '' }),
});

/** A filter as a query, and the rows that it is about. */
interface Asked {
  readonly query: string;
  readonly has: (row: LogRow) => boolean;
}

const FILTERS: readonly Asked[] = [
  { query: '', has: () => true },
  { query: 'status_code=429,500', has: ({ status }) => status === 429 || status === 500 },
  { query: 'virtual_keys=main', has: ({ account }) => account === 'main' },
  { query: 'api_key_ids=app', has: ({ api_key }) => api_key === 'app' },
  { query: 'ai_org_model=openai__small', has: ({ provider, model }) => provider === 'openai' && model === 'small' },
  { query: 'ai_model=small', has: ({ model }) => model === 'small' },
  { query: 'configs=cfg&prompt_slug=ask', has: ({ config, prompt }) => config === 'cfg' && prompt === 'ask' },
  { query: 'total_units_min=1000', has: ({ total_tokens }) => total_tokens >= 1_000 },
  { query: 'cost_max=0', has: ({ cost_nano }) => (cost_nano ?? 0) === 0 },
  { query: 'metadata={"team":"red"}', has: ({ metadata }) => metadata['team'] === 'red' },
];

let world: RequestLogWorld;
beforeAll(async () => {
  const scopes = new Set(['logs.view', 'logs.list', 'analytics.view']);
  const owner = {
    ...{ keyId: 'owner', keyName: 'owner', type: 'organisation-service' as const, workspace: undefined },
    ...{ user: undefined, scopes, expiresAtMs: Number.POSITIVE_INFINITY },
  };
  world = await startRequestLogWorld({ callers: { owner }, rates: { perSecond: 1e6, burst: 1e6 } });
});
afterAll(() => world?.[Symbol.asyncDispose]());

async function ask(path: string, query: string): Promise<Record<string, unknown>> {
  const { status, body } = await world.management.call('owner', 'GET', encodeURI(`${path}?${query}`));
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const sum = (rows: readonly LogRow[], of: (row: LogRow) => number): number =>
  rows.reduce((total, row) => total + of(row), 0);
const isGood = ({ status }: LogRow): boolean => status >= 200 && status <= 299;
const isHit = ({ cache }: LogRow): boolean => cache === 'HIT' || cache === 'SEMANTIC HIT';

/** What a graph says of the whole time, and of its points together. */
async function totals(path: string, query: string): Promise<readonly number[]> {
  const { summary, data_points } = await ask(path, query);
  const points = (data_points as { total: number }[]).reduce((total, point) => total + point.total, 0);
  return [(summary as { total: number }).total, points];
}

interface Rescued {
  readonly summary: { readonly retry: number; readonly fallback: number };
  readonly data_points: readonly { readonly retry: readonly { readonly count: number }[]; readonly fallback: number }[];
}

/** As `totals`, of both ways. */
async function rescued(query: string): Promise<{ readonly retry: number[]; readonly fallback: number[] }> {
  const { summary, data_points } = (await ask('/analytics/graphs/requests/rescued', query)) as unknown as Rescued;
  const retries = data_points.flatMap(({ retry }) => retry.map(({ count }) => count));
  const add = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0);
  return {
    retry: [summary.retry, add(retries)],
    fallback: [summary.fallback, add(data_points.map(({ fallback }) => fallback))],
  };
}

/** Compares everything that is said with the rows that were written. */
async function compare(rows: readonly LogRow[], query: string): Promise<void> {
  const final = rows.filter(({ is_final }) => is_final);
  const cents = sum(rows, ({ cost_nano }) => cost_nano ?? 0) / 1e7;
  const twice = (value: number) => [value, value];
  expect(await totals('/analytics/graphs/requests', query)).toEqual(twice(final.length));
  expect(await totals('/analytics/graphs/errors', query)).toEqual(twice(final.filter((row) => !isGood(row)).length));
  expect(await totals('/analytics/graphs/tokens', query)).toEqual(twice(sum(rows, (row) => row.total_tokens)));
  for (const cost of await totals('/analytics/graphs/cost', query)) expect(cost).toBeCloseTo(cents, 9);
  const average = (await ask('/analytics/graphs/cost', query))['summary'];
  expect(average).toMatchObject({ avg: expect.closeTo(final.length === 0 ? 0 : cents / final.length, 6) });
  expect((await ask('/logs', `${query}&page_size=1`))['total']).toBe(rows.length);

  const good = final.filter(isGood);
  expect(await rescued(query)).toEqual({
    retry: twice(good.filter(({ retries }) => retries > 0).length),
    fallback: twice(good.filter(({ fell_back }) => fell_back).length),
  });

  const { summary } = await ask('/analytics/summary/cache', query);
  expect(summary).toMatchObject({ hits: final.filter(isHit).length, total_requests: final.length });
  const users = final.filter(({ end_user }) => end_user !== null);
  const named = new Set(rows.flatMap(({ end_user }) => end_user ?? []));
  const said = (await ask('/analytics/graphs/users/requests', query))['summary'];
  expect(said).toMatchObject({ total: users.length, unique: named.size });

  for (const by of ['model', 'status_code', 'api_key', 'provider', 'ai_service', 'config', 'prompt', 'workspace']) {
    const { data } = await ask(`/analytics/groups/${by}`, `${query}&columns=cost,total_tokens,error_count`);
    const groups = data as { requests: number; cost: number; total_tokens: number; error_count: number }[];
    const all = (member: keyof (typeof groups)[number]) => groups.reduce((total, group) => total + group[member], 0);
    expect([all('requests'), all('total_tokens')], by).toEqual([final.length, sum(rows, (row) => row.total_tokens)]);
    expect(all('error_count'), by).toBe(final.filter((row) => !isGood(row)).length);
    expect(all('cost'), by).toBeCloseTo(cents, 9);
  }
}

test('totals are the sums of the rows', async () => {
  const times = fc.tuple(instant, instant).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  await fc.assert(
    fc.asyncProperty(
      fc.array(someRow, { minLength: 1, maxLength: 30 }),
      times,
      one(...FILTERS),
      async (made, [from, to], asked) => {
        const workspace = `team-${randomUUID()}`;
        const place = { kind: 'Workspace', namespace: undefined, name: workspace } as const;
        await world.management.store.create(place, { spec: { namespace: workspace } }, { force: false });
        const records = made.map((over) => record({ ...over, workspace }));
        await world.write(...records);
        await world.write(...records.slice(0, 7), record({ ...made[0], workspace: 'others' })); // the answer was lost
        const rows = records.map(({ row }) => row);
        const meant = rows.filter((row) => row.created_at >= from && row.created_at <= to && asked.has(row));
        const bounds = `time_of_generation_min=${iso(from)}&time_of_generation_max=${iso(to)}`;
        await compare(meant, `workspace_slug=${workspace}&${bounds}&${asked.query}`);
      },
    ),
    { numRuns: RUNS },
  );
});

const iso = (ms: number): string => new Date(ms).toISOString();
