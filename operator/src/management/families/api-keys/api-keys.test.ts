import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, ORGANISATION_ID, type TestManagement } from '../../testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement([
    'workspace_service_api_keys',
    'workspace_user_api_keys',
    'organisation_service_api_keys',
    'policies',
  ]);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);

const BODY = { name: 'Our app', scopes: ['policies.list'] };

const make = async (body: object = {}, path = 'workspace/service'): Promise<{ id: string; key: string }> => {
  const answer = await call('a', 'POST', `/api-keys/${path}`, { ...BODY, ...body });
  expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: 200, body: { object: 'api-key' } });
  return answer.body as { id: string; key: string };
};
const get = async (id: string) => (await call('a', 'GET', `/api-keys/${id}`)).body;
const put = (id: string, body: object) => call('a', 'PUT', `/api-keys/${id}`, body);

describe('an API key', () => {
  test('is also found where rows say that it is, in its own workspace alone', async () => {
    const { id } = await make({ slug: 'in-rows' });
    expect((await get(encodeURIComponent('key/team-a/in-rows')))['id']).toBe(id);
    for (const other of ['key/team-b/in-rows', 'key//in-rows', 'virtual-key/team-a/in-rows', 'key/team-a/in-rows/x']) {
      expect((await call('a', 'GET', `/api-keys/${encodeURIComponent(other)}`)).status).toBe(404);
    }
    expect((await call('b', 'GET', `/api-keys/${encodeURIComponent('key/team-a/in-rows')}`)).status).toBe(404);
    expect((await call('a', 'DELETE', `/api-keys/${id}`)).status).toBe(200);
  });

  test('is made, read, listed, changed and deleted', async () => {
    const { id, key } = await make({ usage_limits: { credit_limit: 5 }, expires_at: '2028-01-01T00:00:00Z' });
    const shown = await get(id);
    expect(shown).toMatchObject({
      id,
      name: 'Our app',
      type: 'workspace-service',
      status: 'active',
      scopes: ['policies.list'],
      defaults: { metadata: {}, config_id: null },
      allow_config_override: 1,
      usage_limits: { credit_limit: 5, current_usage: 0 },
      expires_at: '2028-01-01T00:00:00Z',
      rotation_policy: null,
    });
    expect((await call('a', 'GET', `/api-keys?ids=${id}`)).body).toMatchObject({ total: 1, data: [shown] });

    expect(
      await put(id, { name: 'Theirs', expires_at: null, rate_limits: [{ type: 'requests', unit: 'rps', value: 3 }] }),
    ).toEqual({ status: 200, body: {} });
    expect(await get(id)).toMatchObject({
      name: 'Theirs',
      expires_at: null,
      rate_limits: [{ unit: 'rps' }],
      usage_limits: { credit_limit: 5 },
    });
    const stored = await management.store.find('ApiKey', id);
    expect(stored?.spec.sha256).toBe(createHash('sha256').update(key).digest('hex'));

    expect((await call('a', 'DELETE', `/api-keys/${id}`)).status).toBe(200);
    expect((await call('a', 'GET', `/api-keys/${id}`)).status).toBe(404);
  });

  test('is in the answer that made it, and nowhere else', async () => {
    const { id, key } = await make();
    expect(key).toMatch(/^gwk_[a-z0-9]{40}$/);
    const shown = await get(id);
    expect(shown['key']).toBe(`gw********${key.slice(-2)}`);
    expect(JSON.stringify([shown, await management.store.find('ApiKey', id)])).not.toContain(key);
  });

  test('of a person has the person, and others have none', async () => {
    const { id } = await make({ user_id: 'ada' }, 'workspace/user');
    expect(await get(id)).toMatchObject({ type: 'workspace-user', user_id: 'ada' });
    const without = await call('a', 'POST', '/api-keys/workspace/user', BODY);
    expect([without.status, without.body]).toMatchObject([400, { error: { param: 'user_id' } }]);
  });

  test('of the organisation is made by one of the organisation', async () => {
    expect((await call('a', 'POST', '/api-keys/organisation/service', BODY)).status).toBe(403);
    const { body } = await call('organisation', 'POST', '/api-keys/organisation/service', BODY);
    expect((await call('a', 'GET', `/api-keys/${String(body['id'])}`)).status).toBe(404);
    expect((await call('organisation', 'GET', '/api-keys')).body).toMatchObject({
      total: 1,
      data: [{ id: body['id'], type: 'organisation-service', organisation_id: ORGANISATION_ID, workspace_id: null }],
    });
  });

  test('has its defaults changed member by member', async () => {
    const place = { kind: 'GatewayConfig', namespace: 'team-a', name: 'pc-main' } as const;
    await management.store.create(place, { spec: { config: { provider: '@main' } } }, { force: false });
    const config = await management.store.get(place);
    const { id } = await make({ defaults: { metadata: { team: 'a' }, allow_config_override: false } });
    await put(id, { defaults: { config_id: config?.meta.uid } });
    expect(await get(id)).toMatchObject({
      defaults: { metadata: { team: 'a' }, config_id: 'pc-main' },
      allow_config_override: 0,
    });
    await put(id, { defaults: { config_id: null } });
    expect(await get(id)).toMatchObject({ defaults: { metadata: { team: 'a' }, config_id: null } });
    expect((await put(id, { defaults: { config_id: 'absent' } })).body).toMatchObject({
      errorCode: 'AB08',
      error: { param: 'defaults.config_id' },
    });
  });

  test('gets no scope that its maker does not have', async () => {
    const scopes = ['policies.list', 'completions.write'];
    expect((await call('a', 'POST', '/api-keys/workspace/service', { ...BODY, scopes })).status).toBe(403);
    const { id } = await make();
    expect((await put(id, { scopes: ['completions:write'] })).status).toBe(403);
    expect((await put(id, { scopes: ['policies.read'] })).status).toBe(200);
  });

  test('is rotated: the new key is shown once, and the previous one has an end', async () => {
    const { id, key } = await make();
    const before = await management.store.find('ApiKey', id);
    const { status, body } = await call('a', 'POST', `/api-keys/${id}/rotate`, { key_transition_period_ms: 3_600_000 });
    expect([status, body]).toMatchObject([200, { id, key: expect.stringMatching(/^gwk_[a-z0-9]{40}$/) }]);
    expect(body['key']).not.toBe(key);
    const { spec } = (await management.store.find('ApiKey', id)) ?? {};
    expect(spec?.sha256).toBe(createHash('sha256').update(String(body['key'])).digest('hex'));
    expect(spec?.previousKey).toEqual({ sha256: before?.spec.sha256, expiresAt: body['key_transition_expires_at'] });
    expect((await get(id))['key']).toBe(`gw********${String(body['key']).slice(-2)}`);

    const again = await call('a', 'POST', `/api-keys/${id}/rotate`);
    expect([again.status, again.body]).toMatchObject([409, { errorCode: 'AB07' }]);
    expect((await management.store.find('ApiKey', id))?.spec).toEqual(spec);
  });

  test('is rotated once more when the previous key has ended', async () => {
    const { id } = await make();
    const place = { kind: 'ApiKey', namespace: 'team-a', name: String((await get(id))['slug']) } as const;
    const ended = { sha256: '0'.repeat(64), expiresAt: '2026-12-31T00:00:00Z' };
    await management.store.update(place, ({ spec }) => ({ spec: { ...spec, previousKey: ended } }), { force: false });
    expect((await call('a', 'POST', `/api-keys/${id}/rotate`)).status).toBe(200);
  });

  test.for([
    { rule: 'with a transition below half an hour', body: { key_transition_period_ms: 1_799_999 } },
    { rule: 'with a transition that is no number', body: { key_transition_period_ms: 'long' } },
  ])('is not rotated $rule', async ({ body }) => {
    const { id } = await make();
    const answer = await call('a', 'POST', `/api-keys/${id}/rotate`, body);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: 'key_transition_period_ms' } }]);
  });

  test('is not rotated by one that lacks a scope of it, which would hold it afterwards', async () => {
    const place = { kind: 'ApiKey', namespace: 'team-a', name: 'strong' } as const;
    const spec = { type: 'workspace-service', scopes: ['completions.write'], sha256: 'ab'.repeat(32) };
    await management.store.create(place, { spec }, { force: false });
    const { meta } = (await management.store.get(place)) ?? {};
    expect((await call('a', 'POST', `/api-keys/${meta?.uid}/rotate`)).status).toBe(403);
  });

  test('in a Secret is not rotated here', async () => {
    const place = { kind: 'ApiKey', namespace: 'team-a', name: 'in-a-secret' } as const;
    const spec = { type: 'workspace-service', scopes: ['policies.list'], secretRef: { name: 's', key: 'k' } };
    await management.store.create(place, { spec }, { force: false });
    const { meta } = (await management.store.get(place)) ?? {};
    const answer = await call('a', 'POST', `/api-keys/${meta?.uid}/rotate`);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: 'id' } }]);
  });

  test('has its budgets counted anew from now on with reset_usage, and nothing else changed', async () => {
    const { id } = await make({ usage_limits: [{ credit_limit: 5 }, { credit_limit: 200, type: 'tokens' }] });
    const before = await management.store.find('ApiKey', id);
    expect((await put(id, { reset_usage: false })).status).toBe(200);
    expect((await management.store.find('ApiKey', id))?.spec).toEqual(before?.spec);
    expect((await put(id, { reset_usage: true })).status).toBe(200);
    const resetUsageAt = '2027-01-01T00:00:00.000Z';
    const usageLimits = before?.spec.usageLimits?.map((limit) => ({ ...limit, resetUsageAt }));
    expect((await management.store.find('ApiKey', id))?.spec).toEqual({ ...before?.spec, usageLimits });
    await put(id, { usage_limits: { credit_limit: 9 }, reset_usage: true });
    expect((await management.store.find('ApiKey', id))?.spec.usageLimits?.[0]).toMatchObject({
      creditLimit: '9',
      resetUsageAt,
    });
  });

  test('has budgets of requests, at least one of them, in whole numbers', async () => {
    const { id } = await make({ usage_limits: { type: 'requests', credit_limit: 1 } });
    expect(await get(id)).toMatchObject({ usage_limits: { type: 'requests', credit_limit: 1, current_usage: 0 } });
    for (const credit_limit of [0, 1.5]) {
      const answer = await put(id, { usage_limits: { type: 'requests', credit_limit } });
      expect([answer.status, answer.body], `${credit_limit}`).toMatchObject([
        400,
        { error: { param: 'usage_limits[0].credit_limit' } },
      ]);
    }
  });

  const RANGE =
    'expected a number of at least 1, or 100 tokens, and at most 9007199 US dollars or 999999999999 tokens or requests, with up to 9 decimal places';
  test.for<{ limits: object; param: string; text: string }>([
    { limits: { credit_limit: -1 }, param: 'usage_limits.credit_limit', text: RANGE },
    { limits: { credit_limit: 1e300 }, param: 'usage_limits.credit_limit', text: RANGE },
    { limits: { credit_limit: 1.000_000_000_1 }, param: 'usage_limits.credit_limit', text: RANGE },
    { limits: { credit_limit: '5' }, param: 'usage_limits.credit_limit', text: RANGE },
    { limits: [{ credit_limit: 5 }, { credit_limit: -1 }], param: 'usage_limits[1].credit_limit', text: RANGE },
    {
      limits: { type: 'token', credit_limit: 500 },
      param: 'usage_limits.type',
      text: 'expected one of cost, tokens, requests; did you mean tokens?',
    },
    {
      limits: { credit_limit: 0.5 },
      param: 'usage_limits[0].credit_limit',
      text: 'credit_limit must be at least 1, or 100 tokens',
    },
    {
      limits: { credit_limit: 5, alert_threshold: 6 },
      param: 'usage_limits[0].alert_threshold',
      text: 'alert_threshold must be below credit_limit',
    },
    { limits: { credit_limits: 5 }, param: 'usage_limits.credit_limits', text: 'did you mean credit_limit?' },
  ])('is refused with a budget that cannot be, in the words of the API: $limits', async ({ limits, param, text }) => {
    const answer = await put((await make()).id, { usage_limits: limits });
    const message = expect.stringContaining(text);
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param, message } }]);
  });

  test('without budgets takes reset_usage as nothing', async () => {
    const { id } = await make();
    expect((await put(id, { reset_usage: true })).status).toBe(200);
    expect((await management.store.find('ApiKey', id))?.spec.usageLimits).toBeUndefined();
  });

  test('of another workspace is not there', async () => {
    const { id } = await make();
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
      expect((await call('b', method, `/api-keys/${id}`, body)).status, method).toBe(404);
    }
  });

  test('needs the scope of its type', async () => {
    const only = await createTestManagement(['workspace_user_api_keys', 'policies']);
    expect((await only.call('a', 'POST', '/api-keys/workspace/service', BODY)).status).toBe(403);
    expect((await only.call('a', 'POST', '/api-keys/workspace/user', { ...BODY, user_id: 'ada' })).status).toBe(200);
    await only.close();
    const none = await createTestManagement(['policies']);
    const refusal = async (key: string) =>
      (await none.call(key, 'POST', `/api-keys/${'x'.repeat(8)}/rotate`)).body['message'];
    const own = 'workspace_service_api_keys.rotate or workspace_user_api_keys.rotate';
    expect(await refusal('a')).toMatch(new RegExp(`needs the scope ${own}$`));
    expect(await refusal('organisation')).toContain(`organisation_service_api_keys.rotate or ${own}`);
    await none.close();
  });

  test.for([
    { rule: 'a type that there is not', path: 'organisation/user', body: {}, param: null },
    { rule: 'a text that is none', body: { name: 'x\0' }, param: 'name' },
    { rule: 'half a character', body: { description: 'x\ud800' }, param: 'description' },
    { rule: 'an end that is over', body: { expires_at: '2026-12-31T00:00:00Z' }, param: 'expires_at' },
    { rule: 'a scope that there is not', body: { scopes: ['nonsense'] }, param: 'scopes[0]' },
    { rule: 'a scope of other types', body: { scopes: ['organisation_service_api_keys.create'] }, param: 'scopes[0]' },
    { rule: 'an address that is none', body: { alert_emails: ['ada'] }, param: 'alert_emails[0]' },
  ])('is refused with $rule', async ({ path = 'workspace/service', body, param }) => {
    const answer = await call('a', 'POST', `/api-keys/${path}`, { ...BODY, ...body });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param } }]);
  });

  test('that is not generated by the operator is not rotated', async () => {
    const { id } = await make();
    const answer = await put(id, { rotation_policy: { rotation_period: 'weekly' } });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: 'rotation_policy' } }]);
  });
});
