/** Families of the management API over sockets: what each of them writes is in the folder and in force. */
import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../mock-provider/index.ts';
import { ADMIN_KEY, startTestProcess, type TempFolder, tempFolder } from '../testing/index.ts';
import { type Answer, callApi } from './testing.ts';

const API = 'apiVersion: gatehouse.dev/v1alpha1';
const TEAM_KEY = 'gwk_team_of_tests';
const TEAM_SHA256 = createHash('sha256').update(TEAM_KEY).digest('hex');

let mock: MockProvider;
let folder: TempFolder;
let running: Awaited<ReturnType<typeof startTestProcess>>;
beforeAll(async () => {
  mock = await createMockProvider();
  folder = tempFolder({
    'team.yaml': `${API}\nkind: Workspace\nmetadata: { name: team-a }\nspec: { namespace: team-a }\n`,
    'key.yaml': `${API}\nkind: ApiKey\nmetadata: { name: app, namespace: team-a }\nspec: { type: workspace-service, sha256: ${TEAM_SHA256}, scopes: [completions.write] }\n`,
  });
  running = await startTestProcess(folder.path);
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  folder?.[Symbol.dispose]();
  await mock?.close();
});

const call = (method: string, path: string, body?: object): Promise<Answer> =>
  callApi(running.url, path, { method, key: ADMIN_KEY, ...(body === undefined ? {} : { body }) });

