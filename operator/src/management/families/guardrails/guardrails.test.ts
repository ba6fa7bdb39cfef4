import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, ORGANISATION_ID, type TestManagement } from '../../testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['guardrails', 'organisation_guardrails']);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);

const WORDS = { id: 'default.contains', parameters: { operator: 'none', words: ['secret'] } };
const HOOK = {
  id: 'default.webhook',
  parameters: { webhookURL: 'https://checks.example.com/', headers: { authorization: 'Bearer canary' } },
};
const ASKED = {
  id: 'default.moderation',
  parameters: { url: 'https://checks.example.com/', credentials: { apiKey: 'canary' } },
};
const LAKERA = { id: 'lakera.guard', parameters: { credentials: { apiKey: 'canary' } } };

const make = async (body: object): Promise<string> => {
  const { status, body: made } = await call('a', 'POST', '/guardrails', {
    name: 'No Secrets!',
    checks: [WORDS],
    ...body,
  });
  expect([status, made]).toEqual([200, expect.objectContaining({ slug: expect.stringMatching(/^pg-no-sec-\d{6}$/) })]);
  return `/guardrails/${String(made['slug'])}`;
};

describe('a guardrail', () => {
  test('is made, read, listed, changed and deleted', async () => {
    const url = await make({ actions: { deny: true, on_fail: { feedback: { value: -5, metadata: '{"a":"b"}' } } } });
    const { body } = await call('a', 'GET', url);
    expect(body).toMatchObject({
      name: 'No Secrets!',
      status: 'active',
      checks: [{ ...WORDS, is_enabled: true }],
      actions: {
        deny: true,
        async: false,
        on_success: {},
        on_fail: { feedback: { value: -5, weight: 1, metadata: '{"a":"b"}' } },
      },
    });
    const listed = async (query = '') => (await call('a', 'GET', `/guardrails${query}`)).body['data'];
    expect(await listed()).toEqual([expect.not.objectContaining({ checks: expect.anything() })]);
    expect(await listed(`?ids=x,${String(body['id'])}`)).toMatchObject([{ id: body['id'] }]);
    expect(await listed('?ids=x')).toEqual([]);

    const before = body['id'];
    expect((await call('a', 'PUT', url, { actions: { deny: null, async: true } })).body).toMatchObject({ id: before });
    expect((await call('a', 'GET', `/guardrails/${String(before)}`)).body).toMatchObject({
      checks: [WORDS],
      actions: { deny: false, async: true, on_fail: { feedback: { value: -5 } } },
    });
    expect((await call('a', 'DELETE', url)).status).toBe(200);
    expect((await call('a', 'GET', url)).status).toBe(404);
  });

  test.for([
    { word: 'block', deny: true },
    { word: 'deny', deny: true },
    { word: 'log', deny: false },
  ])('denies or not with the word $word', async ({ word, deny }) => {
    for (const member of ['on_fail', 'onFail']) {
      const url = await make({ actions: { [member]: word } });
      expect((await call('a', 'GET', url)).body).toMatchObject({ actions: { deny } });
    }
  });

  test('of another workspace is not there', async () => {
    const url = await make({});
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
      expect((await call('b', method, url, body)).status, method).toBe(404);
    }
  });

  test('of the organisation needs a key of the organisation and scopes of its own', async () => {
    const body = { name: 'All', checks: [WORDS], organisation_id: ORGANISATION_ID };
    const { body: made } = await call('organisation', 'POST', '/guardrails', body);
    const url = `/guardrails/${String(made['slug'])}`;
    expect((await call('organisation', 'GET', url)).body).toMatchObject({ workspace_id: null });
    expect((await call('a', 'GET', url)).status).toBe(404);
    const other = await call('organisation', 'POST', '/guardrails', { ...body, organisation_id: crypto.randomUUID() });
    expect(other.status).toBe(404);
    expect((await call('organisation', 'POST', '/guardrails', { name: 'All', checks: [WORDS] })).body).toMatchObject({
      error: { param: 'workspace_id' },
    });
    const scoped = await createTestManagement(['guardrails']);
    expect((await scoped.call('organisation', 'POST', '/guardrails', body)).status).toBe(403);
    await scoped.close();
  });

  test.for([
    { rule: 'an unknown check', body: { checks: [{ id: 'default.contain' }] }, param: 'checks[0].id' },
    {
      rule: 'a wrong parameter',
      body: { checks: [WORDS, { id: 'default.endsWith', parameters: { sufix: 'a' } }] },
      param: 'checks[1].parameters.suffix',
    },
    { rule: 'actions that exclude each other', body: { actions: { deny: true, async: true } }, param: 'actions.async' },
    {
      rule: 'metadata that is a text',
      body: { actions: { on_fail: { feedback: { value: 1, metadata: 'a' } } } },
      param: 'actions.on_fail.feedback.metadata',
    },
    { rule: 'masks in place of secrets', body: { checks: [mask(LAKERA)] }, param: 'checks[0].parameters.credentials' },
  ])('is refused with $rule', async ({ body, param }) => {
    const answer = await call('a', 'POST', '/guardrails', { name: 'G', checks: [WORDS], ...body });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param } }]);
  });
});

