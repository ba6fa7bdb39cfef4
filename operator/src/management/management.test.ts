import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, type CallReport, OPERATIONS, toAuditRecord } from './index.ts';
import { createTestManagement, type TestManagement } from './testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['policies']);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);

const POLICY = {
  name: 'Slow',
  conditions: [{ key: 'model', value: '@openai/*' }],
  group_by: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 10,
};

describe('a rate limit policy', () => {
  test('is made, read, changed and deleted', async () => {
    const { body: made } = await call('a', 'POST', '/policies/rate-limits', POLICY);
    const url = `/policies/rate-limits/${String(made['id'])}`;
    expect((await call('a', 'GET', url)).body).toMatchObject({
      name: 'Slow',
      value: 10,
      conditions: [{ key: 'model', value: ['@openai/*'] }],
    });
    expect(await call('a', 'PUT', url, { value: 20, description: 'Why' })).toEqual({ status: 200, body: {} });
    expect((await call('a', 'GET', url)).body).toMatchObject({ name: 'Slow', value: 20, description: 'Why' });
    await call('a', 'PUT', url, { description: null });
    expect((await call('a', 'GET', url)).body).not.toHaveProperty('description');
    expect((await call('a', 'DELETE', url)).status).toBe(200);
    expect((await call('a', 'GET', url)).status).toBe(404);
  });

  test('of another workspace is not there', async () => {
    const { body } = await call('a', 'POST', '/policies/rate-limits', POLICY);
    expect((await call('b', 'GET', `/policies/rate-limits/${String(body['id'])}`)).status).toBe(404);
    expect((await call('b', 'GET', `/policies/rate-limits/${String(body['slug'])}`)).status).toBe(404);
    expect((await call('b', 'GET', '/policies/rate-limits')).body).toMatchObject({ total: 0 });
    expect((await call('organisation', 'GET', '/policies/rate-limits?workspace_id=team-a')).body).toMatchObject({
      total: 1,
    });
  });
});

describe('a condition that no request can meet', () => {
  const selecting = (condition: object) => ({ conditions: [{ key: 'model', value: '*' }, condition] });
  test.for<{ what: string; path: string; body: object; param: string; text: string }>([
    {
      what: 'value of a provider',
      path: 'rate-limits',
      body: selecting({ key: 'provider', value: ['openai', 'opnai'] }),
      param: 'conditions[1].value[1]',
      text: 'no provider has this id; did you mean openai?',
    },
    {
      what: 'excluded provider',
      path: 'usage-limits',
      body: { ...selecting({ key: 'provider', excludes: 'antropic' }), unit: undefined, credit_limit: 5 },
      param: 'conditions[1].excludes[0]',
      text: 'no provider has this id; did you mean anthropic?',
    },
    {
      what: 'type of endpoint',
      path: 'rate-limits',
      body: selecting({ key: 'endpoint_type', value: 'chatcomplete' }),
      param: 'conditions[1].value[0]',
      text: 'did you mean chatComplete?',
    },
  ])('is refused at its place, with a near one: $what', async ({ path, body, param, text }) => {
    const { value, ...policy } = POLICY;
    const rate = path === 'rate-limits' ? { value } : {};
    const answer = await call('a', 'POST', `/policies/${path}`, { ...policy, ...rate, ...body });
    const message = expect.stringContaining(text);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param, message } }]);
  });
});