/** The slug of what was made. */
async function made(path: string, body: object): Promise<string> {
  const answer = await call('POST', path, { workspace_id: 'team-a', ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  const { slug, data } = answer.body as { slug?: string; data?: { slug?: string } };
  return String(slug ?? data?.slug);
}

const fileOf = (kind: string, name: string): string => join(folder.path, 'team-a', kind, `${name}.yaml`);

test('a guardrail has its credential in a Secret, which goes with it', async () => {
  const check = { id: 'lakera.guard', parameters: { credentials: { apiKey: 'canary-guardrail' } } };
  const slug = await made('/guardrails', { name: 'Lakera', checks: [check] });
  expect(readFileSync(fileOf('guardrail', slug), 'utf8')).not.toContain('canary');
  expect(readFileSync(fileOf('secret', slug), 'utf8')).toContain('canary-guardrail');
  expect(statSync(fileOf('secret', slug)).mode & 0o777).toBe(0o600);
  expect(JSON.stringify((await call('GET', `/guardrails/${slug}`)).body)).not.toContain('canary');
  expect((await call('DELETE', `/guardrails/${slug}`)).status).toBe(200);
  expect(() => statSync(fileOf('secret', slug))).toThrow('ENOENT');
});

test('a key that is rotated works beside the new one, until its end', async () => {
  const answer = await call('POST', '/api-keys/workspace/service', {
    workspace_id: 'team-a',
    name: 'Rotated',
    scopes: ['configs.list'],
  });
  const { id, key: first } = answer.body as { id: string; key: string };
  const statusWith = async (key: string): Promise<number> => (await callApi(running.url, '/configs', { key })).status;
  await waitFor(async () => (await statusWith(first)) === 200, { what: 'the key' });
  const { key: second } = (await call('POST', `/api-keys/${id}/rotate`)).body as { key: string };
  await waitFor(async () => (await statusWith(second)) === 200, { what: 'the new key' });
  expect(await statusWith(first)).toBe(200);

  const file = fileOf('api-key', ((await call('GET', `/api-keys/${id}`)).body as { slug: string }).slug);
  const text = readFileSync(file, 'utf8');
  expect(text).not.toContain(first);
  expect(text).not.toContain(second);
  writeFileSync(file, text.replace(/(previousKey:\s+sha256: \S+\s+expiresAt: ).*/, '$12020-01-01T00:00:00Z'));
  await waitFor(async () => (await statusWith(first)) === 401, { what: 'the end of the previous key' });
  expect(await statusWith(second)).toBe(200);
});

test('a key whose budget is used up works again after reset_usage, and its budget is as large as before', async () => {
  const account = await made('/virtual-keys', {
    ...{ name: 'Spent', provider: 'openai', key: 'sk-1', customHost: `${mock.url}/v1` },
  });
  const answer = await call('POST', '/api-keys/workspace/service', {
    workspace_id: 'team-a',
    name: 'Spender',
    scopes: ['completions.write'],
    usage_limits: { type: 'tokens', credit_limit: 100 },
  });
  const { id, key } = answer.body as { id: string; key: string };
  const spend = async (): Promise<number> => {
    const body = { model: `@${account}/mock-small`, max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] };
    return (await callApi(running.url, '/chat/completions', { method: 'POST', key, body })).status;
  };
  const spendAll = async (): Promise<number> => {
    for (let calls = 0; ; calls += 1) if ((await spend()) === 412) return calls;
  };
  await waitFor(async () => (await spend()) === 200, { what: 'the key' });
  expect(await spendAll()).toBeGreaterThan(0);
  // A call is refused while the estimates of those before it are held; what counts is known when they have ended.
  const spent = await waitFor(
    async () => {
      await spend();
      const { body } = await call('GET', `/api-keys/${id}`);
      return body['status'] === 'exhausted' ? body : undefined;
    },
    { what: 'the end of the budget' },
  );
  expect(spent).toMatchObject({ status: 'exhausted', usage_limits: { status: 'exhausted' } });
  expect((spent['usage_limits'] as { current_usage: number }).current_usage).toBeGreaterThanOrEqual(100);
  expect((await call('PUT', `/api-keys/${id}`, { reset_usage: true })).status).toBe(200);
  await waitFor(async () => (await spend()) === 200, { what: 'the reset' });
  expect(await spendAll()).toBeGreaterThan(0);
});

test('a group of a policy that is used up works again after its reset, and the other groups go on', async () => {
  const account = await made('/virtual-keys', {
    ...{ name: 'Grouped', provider: 'openai', key: 'sk-1', customHost: `${mock.url}/v1` },
  });
  const policy = await made('/policies/usage-limits', {
    ...{ name: 'Teams', type: 'requests', credit_limit: 2 },
    ...{ conditions: [{ key: 'virtual_key', value: account }], group_by: [{ key: 'metadata.team' }] },
  });
  const statusOf = async (team: string): Promise<number> => {
    const answer = await fetch(`${running.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-gw-api-key': TEAM_KEY,
        'x-gw-metadata': JSON.stringify({ team }),
      },
      body: JSON.stringify({ model: `@${account}/mock-small`, messages: [{ role: 'user', content: 'hi' }] }),
    });
    await answer.body?.cancel();
    return answer.status;
  };
  const groups = async () => {
    const answer = await call('GET', `/policies/usage-limits/${policy}/entities?workspace_id=team-a`);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return (answer.body as { data: { id: string; value_key: string; current_usage: number; status: string }[] }).data;
  };
  for (const team of ['red', 'blue']) {
    await waitFor(async () => (await statusOf(team)) === 412, { what: `the end of ${team}` });
  }
  const spent = await waitFor(
    async () => {
      const all = await groups();
      return all.every(({ status }) => status === 'exhausted') ? all : undefined;
    },
    { what: 'the end of both groups' },
  );
  expect(spent.map(({ value_key, status }) => `${value_key} ${status}`).sort()).toEqual([
    'metadata.team:blue exhausted',
    'metadata.team:red exhausted',
  ]);
  const red = spent.find(({ value_key }) => value_key.endsWith('red'));
  const reset = `/policies/usage-limits/${policy}/entities/${red?.id}/reset?workspace_id=team-a`;
  expect(await call('PUT', reset)).toMatchObject({ status: 200, body: {} });
  expect((await groups()).find(({ id }) => id === red?.id)).toMatchObject({ current_usage: 0, status: 'active' });
  await waitFor(async () => (await statusOf('red')) === 200, { what: 'the reset' });
  expect(await statusOf('blue')).toBe(412);
  await waitFor(async () => (await groups()).find(({ id }) => id === red?.id)?.current_usage === 1, {
    what: 'the call of red is counted',
  });
});

test('a virtual key shows at once what is used of each of its budgets, alone and in lists', async () => {
  const slug = await made('/virtual-keys', {
    ...{ name: 'Counted', provider: 'openai', key: 'sk-1', customHost: `${mock.url}/v1` },
    usage_limits: [
      { id: 'calls', type: 'requests', credit_limit: 2, periodic_reset: 'monthly' },
      { id: 'idle', type: 'cost', credit_limit: 5 },
    ],
  });
  const shown = async () => (await call('GET', `/virtual-keys/${slug}`)).body;
  expect(await shown()).toMatchObject({ usage_limits: [{ current_usage: 0, last_reset_at: null }, { id: 'idle' }] });
  const body = { model: `@${slug}/mock-small`, max_tokens: 1, messages: [{ role: 'user', content: 'hi' }] };
  const ask = async () =>
    (await callApi(running.url, '/chat/completions', { method: 'POST', key: TEAM_KEY, body })).status;
  await waitFor(async () => (await ask()) === 200, { what: 'the virtual key' });
  const month = new Date().toISOString().slice(0, 8);
  const used = (current_usage: number, status: string) => ({
    status,
    usage_limits: [{ id: 'calls', current_usage, status, last_reset_at: `${month}01T00:00:00Z` }, { current_usage: 0 }],
  });
  const counted = async (calls: number): Promise<boolean> => {
    const { usage_limits } = (await shown()) as { usage_limits: { current_usage: number }[] };
    return usage_limits[0]?.current_usage === calls;
  };
  await waitFor(() => counted(1), { what: 'the first call is counted' });
  expect(await shown()).toMatchObject(used(1, 'active'));
  expect(await ask()).toBe(200);
  await waitFor(() => counted(2), { what: 'the second call is counted' });
  expect(await ask()).toBe(412);
  expect(await shown()).toMatchObject(used(2, 'exhausted'));
  const { data } = (await call('GET', '/virtual-keys?workspace_id=team-a')).body as { data: { slug: string }[] };
  expect(data.find((one) => one.slug === slug)).toMatchObject(used(2, 'exhausted'));
});

test('a virtual key serves requests with the key that came in, and with the next one', async () => {
  const slug = await made('/virtual-keys', {
    name: 'Mine',
    provider: 'openai',
    key: 'canary-1',
    customHost: `${mock.url}/v1`,
  });
  const chat = async (): Promise<string | undefined> => {
    const body = { model: `@${slug}/mock-small`, messages: [{ role: 'user', content: 'hi' }] };
    await callApi(running.url, '/chat/completions', { method: 'POST', key: TEAM_KEY, body });
    return mock.requests.at(-1)?.headers.authorization;
  };
  await waitFor(async () => (await chat()) === 'Bearer canary-1', { what: 'the key' });
  expect((await call('PUT', `/virtual-keys/${slug}`, { key: 'canary-2' })).status).toBe(200);
  await waitFor(async () => (await chat()) === 'Bearer canary-2', { what: 'the new key' });
  expect(JSON.stringify([(await call('GET', `/virtual-keys/${slug}`)).body, running.log])).not.toContain('canary');
  expect(readFileSync(fileOf('virtual-key', slug), 'utf8')).not.toContain('canary');
});

test('a config routes requests with the key that it came with', async () => {
  const config = { provider: 'openai', api_key: 'canary-config', custom_host: `${mock.url}/v1` };
  const slug = await made('/configs', { name: 'Direct', config });
  const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
  const chat = async (): Promise<number> => {
    const headers = { 'x-gw-api-key': TEAM_KEY, 'x-gw-config': slug, 'content-type': 'application/json' };
    const answer = await fetch(`${running.url}/v1/chat/completions`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    await answer.body?.cancel();
    return answer.status;
  };
  await waitFor(async () => (await chat()) === 200, { what: 'the config' });
  expect(mock.requests.at(-1)?.headers.authorization).toBe('Bearer canary-config');
  const { body: shown } = await call('GET', `/configs/${slug}`);
  expect((await call('PUT', `/configs/${slug}`, { config: shown['config'] })).status).toBe(200);
  expect(readFileSync(fileOf('gateway-config', slug), 'utf8')).not.toContain('canary');
  expect(await chat()).toBe(200);
});

test('an API key opens the management API and is refused when it is gone', async () => {
  const body = { workspace_id: 'team-a', name: 'Reader', scopes: ['configs.list'] };
  const { status, body: answer } = await call('POST', '/api-keys/workspace/service', body);
  expect(status, JSON.stringify(answer)).toBe(200);
  const key = String(answer['key']);
  const list = async (): Promise<number> => (await callApi(running.url, '/configs', { key })).status;
  await waitFor(async () => (await list()) === 200, { what: 'the key' });
  const { slug } = (await call('GET', `/api-keys/${String(answer['id'])}`)).body as { slug: string };
  expect(readFileSync(fileOf('api-key', slug), 'utf8')).not.toContain(key);
  expect(JSON.stringify(running.log)).not.toContain(key);
  expect((await call('DELETE', `/api-keys/${slug}`)).status).toBe(200);
  await waitFor(async () => (await list()) === 401, { what: 'the refusal' });
});

test('a provider routes requests to its integration', async () => {
  folder.write(
    'integration.yaml',
    `${API}\nkind: Integration\nmetadata: { name: account, namespace: team-a }\nspec: { provider: openai, customHost: "${mock.url}/v1" }\n`,
  );
  const body = { workspace_id: 'team-a', name: 'Account', slug: 'account', integration_id: 'account' };
  await waitFor(async () => (await call('POST', '/providers', body)).status === 200, { what: 'the integration' });
  const question = { model: '@account/mock-small', messages: [{ role: 'user', content: 'hi' }] };
  const chat = () => callApi(running.url, '/chat/completions', { method: 'POST', key: TEAM_KEY, body: question });
  await waitFor(async () => (await chat()).status === 200, { what: 'the provider' });
});

test('an integration of the organisation serves the workspaces that have it', async () => {
  const account = { name: 'Shared', slug: 'shared', ai_provider_id: 'openai', key: 'canary-shared' };
  const made = await call('POST', '/integrations', { ...account, configurations: { custom_host: `${mock.url}/v1` } });
  expect(made.status, JSON.stringify(made.body)).toBe(200);
  const own = join(folder.path, 'gatehouse-system', 'integration', 'shared.yaml');
  expect(readFileSync(own, 'utf8')).not.toContain('canary');
  const question = { model: '@shared/mock-small', messages: [{ role: 'user', content: 'hi' }] };
  const chat = () => callApi(running.url, '/chat/completions', { method: 'POST', key: TEAM_KEY, body: question });
  expect((await chat()).status).toBe(400);
  const grant = (enabled: boolean) =>
    call('PUT', '/integrations/shared/workspaces', { workspaces: [{ id: 'team-a', enabled }] });
  expect((await grant(true)).status).toBe(200);
  await waitFor(async () => (await chat()).status === 200, { what: 'the grant' });
  expect(mock.requests.at(-1)?.headers.authorization).toBe('Bearer canary-shared');
  const models = [{ slug: 'mock-small', enabled: false }];
  const switched = await call('PUT', '/integrations/shared/models', {
    models,
    allow_all_models: false,
  });
  expect(switched.status, JSON.stringify(switched.body)).toBe(200);
  await waitFor(async () => (await chat()).status !== 200, { what: 'the model that is switched off' });
  expect((await call('DELETE', '/integrations/shared')).status).toBe(409);
  expect((await call('DELETE', '/providers/shared?workspace_id=team-a')).status).toBe(200);
  expect((await call('DELETE', '/integrations/shared')).status).toBe(200);
  expect(() => statSync(own)).toThrow('ENOENT');
  expect(() => statSync(join(folder.path, 'gatehouse-system', 'integration-access', 'shared.team-a.yaml'))).toThrow(
    'ENOENT',
  );
});

test('a workspace is there with its namespace, and goes with what is in it', async () => {
  const body = { name: 'Team B', slug: 'team-b', defaults: { metadata: { team: 'b' } } };
  expect((await call('POST', '/admin/workspaces', body)).status).toBe(200);
  const { body: other } = await call('POST', '/admin/workspaces', {
    name: 'Other',
    slug: 'other',
    namespace: 'team-b',
  });
  expect(other).toMatchObject({ errorCode: 'AB01', error: { param: 'namespace' } });
  const config = { workspace_id: 'team-b', name: 'Ours', slug: 'pc-ours', config: { provider: '@gone' } };
  expect((await call('POST', '/configs', config)).status).toBe(200);
  const key = { workspace_id: 'team-b', name: 'App', scopes: ['configs.list'], defaults: { config_id: 'pc-ours' } };
  const app = await call('POST', '/api-keys/workspace/service', key);
  const list = async (): Promise<number> =>
    (await callApi(running.url, '/configs', { key: String(app.body['key']) })).status;
  await waitFor(async () => (await list()) === 200, { what: 'the key' });
  const defaults = { user_api_key_config: 'pc-ours' };
  expect((await call('PUT', '/admin/workspaces/team-b', { defaults })).status).toBe(200);
  expect((await call('DELETE', '/admin/workspaces/team-b', { name: 'Team B' })).status).toBe(409);
  const gone = await call('DELETE', '/admin/workspaces/team-b', { name: 'Team B', force_delete: true });
  expect([gone.status, gone.body]).toEqual([200, {}]);
  await waitFor(async () => (await list()) === 401, { what: 'the refusal' });
  expect(() => statSync(join(folder.path, 'team-b', 'gateway-config', 'pc-ours.yaml'))).toThrow('ENOENT');
});

test('the operations are described to every key', async () => {
  const { status, body } = await callApi(running.url, '/openapi.json', { key: TEAM_KEY });
  expect([status, body]).toEqual([200, expect.objectContaining({ openapi: '3.1.0' })]);
  expect((await callApi(running.url, '/openapi.json', { key: 'gwk_unknown' })).status).toBe(401);
});
