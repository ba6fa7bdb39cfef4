import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Caller, createManagementServer, createTenancy, OPERATIONS } from './index.ts';
import { createMemoryStore } from './store/testing.ts';

const store = createMemoryStore();
const tenancy = createTenancy({
  store,
  organisationId: '00000000-0000-4000-8000-0000000000ff',
  organisationNamespace: 'gatehouse-system',
});

const caller = (over: Partial<Caller>): Caller => ({
  keyId: 'key',
  keyName: 'test',
  type: 'workspace-service',
  workspace: 'team-a',
  user: undefined,
  scopes: new Set(['policies.list', 'policies.create', 'policies.read', 'policies.update', 'policies.delete']),
  expiresAtMs: Number.POSITIVE_INFINITY,
  ...over,
});

const CALLERS: Readonly<Record<string, Caller>> = {
  a: caller({}),
  b: caller({ workspace: 'team-b' }),
  organisation: caller({ type: 'organisation-service', workspace: undefined }),
  reader: caller({ scopes: new Set(['policies.list']) }),
  expired: caller({ expiresAtMs: 1 }),
};
const byHash = new Map(
  Object.entries(CALLERS).map(([key, value]) => [createHash('sha256').update(key).digest('hex'), value]),
);

let names = 0;
const app = createManagementServer({
  operations: OPERATIONS,
  services: {
    store,
    tenancy,
    randomName: (length) => {
      names += 1;
      return String(names).padStart(length, '0');
    },
    now: () => Date.UTC(2027, 0, 1),
  },
  keys: { find: (sha256) => byHash.get(sha256) },
  onCall: () => undefined,
});

interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

async function call(
  key: string | undefined,
  method: 'GET' | 'POST' | 'PUT' | 'DELETE',
  url: string,
  body?: object,
): Promise<Answer> {
  const answer = await app.inject({
    method,
    url: `/v1${url}`,
    ...(key === undefined ? {} : { headers: { 'x-gw-api-key': key } }),
    ...(body === undefined ? {} : { payload: body }),
  });
  return { status: answer.statusCode, body: answer.json() };
}

const POLICY = {
  name: 'Slow',
  conditions: [{ key: 'model', value: '@openai/*' }],
  group_by: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpm',
  value: 10,
};

beforeAll(async () => {
  for (const name of ['team-a', 'team-b']) {
    await store.create(
      { kind: 'Workspace', namespace: undefined, name },
      { spec: { namespace: name } },
      { force: false },
    );
  }
});
afterAll(() => app.close());

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