describe('a usage limit policy', () => {
  const budget = {
    name: 'Monthly',
    conditions: [{ key: 'model', value: ['*'] }],
    group_by: [{ key: 'api_key' }],
    type: 'cost',
    credit_limit: 50.5,
    alert_threshold: 40,
    periodic_reset: 'monthly',
  };

  test('is made, read, listed, changed and deleted', async () => {
    const { body: made } = await call('a', 'POST', '/policies/usage-limits', budget);
    const url = `/policies/usage-limits/${String(made['slug'])}`;
    const shown = { ...budget, id: made['id'], periodic_reset_days: null, next_usage_reset_at: null, status: 'active' };
    expect((await call('a', 'GET', url)).body).toMatchObject(shown);
    const list = (query: string) => call('a', 'GET', `/policies/usage-limits?${query}`);
    expect((await list('type=cost')).body).toMatchObject({ total: 1, data: [shown] });
    expect((await list('type=tokens')).body).toMatchObject({ total: 0 });
    const change = { periodic_reset: null, periodic_reset_days: 10, credit_limit: 60 };
    expect(await call('a', 'PUT', url, change)).toEqual({ status: 200, body: {} });
    expect((await call('a', 'GET', url)).body).toMatchObject({ ...shown, ...change });
    expect((await call('b', 'DELETE', url)).status).toBe(404);
    expect((await call('a', 'DELETE', url)).status).toBe(200);
    expect((await call('a', 'GET', url)).status).toBe(404);
  });

  test.for([
    { rule: 'two ways to reset', body: { periodic_reset_days: 10 }, param: 'periodic_reset_days' },
    { rule: 'an alert above the limit', body: { alert_threshold: 51 }, param: 'alert_threshold' },
  ])('is refused with $rule, with the name of the body', async ({ body, param }) => {
    const answer = await call('a', 'POST', '/policies/usage-limits', { ...budget, ...body });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param } }]);
  });
});

describe('a call is refused', () => {
  test.for<{ rule: string; key: string | undefined; body?: object; url?: string; want: object }>([
    { rule: 'without a key', key: undefined, want: { errorCode: 'AB05' } },
    { rule: 'with a key that is not known', key: 'x', want: { errorCode: 'AB05' } },
    { rule: 'with a key that has expired', key: 'expired', want: { errorCode: 'AB05' } },
    { rule: 'with a key without the scope', key: 'reader', want: { errorCode: 'AB03' } },
    { rule: 'without a workspace', key: 'organisation', want: { error: { param: 'workspace_id' } } },
    {
      rule: 'for the workspace of others',
      key: 'a',
      body: { ...POLICY, workspace_id: 'team-b' },
      want: { errorCode: 'AB02' },
    },
    {
      rule: 'with a field that is misspelt',
      key: 'a',
      body: { ...POLICY, conditons: [] },
      want: { error: { param: 'conditons' } },
    },
    {
      rule: 'for what the Kind refuses, with the name of the body',
      key: 'a',
      body: { ...POLICY, conditions: [{ key: 'model', value: 'a*b' }] },
      want: { error: { param: 'conditions[0].value[0]' } },
    },
    {
      rule: 'that forces without the right to',
      key: 'a',
      url: '/policies/rate-limits?force=true',
      want: { errorCode: 'AB03' },
    },
  ])('$rule', async ({ key, body = POLICY, url = '/policies/rate-limits', want }) => {
    const answer = await call(key, 'POST', url, body);
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.body).toMatchObject(want);
  });

  test.for([
    ['GET', '/policies/rate-limits/x?workspace=team-a', 'workspace'],
    ['GET', '/policies/rate-limits/x?workspace_id=a&workspace_id=b', 'workspace_id'],
    ['POST', '/policies/rate-limits?dry_run=true', 'dry_run'],
    ['DELETE', '/policies/rate-limits/x?forced=true', 'forced'],
  ] as const)('with a query that the operation does not have: %s %s', async ([method, url, param]) => {
    const answer = await call('a', method, url, method === 'POST' ? POLICY : undefined);
    expect([answer.status, answer.body]).toMatchObject([400, { errorCode: 'AB01', error: { param } }]);
  });

  test('on a path that is no operation', async () => {
    expect((await call('a', 'GET', '/nothing')).status).toBe(404);
  });
});

test('every operation has an id and a route of its own', () => {
  const ids = OPERATIONS.map(({ operation }) => operation.id);
  const routes = OPERATIONS.map(
    ({ operation }) => `${operation.method} ${operation.path.replaceAll(/\{\w+\}/g, '{}')}`,
  );
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set(routes).size).toBe(routes.length);
});

