/** Rows of the request log are found, shown, and hidden from those who may not see them. */
import { randomUUID } from 'node:crypto';
import { unwrap } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, logTablesIn } from '../../../operator/src/management/index.ts';
import { createPostgresReader } from '../../../operator/src/management/logs/index.ts';
import { createTestManagement } from '../../../operator/src/management/testing.ts';
import { NOW, type RequestLogWorld, record, startRequestLogWorld } from './request-log-world.ts';

const caller = (over: Partial<Caller>): Caller => ({
  ...{ keyId: 'key/team-a/app', keyName: 'app', type: 'workspace-service', workspace: 'team-a', user: undefined },
  scopes: new Set(['logs.view', 'logs.list']),
  expiresAtMs: Number.POSITIVE_INFINITY,
  ...over,
});

const CALLERS = {
  service: caller({}),
  other: caller({ keyId: 'key/team-b/app', workspace: 'team-b' }),
  admin: caller({ keyId: 'key//admin', type: 'organisation-service', workspace: undefined }),
  'rows only': caller({ keyId: 'key/team-a/rows', scopes: new Set(['logs.list']) }),
  'rows of others': caller({ keyId: 'key/team-a/app', scopes: new Set(['logs.list', 'completions.write']) }),
  'own only': caller({ scopes: new Set(['completions.write']) }),
} as const satisfies Record<string, Caller>;
type CallerName = keyof typeof CALLERS;

const CONTENT = {
  request: { url: '/v1/chat/completions', method: 'POST', headers: { 'x-a': '1' }, body: { messages: ['hi'] } },
  response: { status: 200, responseTime: 120, body: { choices: [] }, lastUsedOptionJsonPath: 'config.targets[0]' },
  transformedRequest: { body: { a: 1 } },
  hooks: { before_request_hooks: [{ id: 'check', verdict: true }] },
};

const ROWS = {
  first: record(
    {
      trace_id: 'trace-first',
      api_key: 'key/team-a/app',
      metadata: { team: 'red', _user: 'ada', _organisation: 'shop' },
      ...{ runtime: 'node', runtime_version: 'v26.1.0', sdk_version: '5.1.0' },
      ...{ request_parsing_ms: 0.125, pre_processing_ms: 1.5, cache_ms: 0.25, response_parsing_ms: 0.062 },
    },
    CONTENT,
  ),
  second: record({
    ...{ created_at: NOW - 30_000, trace_id: 'trace-second', api_key: 'key/team-a/more', config: 'cfg', prompt: 'ask' },
    ...{ status: 429, error: 'RATE_LIMITED', cost_nano: null, input_tokens: 0, output_tokens: 0, total_tokens: 0 },
    ...{ provider: 'anthropic', model: 'claude', account: 'backup', span_id: 'span-2' },
  }),
  more: record({ created_at: NOW - 35 * 86_400_000, trace_id: 'trace-more', api_key: 'key/team-a/more' }, CONTENT),
  theirs: record({ workspace: 'team-b', trace_id: 'trace-theirs', api_key: 'key/team-b/app' }, CONTENT),
  old: record({ created_at: NOW - 40 * 86_400_000, trace_id: 'trace-old' }),
};
const NAMES = new Map(Object.entries(ROWS).map(([name, { row }]) => [row.id, name]));

let world: RequestLogWorld;
beforeAll(async () => {
  world = await startRequestLogWorld({ callers: CALLERS });
  await world.write(...Object.values(ROWS));
});
afterAll(() => world?.[Symbol.asyncDispose]());

const get = (path: string, key: CallerName = 'service') => world.management.call(key, 'GET', path);
async function found(query: string, key: CallerName = 'service'): Promise<readonly (string | undefined)[]> {
  const { status, body } = await get(`/logs${query}`, key);
  expect(status, JSON.stringify(body)).toBe(200);
  const names = (body['data'] as { id: string }[]).map(({ id }) => NAMES.get(id));
  expect(body['total']).toBe(names.length);
  return names;
}

const json = (value: object): string => encodeURIComponent(JSON.stringify(value));

