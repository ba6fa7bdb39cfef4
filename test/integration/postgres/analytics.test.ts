/** What analytics say of rows that gateways have written. */
import { randomUUID } from 'node:crypto';
import { LOG_GROUP_COLUMNS } from '@gatehouse/crds/rest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { NOW, type RequestLogWorld, record, startRequestLogWorld } from './request-log-world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const SCOPES = { scopes: new Set(['analytics.view']), expiresAtMs: Number.POSITIVE_INFINITY };
const CALLERS = {
  service: {
    ...{ ...SCOPES, keyId: 'key/team-a/app', keyName: 'app', type: 'workspace-service' as const, workspace: 'team-a' },
    user: undefined,
  },
  nobody: {
    ...{ ...SCOPES, keyId: 'key/team-a/none', keyName: 'none', type: 'workspace-service' as const },
    ...{ workspace: 'team-a', user: undefined, scopes: new Set(['logs.view']) },
  },
};

/** Two hours ago: a fallback of two attempts, and a hit. Half an hour ago: a retried request, an error, and one of ada. */
const ROWS = [
  record({
    created_at: NOW - 2 * HOUR,
    is_final: false,
    target_index: 1,
    status: 500,
    cost_nano: 1e7,
    total_tokens: 10,
    response_ms: 50,
    trace_id: 'fell',
  }),
  record({
    ...{
      created_at: NOW - 2 * HOUR,
      attempt: 1,
      fell_back: true,
      provider: 'anthropic',
      model: 'claude',
      trace_id: 'fell',
    },
    ...{ cost_nano: 3e7, total_tokens: 20, response_ms: 1_000, metadata: { team: 'red' }, cache: 'MISS' },
  }),
  record({
    ...{ created_at: NOW - 2 * HOUR + 1, cache: 'HIT', cost_nano: 0, total_tokens: 0, response_ms: 10 },
    ...{ provider: 'anthropic', model: 'claude', metadata: { team: 'red' }, end_user: 'ada' },
  }),
  record({
    created_at: NOW - HOUR / 2,
    retries: 2,
    cost_nano: 5e7,
    total_tokens: 40,
    response_ms: 500,
    metadata: { team: 'blue' },
  }),
  record({ created_at: NOW - HOUR / 2, status: 429, cost_nano: null, total_tokens: 0, response_ms: 5, retries: -1 }),
  record({
    created_at: NOW - HOUR / 2,
    target_index: 3,
    cost_nano: 2e7,
    total_tokens: 30,
    response_ms: 200,
    end_user: 'ada',
  }),
  record({ created_at: NOW - HOUR / 2, workspace: 'team-b', end_user: 'eve', cost_nano: 9e9 }),
];

let world: RequestLogWorld;
beforeAll(async () => {
  world = await startRequestLogWorld({ callers: CALLERS });
  await world.write(...ROWS);
  const feedback = [
    ['fell', 10, 0.5, NOW - HOUR],
    ['fell', -2, 1, NOW - HOUR],
    ['unknown', 4, 1, NOW - HOUR / 2],
  ];
  for (const [trace, value, weight, at] of feedback) {
    await world.sql(
      `insert into gateway_logs.feedback (id, workspace, trace_id, value, weight, metadata, created_at, updated_at)
       values ('${randomUUID()}', 'team-a', '${trace}', ${value}, ${weight}, '{}', to_timestamp(${Number(at) / 1_000}), now())`,
    );
  }
});
afterAll(() => world?.[Symbol.asyncDispose]());

const iso = (ms: number): string => new Date(ms).toISOString();
const LAST_3_HOURS = `time_of_generation_min=${iso(NOW - 3 * HOUR)}&time_of_generation_max=${iso(NOW)}`;