test('a name in a path that is longer than any is that of nothing', async () => {
  const one = await createTestManagement(['policies']);
  for (const length of [254, 10_000]) {
    const answer = await one.call('a', 'GET', `/policies/rate-limits/${'x'.repeat(length)}`);
    expect([answer.status, answer.body]).toMatchObject([404, { success: false, errorCode: 'AB02' }]);
  }
  await one.close();
});

describe('a key that makes too many calls', () => {
  test('is told when to come back, changes nothing and leaves no record, and others go on', async () => {
    const reports: CallReport[] = [];
    const busy = await createTestManagement(['policies'], {
      rates: { perSecond: 0.001, burst: 2 },
      onCall: (report) => void reports.push(report),
    });
    const post = (key: string) => busy.call(key, 'POST', '/policies/rate-limits', POLICY);
    expect([(await post('a')).status, (await post('a')).status]).toEqual([200, 200]);
    const refused = await post('a');
    expect([refused.status, refused.body]).toMatchObject([429, { errorCode: 'AB06', error: { code: 'AB06' } }]);
    expect(refused.retryAfter).toBeGreaterThan(0);
    expect(await busy.store.list('RateLimitPolicy', 'team-a')).toHaveLength(2);
    expect(reports.map((report) => toAuditRecord(report, 0)?.status)).toEqual([200, 200, undefined]);
    expect((await post('b')).status).toBe(200);
    await busy.close();
  });
});