describe('a list', () => {
  test.for([
    ['', ['second', 'first']],
    ['?time_of_generation_min=2020-01-01T00:00:00Z', ['second', 'first', 'more', 'old']],
    [`?time_of_generation_max=${new Date(NOW - 60_000).toISOString()}`, ['first']],
    [`?time_of_generation_min=${new Date(NOW - 30_000).toISOString()}`, ['second']],
    ['?status_code=429,500', ['second']],
    ['?virtual_keys=main', ['first']],
    ['?configs=cfg,none', ['second']],
    ['?api_key_ids=key/team-a/more', ['second']],
    ['?ai_org_model=anthropic__claude,openai__other', ['second']],
    ['?ai_model=claude,other', ['second']],
    ['?ai_model=claude&ai_org_model=openai__claude', []],
    ['?prompt_slug=ask', ['second']],
    ['?trace_id=trace-first,trace-theirs', ['first']],
    ['?span_id=span-2', ['second']],
    [`?span_id=${ROWS.first.row.id}`, ['first']],
    ['?prompt_token_min=1', ['first']],
    ['?completion_token_max=0', ['second']],
    ['?total_units_min=46&total_units_max=46', ['first']],
    ['?cost_min=0.037', ['first']],
    ['?cost_max=0.0369', ['second']],
    [`?metadata=${json({ team: 'red' })}`, ['first']],
    [`?metadata=${json({ team: 'red', _user: 'bob' })}`, []],
    [`?metadata=${json({ team: "red' or true --" })}`, []],
    ["?configs=cfg'%20or%20true%20--", []],
    ['?workspace_slug=team-b', ['second', 'first']],
  ] as const)('has what is asked for with %s', async ([query, want]) => {
    expect(await found(query)).toEqual(want);
  });

  test('has rows in the words of clients', async () => {
    const { body } = await get('/logs?trace_id=trace-first');
    expect(body['data']).toMatchObject([
      {
        ...{ id: ROWS.first.row.id, workspace_slug: 'team-a', is_success: true, ai_org: 'openai', ai_model: 'gpt-4o' },
        ...{ req_units: 12, res_units: 34, total_units: 46, cost: 0.037, cost_currency: 'USD', response_time: 120.5 },
        ...{ created_at: new Date(NOW - 60_000).toISOString(), span_id: ROWS.first.row.id, span_name: 'llm' },
        ...{
          'metadata.key': ['team', '_user', '_organisation'],
          'metadata.value': ['red', 'ada', 'shop'],
          api_key_id: 'key/team-a/app',
        },
        ...{ runtime: 'node', runtime_version: 'v26.1.0', sdk_version: '5.1.0', request_parsing_time: 0.125 },
        ...{ pre_processing_time: 1.5, cache_processing_time: 0.25, response_parsing_time: 0.062 },
      },
    ]);
    expect((await get('/logs?trace_id=trace-second')).body['data']).toMatchObject([
      { runtime: null, sdk_version: null, request_parsing_time: null, cache_processing_time: null },
    ]);
  });

  test('has the organisation, and what metadata say of it and of the prompt', async () => {
    const metrics = async () => ((await get('/logs?trace_id=trace-first')).body['data'] as object[])[0];
    const told = { _organisation: 'shop', _prompt: null };
    expect(await metrics()).toMatchObject({ organisation_name: null, ...told });
    const place = { kind: 'Organisation', namespace: undefined, name: 'default' } as const;
    await world.management.store.create(place, { spec: { displayName: 'Example Shop' } }, { force: false });
    expect(await metrics()).toMatchObject({ organisation_name: 'Example Shop', ...told });
    const { metrics: shown } = (await get(`/logs/${ROWS.first.row.id}`)).body;
    expect(shown).toMatchObject({ organisation_name: 'Example Shop', ...told });
  });

  test('names a key by the id that it has in this API, wherever it is named', async () => {
    const place = { kind: 'ApiKey', namespace: 'team-a', name: 'more' } as const;
    const spec = { type: 'workspace-service', scopes: ['logs.list'], sha256: 'a'.repeat(64) } as const;
    const { meta } = unwrap(await world.management.store.create(place, { spec }, { force: false }));
    for (const id of [meta.uid, 'key/team-a/more']) expect(await found(`?api_key_ids=${id}`)).toEqual(['second']);
    const { id } = ROWS.second.row;
    expect((await get('/logs?trace_id=trace-second')).body['data']).toMatchObject([{ api_key_id: meta.uid }]);
    expect((await get(`/logs/${id}`)).body).toMatchObject({ metrics: { api_key_id: meta.uid } });
    const { body } = await get('/logs/groups/api_key');
    const keys = (body['data'] as { api_key: string }[]).map((group) => group.api_key);
    expect(new Set(keys)).toEqual(new Set([meta.uid, 'key/team-a/app']));
    unwrap(await world.management.store.delete(place, { force: false }));
  });

  test('comes in pages, and says how many there are', async () => {
    const page = async (query: string) => (await get(`/logs?page_size=1&${query}`)).body;
    const all = [await page('current_page=0'), await page('current_page=1'), await page('current_page=2')];
    expect(all.map(({ total }) => total)).toEqual([2, 2, 2]);
    expect(all.map(({ data }) => (data as unknown[]).length)).toEqual([1, 1, 0]);
  });

  test('has what feedback says of a trace', async () => {
    await world.sql(
      ['trace-first', 'trace-second']
        .map(
          (trace, at) =>
            `insert into gateway_logs.feedback (id, workspace, trace_id, value, weight, metadata, created_at, updated_at) values ('${randomUUID()}', 'team-a', '${trace}', ${at === 0 ? 8 : -4}, 0.5, '{}', now(), now())`,
        )
        .join(';'),
    );
    expect(await found('?weighted_feedback_min=4')).toEqual(['first']);
    expect(await found('?weighted_feedback_min=-2&weighted_feedback_max=-2')).toEqual(['second']);
    expect(await found('?weighted_feedback_min=5')).toEqual([]);
  });

  test.for([
    ['status_code', 'teapot'],
    ['status_code', ','],
    ['ai_org_model', 'openai'],
    ['metadata', '{'],
    ['metadata', '[]'],
    ['metadata', '{"a":1}'],
    ['metadata', json({ a: '\0' })],
    ['cost_min', '-1'],
    ['weighted_feedback_min', '11'],
    ['time_of_generation_min', 'yesterday'],
    ['time_of_generation_min', '2027-01-02T00:00:00Z'],
    ['configs', Array.from({ length: 101 }, (_, at) => at).join(',')],
    ['unknown', '1'],
  ] as const)('is refused with %s=%s', async ([name, value]) => {
    const { status, body } = await get(`/logs?${name}=${value}`);
    expect([status, JSON.stringify(body)]).toEqual([400, expect.stringContaining(name)]);
  });

  test.for(['time_of_generation_min=0000-01-01T00:00:00Z', 'time_of_generation_max=9999-12-31T23:59:59Z'])(
    'takes any time: %s',
    async (query) => {
      expect((await get(`/logs?${query}`)).status).toBe(200);
    },
  );
});