function mask(check: typeof LAKERA) {
  return { ...check, parameters: { credentials: { apiKey: '********' } } };
}

describe('a secret of a check', () => {
  test('is masked in answers, and a mask that comes back keeps it', async () => {
    const url = await make({ checks: [WORDS, HOOK, LAKERA] });
    const { body } = await call('a', 'GET', url);
    expect(JSON.stringify(body)).not.toContain('canary');
    expect(body['checks']).toMatchObject([
      {},
      { parameters: { headers: { authorization: '********' } } },
      { parameters: { credentials: { apiKey: '********' } } },
    ]);
    expect((await call('a', 'PUT', url, { checks: [...(body['checks'] as object[])].reverse() })).status).toBe(200);
    const [, , name] = url.split('/');
    const stored = await management.store.get({ kind: 'Guardrail', namespace: 'team-a', name: String(name) });
    expect(stored?.spec.checks).toMatchObject([{ parametersSecretRef: { name } }, HOOK, WORDS]);
  });

  test('is not taken from one of several checks that it may be of', async () => {
    const other = { ...HOOK, parameters: { ...HOOK.parameters, webhookURL: 'https://other.example.com/' } };
    const url = await make({ checks: [HOOK, other] });
    const { body } = await call('a', 'GET', url);
    const answer = await call('a', 'PUT', url, { checks: (body['checks'] as object[]).slice(1) });
    expect(answer.body).toMatchObject({ error: { param: 'checks[0].parameters.headers' } });
  });

  test.for([
    { rule: 'headers', check: HOOK, to: { webhookURL: 'https://thief.example.com/' }, param: 'headers' },
    { rule: 'a credential', check: ASKED, to: { url: 'https://thief.example.com/' }, param: 'credentials' },
    {
      rule: 'a credential that is left out',
      check: ASKED,
      to: { url: 'https://thief.example.com/', credentials: undefined },
      param: 'credentials',
    },
  ])('is needed anew when another address would get it: $rule', async ({ check, to, param }) => {
    const url = await make({ checks: [check] });
    const { body } = await call('a', 'GET', url);
    const [shown] = body['checks'] as { id: string; parameters: object }[];
    const moved = { ...shown, parameters: { ...shown?.parameters, ...to } };
    const answer = await call('a', 'PUT', url, { checks: [moved] });
    expect([answer.status, answer.body]).toMatchObject([400, { error: { param: `checks[0].parameters.${param}` } }]);
    const anew = {
      ...check,
      parameters: {
        ...check.parameters,
        ...to,
        ...('credentials' in check.parameters ? { credentials: { apiKey: 'other' } } : {}),
      },
    };
    expect((await call('a', 'PUT', url, { checks: [anew] })).status).toBe(200);
  });

  test('is never in one Secret with what other checks have kept', async () => {
    const url = await make({ checks: [LAKERA] });
    const [, , name = ''] = url.split('/');
    const { body } = await call('a', 'GET', url);
    const thief = { id: 'javelin.guardrails', parameters: { credentials: { baseUrl: 'https://thief.example.com' } } };
    const answer = await call('a', 'PUT', url, { checks: [...(body['checks'] as object[]), thief] });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    const stored = await management.store.get({ kind: 'Guardrail', namespace: 'team-a', name });
    expect(stored?.spec.checks).toMatchObject([
      { parametersSecretRef: { name } },
      { parametersSecretRef: { name: expect.stringMatching(`^${name}-\\d{6}$`) } },
    ]);
  });

  test('that two checks have with different values is refused', async () => {
    const other = { id: 'lakera.guard', name: 'b', parameters: { credentials: { apiKey: 'other' } } };
    const { status, body } = await call('a', 'POST', '/guardrails', { name: 'G', checks: [LAKERA, other] });
    expect([status, body]).toMatchObject([400, { error: { param: 'checks[1].parameters.credentials.apiKey' } }]);
    expect(JSON.stringify(body)).not.toContain('canary');
  });
});