async function ask(path: string, query = ''): Promise<Record<string, unknown>> {
  const { status, body } = await world.management.call('service', 'GET', `/analytics${path}?${LAST_3_HOURS}${query}`);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

const [TWO, ONE, NONE] = [iso(NOW - 2 * HOUR), iso(NOW - HOUR), iso(NOW - 2 * HOUR + HOUR)];

describe('a graph', () => {
  test('has requests by hour, hours without any between them included', async () => {
    expect(NONE).toBe(ONE);
    expect(await ask('/graphs/requests')).toEqual({
      object: 'analytics-graph',
      summary: { total: 5 },
      data_points: [
        { timestamp: TWO, total: 2 },
        { timestamp: ONE, total: 3 },
      ],
    });
  });

  test('has cents of all attempts, and the average of a request', async () => {
    expect(await ask('/graphs/cost')).toMatchObject({
      summary: { total: 11, avg: 2.2 },
      data_points: [
        { total: 4, avg: 2 },
        { total: 7, avg: 2.3333333 },
      ],
    });
  });

  test('has tokens', async () => {
    expect(await ask('/graphs/tokens')).toMatchObject({ summary: { total: 100, avg: 20 } });
  });

  test('has response times of final rows, with percentiles within 5 %', async () => {
    const { summary } = (await ask('/graphs/latency')) as { summary: Record<string, number> };
    expect(summary['avg']).toBe(343);
    for (const [name, ms] of [
      ['p50', 200],
      ['p90', 1_000],
      ['p99', 1_000],
    ] as const)
      expect(Math.abs((summary[name] ?? 0) / ms - 1), name).toBeLessThan(0.0501);
  });

  test('has users of clients, each once', async () => {
    expect(await ask('/graphs/users')).toMatchObject({
      summary: { total: 1 },
      data_points: [{ total: 1 }, { total: 1 }],
    });
    expect(await ask('/graphs/users/requests')).toMatchObject({ summary: { total: 2, unique: 1, avg: 2 } });
  });

  test('has errors of requests, not of attempts', async () => {
    expect(await ask('/graphs/errors')).toMatchObject({
      summary: { total: 1 },
      data_points: [{ total: 0 }, { total: 1 }],
    });
    expect(await ask('/graphs/errors/rate')).toMatchObject({
      summary: { rate: 20 },
      data_points: [{ rate: 0 }, { rate: 33.333 }],
    });
    expect(await ask('/graphs/errors/stacks')).toMatchObject({
      summary: { total: 1 },
      data_points: [{ timestamp: ONE, stats: [{ response_status_code: 429, count: 1 }] }],
    });
    expect(await ask('/graphs/errors/status-codes')).toMatchObject({
      summary: { total_errors: 1, unique_error_codes: 1 },
      data_points: [{ status_code: 429, count: 1 }],
    });
  });

  test('has what retries and fallbacks have rescued', async () => {
    expect(await ask('/graphs/requests/rescued')).toMatchObject({
      summary: { retry: 1, fallback: 1 },
      data_points: [
        { timestamp: TWO, retry: [], fallback: 1 },
        { timestamp: ONE, retry: [{ retry_success_count: 2, count: 1 }], fallback: 0 },
      ],
    });
  });

  test('has hits of the cache and what they have saved', async () => {
    expect(await ask('/graphs/cache/hit-rate')).toMatchObject({
      summary: { total: 1, rate: 20 },
      data_points: [
        {
          simple_hits: 1,
          semantic_hits: 0,
          rate: 50,
          cumulative_simple_cache_savings: 3,
          cumulative_semantic_cache_savings: 0,
        },
        { simple_hits: 0, rate: 0, cumulative_simple_cache_savings: 3 },
      ],
    });
    expect(await ask('/graphs/cache/latency')).toMatchObject({
      summary: { avg: 10 },
      data_points: [{ timestamp: TWO, avg: 10 }],
    });
    expect(await ask('/summary/cache')).toEqual({
      object: 'analytics-summary',
      summary: { hits: 1, avg_latency: 10, total_requests: 5, cache_speedup: 56.667 },
    });
  });

  test('has feedback over time, by value and by model', async () => {
    expect(await ask('/graphs/feedbacks')).toMatchObject({
      summary: { total: 3 },
      data_points: [{ timestamp: ONE, total: 3 }],
    });
    expect(await ask('/graphs/feedbacks/weighted')).toMatchObject({ summary: { avg: 2.333 } });
    expect(await ask('/graphs/feedbacks/scores')).toMatchObject({
      data_points: [
        { score: -2, total: 1 },
        { score: 4, total: 1 },
        { score: 10, total: 1 },
      ],
    });
    expect(await ask('/graphs/feedbacks/ai-models')).toMatchObject({
      summary: { total: 3 },
      data_points: [
        { ai_model: '', total: 1, avg_weighted_feedback: 4 },
        { ai_model: 'claude', total: 2, avg_weighted_feedback: 1.5 },
      ],
    });
    expect(await ask('/graphs/feedbacks', '&ai_org_model=anthropic__claude')).toMatchObject({ summary: { total: 2 } });
  });

  test('is narrowed by what roll-ups know, and by what rows alone know', async () => {
    expect(await ask('/graphs/requests', '&ai_org_model=anthropic__claude')).toMatchObject({ summary: { total: 2 } });
    expect(await ask('/graphs/requests', '&total_units_min=30')).toMatchObject({ summary: { total: 2 } });
    expect(await ask('/graphs/users', '&cost_min=1')).toMatchObject({ summary: { total: 1 } });
    expect(await ask('/graphs/requests', '&trace_id=none')).toMatchObject({ summary: { total: 0 }, data_points: [] });
  });

  test('has minutes of an hour', async () => {
    const path = `/analytics/graphs/requests?time_of_generation_min=${iso(NOW - HOUR)}&time_of_generation_max=${iso(NOW)}`;
    const { body } = await world.management.call('service', 'GET', path);
    expect(body).toMatchObject({ data_points: [{ timestamp: iso(NOW - HOUR / 2), total: 3 }] });
  });
});

describe('groups', () => {
  test('have users, models and values of metadata, with the most requests first', async () => {
    expect(await ask('/groups/users')).toMatchObject({ total: 1, data: [{ user: 'ada', requests: 2, cost: 2 }] });
    expect(await ask('/groups/ai-models')).toEqual({
      ...{ object: 'list', total: 2 },
      data: [
        { ai_model: 'gpt-4o', requests: 3, object: 'analytics-group' },
        { ai_model: 'claude', requests: 2, object: 'analytics-group' },
      ],
    });
    expect(await ask('/groups/metadata/team')).toMatchObject({
      total: 2,
      data: [
        {
          ...{ metadata_value: 'red', requests: 2, cost: 3, avg_tokens: 10, requests_with_feedback: 1 },
          ...{ avg_weighted_feedback: 1.5, last_seen: iso(NOW - 2 * HOUR + 1) },
        },
        { metadata_value: 'blue', requests: 1, cost: 5, avg_tokens: 40, requests_with_feedback: 0 },
      ],
    });
  });

  test.for(['/groups/ai-models', '/groups/metadata/team'])('come in pages: %s', async (path) => {
    const pages = await Promise.all([0, 1, 2].map((page) => ask(path, `&page_size=1&current_page=${page}`)));
    expect(pages.map(({ total }) => total)).toEqual([2, 2, 2]);
    expect(pages.map(({ data }) => (data as unknown[]).length)).toEqual([1, 1, 0]);
  });

  const ALL = LOG_GROUP_COLUMNS.join(',');

  test.for([
    ['ai_service', ['openai', 3], ['anthropic', 2]],
    ['provider', ['main', 5]],
    ['model', ['gpt-4o', 3], ['claude', 2]],
    ['status_code', [200, 4], [429, 1], [500, 0]],
    ['api_key', ['app', 5]],
    ['config', ['', 5]],
    ['workspace', ['team-a', 5]],
    ['prompt', ['', 5]],
  ] as const)('by %s', async ([by, ...want]) => {
    const { data, total } = await ask(`/groups/${by}`);
    expect((data as Record<string, unknown>[]).map((one) => [one[by], one['requests']])).toEqual(want);
    expect(total).toBe(want.length);
    const { body } = await world.management.call('nobody', 'GET', `/logs/groups/${by}?${LAST_3_HOURS}`);
    expect(body).toEqual({ object: 'list', total, data });
  });

  test('have the columns that are named, and no others', async () => {
    const { data } = await ask('/groups/workspace', `&columns=${ALL}`);
    expect(data).toMatchObject([
      {
        ...{
          requests: 5,
          cost: 11,
          total_tokens: 100,
          avg_tokens: 20,
          avg_latency: 343,
          success_rate: 80,
          error_count: 1,
        },
        ...{ cache_hit_rate: 20, first_seen: iso(NOW - 2 * HOUR) },
      },
    ]);
    expect(Object.keys((data as object[])[0] ?? {}).sort()).toEqual(
      ['object', 'requests', 'workspace', ...LOG_GROUP_COLUMNS].sort(),
    );
    const few = await ask('/groups/model', '&columns=cost,%20error_count');
    expect(few['data']).toEqual([
      { object: 'analytics-group', model: 'gpt-4o', requests: 3, cost: 8, error_count: 1 },
      { object: 'analytics-group', model: 'claude', requests: 2, cost: 3, error_count: 0 },
    ]);
  });

  test.for([
    ['/groups/colour', 'groupBy'],
    ['/groups/model?columns=colour', 'columns'],
    ['/groups/model?columns=__proto__', 'columns'],
  ])('that are none are refused: %s', async ([path, param]) => {
    const { status, body } = await world.management.call('service', 'GET', `/analytics${path}`);
    expect([status, body]).toMatchObject([400, { error: { param } }]);
  });

  test.for(["x' or true --", 'none'])('of metadata that no row has are empty: %s', async (name) => {
    expect(await ask(`/groups/metadata/${encodeURIComponent(name)}`)).toMatchObject({ total: 0, data: [] });
  });

  test.for(['%00', 'x'.repeat(129)])('of what cannot be metadata are 404', async (name) => {
    expect(await world.management.call('service', 'GET', `/analytics/groups/metadata/${name}`)).toMatchObject({
      status: 404,
    });
  });
});

test('analytics need analytics.view', async () => {
  const { status, body } = await world.management.call('nobody', 'GET', '/analytics/graphs/requests');
  expect([status, JSON.stringify(body)]).toEqual([403, expect.stringContaining('analytics.view')]);
});

test('rows of a batch change neither what a hit saves nor averages of requests that there are not', async () => {
  const at = NOW - 10 * HOUR;
  const claude = { created_at: at, provider: 'anthropic', model: 'claude' };
  const ofBatch = {
    created_at: at,
    provider: 'openai',
    is_final: false,
    cost_nano: 5e12,
    total_tokens: 1e6,
    cache: null,
  };
  await world.write(
    record({ ...claude, cost_nano: 3e7, cache: 'MISS' }),
    record({ ...claude, cost_nano: 0, cache: 'HIT' }),
    record({ ...ofBatch, ...claude }),
    record({ ...ofBatch, model: 'only-in-batches' }),
  );
  const asked = async (path: string, query = ''): Promise<Record<string, unknown>> => {
    const span = `time_of_generation_min=${iso(at - HOUR)}&time_of_generation_max=${iso(at + HOUR)}`;
    return (await world.management.call('service', 'GET', `/analytics${path}?${span}${query}`)).body;
  };
  const { data_points: points } = await asked('/graphs/cache/hit-rate');
  expect(points).toMatchObject([{ cumulative_simple_cache_savings: 3 }]);
  const { data } = await asked('/groups/model', '&columns=cost,total_tokens,avg_latency,success_rate,avg_tokens');
  const sums = { requests: 0, cost: 5e5, total_tokens: 1e6 };
  expect(data).toContainEqual({ object: 'analytics-group', model: 'only-in-batches', ...sums });
});