describe('a log', () => {
  const { id } = ROWS.first.row;

  test('has the request, the answer and the row', async () => {
    const { status, body } = await get(`/logs/${id}`);
    expect([status, body]).toMatchObject([
      200,
      {
        ...{ _id: id, request: CONTENT.request, response: CONTENT.response, metrics: { id, ai_model: 'gpt-4o' } },
        ...{ transformedRequest: { body: { a: 1 } }, decision: { calls: 1 } },
      },
    ]);
    expect(body).not.toHaveProperty('hooks');
  });

  test('has the results of guardrails alone with type=hooks', async () => {
    const { body } = await get(`/logs/${id}?type=hooks`);
    expect(body).toMatchObject({ _id: id, hooks: CONTENT.hooks });
    expect(body).not.toHaveProperty('request');
  });

  test('is found by its trace, too', async () => {
    expect((await get('/logs/trace-first')).body).toMatchObject({ _id: id });
  });

  test('has what the row knows where nothing else was kept', async () => {
    const { body } = await get(`/logs/${ROWS.second.row.id}`);
    expect(body).toMatchObject({ request: { url: '/v1/chat/completions', method: 'POST' }, response: { status: 429 } });
  });

  test.for([
    ['?path_format=v2', 400],
    [`?path_format=v2&created_at=${new Date(NOW - 60_000).toISOString()}`, 200],
    ['?created_at=2020-01-01T00:00:00Z', 404],
    ['?created_at=0000-01-01T00:00:00Z', 404],
    ['?created_at=now', 400],
    ['?path_format=v3', 400],
    ['?type=other', 400],
  ] as const)('is asked for with %s: %i', async ([query, status]) => {
    expect((await get(`/logs/${id}${query}`)).status).toBe(status);
  });

  test.for([randomUUID(), 'no-uuid', '%00', "'%20or%20true"])('that is not there is 404: %s', async (name) => {
    expect((await get(`/logs/${name}`)).status).toBe(404);
  });
});

describe('what was said', () => {
  const shown = async (name: CallerName, row: keyof typeof ROWS) => {
    const { status, body } = await get(`/logs/${ROWS[row].row.id}`, name);
    return status === 200 ? (body['request'] as { body?: object }).body !== undefined : status;
  };

  test.for([
    ['service', 'first', true],
    ['rows only', 'first', false],
    ['own only', 'first', true],
    ['own only', 'second', 404],
    ['rows of others', 'first', true],
    ['rows of others', 'more', false],
    ['admin', 'theirs', true],
    ['other', 'first', 404],
  ] as const)('is shown to %s of %s: %s', async ([name, row, want]) => {
    expect(await shown(name, row)).toBe(want);
  });

  test('is not shown by type=hooks, where it is not shown at all', async () => {
    expect((await get(`/logs/${ROWS.first.row.id}?type=hooks`, 'rows only')).body).not.toHaveProperty('hooks');
  });
});

test('a list to which rows come while it is read has a total that its page explains', async () => {
  const reader = createPostgresReader(logTablesIn(world.database));
  const add = () => world.write(record({ workspace: 'team-b', trace_id: 'trace-raced' }));
  const management = await createTestManagement(['logs'], {
    ...{ callers: CALLERS, now: () => NOW, database: world.database },
    logReader: {
      ...reader,
      list: async (...asked) => {
        const rows = await reader.list(...asked);
        await add();
        return rows;
      },
    },
  });
  const page = async (at: number) => {
    const { body } = await management.call('other', 'GET', `/logs?trace_id=trace-raced&page_size=2&current_page=${at}`);
    return [body['total'], (body['data'] as unknown[]).length];
  };
  expect(await page(0)).toEqual([0, 0]);
  expect(await page(0)).toEqual([1, 1]);
  expect(await page(1)).toEqual([2, 0]);
  expect(await page(1)).toEqual([3, 1]);
  expect(await page(0)).toEqual([5, 2]);
  await management.close();
});

test('a database that is away is 503', async () => {
  const without = await startRequestLogWorld({ callers: CALLERS });
  await without.database.close();
  expect((await without.management.call('service', 'GET', '/logs')).status).toBe(503);
  await without[Symbol.asyncDispose]();
});