describe('the record of a call', () => {
  const seen: CallReport[] = [];
  const recorded = () => seen.splice(0).map((report) => toAuditRecord(report, 0));

  test('says who sent a body that could not be read, and how that ended', async () => {
    const one = await createTestManagement(['policies'], { onCall: (report) => void seen.push(report) });
    const huge = await one.call('a', 'POST', '/policies/rate-limits', { ...POLICY, name: 'x'.repeat(2 * 1024 * 1024) });
    expect([huge.status, huge.body]).toMatchObject([413, { errorCode: 'AB01' }]);
    const operation = 'rate_limit_policies.create';
    expect(recorded()).toMatchObject([{ operation, status: 413, actor_id: 'key', workspace: 'team-a', changes: [] }]);
    await one.call(undefined, 'POST', '/policies/rate-limits', { name: 'x'.repeat(2 * 1024 * 1024) });
    expect(recorded()).toMatchObject([{ operation, status: 413, actor_type: 'anonymous', actor_id: null }]);
    await one.close();
  });

  test('of a body that cannot be read counts as a call of the key, and too many leave none', async () => {
    const rates = { perSecond: 0.001, burst: 1 };
    const one = await createTestManagement(['policies'], { rates, onCall: (report) => void seen.push(report) });
    const send = () => one.call('a', 'POST', '/policies/rate-limits', { name: 'x'.repeat(2 * 1024 * 1024) });
    expect([(await send()).status, (await send()).status]).toEqual([413, 429]);
    expect(recorded()).toMatchObject([{ status: 413 }, undefined]);
    await one.close();
  });

  test('says what was forced', async () => {
    const organisation: Caller = {
      ...{ keyId: 'admin', keyName: 'admin', type: 'organisation-service', workspace: undefined, user: undefined },
      scopes: new Set(['policies.create', 'organisation_settings.update']),
      expiresAtMs: Number.POSITIVE_INFINITY,
    };
    const callers = { admin: organisation };
    const one = await createTestManagement(['policies'], { callers, onCall: (report) => void seen.push(report) });
    const body = { ...POLICY, workspace_id: 'team-a' };
    for (const query of ['', '?force=true']) {
      expect((await one.call('admin', 'POST', `/policies/rate-limits${query}`, body)).status).toBe(200);
    }
    const records = recorded();
    expect(records.map((record) => record?.forced)).toEqual([false, true]);
    // The key belongs to none: it is that of what was changed.
    expect(records.map((record) => record?.workspace)).toEqual(['team-a', 'team-a']);
    await one.close();
  });

  test('has the workspace that a call of the organisation names, where it changes nothing', async () => {
    const one = await createTestManagement(['policies'], { onCall: (report) => void seen.push(report) });
    const body = { ...POLICY, workspace_id: 'team-b', value: 'none' };
    expect((await one.call('organisation', 'POST', '/policies/rate-limits', body)).status).toBe(400);
    const path = '/policies/rate-limits/none?workspace_id=team-b';
    expect((await one.call('organisation', 'DELETE', path)).status).toBe(404);
    expect(recorded().map((record) => record?.workspace)).toEqual([null, 'team-b']);
    await one.close();
  });

  test('has no gateway key of its path or of what was written', async () => {
    const canary = `gwk_canary${'0123456789'.repeat(3)}`;
    const one = await createTestManagement(['policies'], { onCall: (report) => void seen.push(report) });
    for (const path of [canary, canary.replace('_', '%5F'), canary.replace('canary', 'c%61nary')]) {
      expect((await one.call('a', 'PUT', `/policies/rate-limits/${path}`, { value: 1 })).status).toBe(404);
    }
    const named = { ...POLICY, name: `for ${canary}`, description: canary };
    const made = await one.call('a', 'POST', '/policies/rate-limits', named);
    expect(made.status).toBe(200);
    const records = recorded();
    expect(records).toHaveLength(4);
    expect(records[0]?.path).toMatch(/\/policies\/rate-limits\/\[redacted\]$/);
    expect(JSON.stringify(records)).not.toMatch(/gwk|0123456789/);
    expect(JSON.stringify(records)).toContain('for [redacted]');
    await one.close();
  });

  test('has what was sent without credentials, from where, and the id of the answer', async () => {
    const one = await createTestManagement(['virtual_keys'], { onCall: (report) => void seen.push(report) });
    const send = (headers: Readonly<Record<string, string>>, body: object) =>
      one.send({
        method: 'POST',
        url: '/v1/virtual-keys?force=false',
        headers: { 'x-gw-api-key': 'a', ...headers },
        body,
      });
    const body = { name: 'K', slug: 'k', provider: 'openai', key: 'canary-1' };
    const told = { 'x-gw-trace-id': 'trace-1', 'x-gw-client-address': '203.0.113.7', 'user-agent': 'test/1' };
    const made = await send(told, body);
    expect([made.status, made.headers['x-request-id']]).toEqual([200, 'trace-1']);
    const refused = await send({ 'x-gw-trace-id': 'gwk_canary-2', 'x-gw-client-address': 'canary' }, { nam: 'canary' });
    const records = recorded();
    expect(JSON.stringify([records, refused.headers])).not.toContain('canary');
    expect(records).toMatchObject([
      { request_id: 'trace-1', client_ip: '203.0.113.7', query_params: '{"force":"false"}' },
      { request_id: refused.headers['x-request-id'], client_ip: '127.0.0.1', request_body: null },
    ]);
    expect(JSON.parse(records[0]?.request_body ?? '')).toEqual({ ...body, key: '********' });
    expect(JSON.parse(records[0]?.request_headers ?? '')).toMatchObject({ 'user-agent': 'test/1' });
    await one.close();
  });

  test('has the entries of Secrets that were written, and no value', async () => {
    const one = await createTestManagement(['virtual_keys'], { onCall: (report) => void seen.push(report) });
    const body = { name: 'K', slug: 'k', provider: 'openai', key: 'canary-1' };
    expect((await one.call('a', 'POST', '/virtual-keys', body)).status).toBe(200);
    expect((await one.call('a', 'PUT', '/virtual-keys/k', { key: 'canary-2' })).status).toBe(200);
    expect((await one.call('a', 'PUT', '/virtual-keys/k', { note: 'no secret' })).status).toBe(200);
    const records = recorded();
    expect(JSON.stringify(records)).not.toContain('canary');
    expect(records.map((record) => record?.changes.map(({ kind, action }) => `${action} ${kind}`))).toEqual([
      ['create VirtualKey', 'rotate Secret'],
      ['update VirtualKey', 'rotate Secret'],
      ['update VirtualKey'],
    ]);
    expect(records[0]?.changes[1]).toMatchObject({ before: null, after: { entries: [expect.any(String)] } });
    await one.close();
  });
});
