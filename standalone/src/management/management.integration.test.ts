/** The management API of a folder, over sockets: what REST writes is YAML, and in force. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { join } from 'node:path';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from '../mock-provider/index.ts';
import {
  ADMIN_KEY,
  addressOf,
  startGatehouse,
  startTestProcess,
  type TempFolder,
  tempFolder,
} from '../testing/index.ts';
import { type Answer, callApi } from './testing.ts';

const sha256 = (key: string): string => createHash('sha256').update(key).digest('hex');
const TEAM_KEY = 'gwk_team_of_tests';
const OTHER_KEY = 'gwk_other_of_tests';
const READER_KEY = 'gwk_reader_of_tests';
const API = 'apiVersion: gatehouse.dev/v1alpha1';
const SCOPES = 'completions.write, policies.list, policies.create, policies.read, policies.update, policies.delete';

const workspaceOf = (name: string): string =>
  `${API}\nkind: Workspace\nmetadata: { name: ${name} }\nspec: { namespace: ${name} }\n`;
const keyOf = (workspace: string, name: string, key: string, scopes = SCOPES): string =>
  `${API}\nkind: ApiKey\nmetadata: { name: ${name}, namespace: ${workspace} }\n` +
  `spec: { type: workspace-service, sha256: ${sha256(key)}, scopes: [${scopes}] }\n`;

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const folderOf = (): TempFolder =>
  tempFolder({
    'workspaces.yaml': `${workspaceOf('team-a')}---\n${workspaceOf('team-b')}`,
    'keys.yaml': [
      keyOf('team-a', 'app', TEAM_KEY),
      keyOf('team-b', 'app', OTHER_KEY),
      keyOf('team-a', 'reader', READER_KEY, 'policies.list'),
    ].join('---\n'),
    'provider.yaml': `${API}\nkind: VirtualKey\nmetadata: { name: local, namespace: team-a }\nspec: { provider: openai, customHost: "${mock.url}/v1" }\n`,
  });

const POLICY = {
  name: 'Slow',
  conditions: [{ key: 'model', value: '*' }],
  group_by: [{ key: 'api_key' }],
  type: 'requests',
  unit: 'rpd',
  value: 1,
};

const call = (
  url: string,
  path: string,
  { key = TEAM_KEY, ...how }: { method?: string; key?: string; body?: object } = {},
): Promise<Answer> => callApi(url, path, { key, ...how });

const chat = (url: string): Promise<Answer> =>
  call(url, '/chat/completions', {
    method: 'POST',
    body: { model: '@local/mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });

/** From the first write to the last, as a client of the management API does it. */
async function live(url: string, root: string): Promise<void> {
  const { status, body: made } = await call(url, '/policies/rate-limits', { method: 'POST', body: POLICY });
  expect([status, made]).toEqual([200, expect.objectContaining({ object: 'policy' })]);
  const file = join(root, 'team-a', 'rate-limit-policy', `${String(made['slug'])}.yaml`);
  expect(readFileSync(file, 'utf8')).toContain('displayName: Slow');
  await waitFor(async () => (await chat(url)).status === 429, { what: 'the limit' });

  const path = `/policies/rate-limits/${String(made['id'])}`;
  expect((await call(url, '/policies/rate-limits')).body).toMatchObject({ total: 1, data: [{ id: made['id'] }] });
  expect((await call(url, path)).body).toMatchObject({ name: 'Slow', value: 1, status: 'active' });
  expect((await call(url, path, { method: 'PUT', body: { value: 1_000 } })).status).toBe(200);
  expect(readFileSync(file, 'utf8')).toContain('value: 1000');
  await waitFor(async () => (await chat(url)).status === 200, { what: 'the higher limit' });

  expect((await call(url, path, { method: 'DELETE' })).status).toBe(200);
  expect(existsSync(file)).toBe(false);
  expect((await call(url, path)).status).toBe(404);
}

describe('a rate limit policy', () => {
  test('that REST writes is YAML in the folder and in force, until REST deletes it', async () => {
    using folder = folderOf();
    await using running = await startTestProcess(folder.path);
    await live(running.url, folder.path);
    const lines = running.log.filter(({ operation }) => operation === 'rate_limit_policies.create');
    expect(lines).toMatchObject([{ key: 'key/team-a/app', status: 200 }]);
  });

  test('is the same behind several workers', async () => {
    using folder = folderOf();
    const args = ['--resources', folder.path, '--port', '0', '--admin-port', '0', '--workers', '2', '--data'];
    await using child = startGatehouse(['standalone', ...args, join(folder.path, '.data')], {
      GATEHOUSE_ADMIN_KEY: ADMIN_KEY.padEnd(32, '0'),
    });
    await live(await addressOf(child), folder.path);
  });

  test('that a file has is read and changed by REST, where the file has it', async () => {
    using folder = folderOf();
    const text = `# Ours\n${API}\nkind: RateLimitPolicy\nmetadata: { name: ours, namespace: team-a }\nspec:\n  conditions: [{ key: model, values: ['@local/*'] }]\n  groupBy: [{ key: api_key }]\n  type: requests\n  unit: rpd\n  value: 5 # few\n`;
    const file = folder.write('limits.yaml', text);
    await using running = await startTestProcess(folder.path);
    expect((await call(running.url, '/policies/rate-limits/ours')).body).toMatchObject({ value: 5 });
    await call(running.url, '/policies/rate-limits/ours', { method: 'PUT', body: { value: 6 } });
    expect(readFileSync(file, 'utf8')).toBe(text.replace('value: 5', 'value: 6'));
  });
});

describe('a call', () => {
  test.for<{ rule: string; key: string; body?: object; status: number; code: string }>([
    { rule: 'with an unknown key', key: 'gwk_unknown', status: 401, code: 'AB05' },
    { rule: 'without the scope', key: READER_KEY, status: 403, code: 'AB03' },
    {
      rule: 'for another workspace',
      key: OTHER_KEY,
      body: { ...POLICY, workspace_id: 'team-a' },
      status: 404,
      code: 'AB02',
    },
    { rule: 'of the administrator without a workspace', key: ADMIN_KEY, status: 400, code: 'AB01' },
    { rule: 'with a mistake', key: TEAM_KEY, body: { ...POLICY, value: 'ten' }, status: 400, code: 'AB01' },
  ])('$rule is refused and writes nothing', async ({ key, body = POLICY, status, code }) => {
    using folder = folderOf();
    await using running = await startTestProcess(folder.path);
    const answer = await call(running.url, '/policies/rate-limits', { method: 'POST', key, body });
    expect([answer.status, answer.body]).toEqual([status, expect.objectContaining({ errorCode: code })]);
    expect(answer.headers.get('x-gw-trace-id')).not.toBeNull();
    expect(existsSync(join(folder.path, 'team-a'))).toBe(false);
  });

  test('of the administrator names its workspace', async () => {
    using folder = folderOf();
    await using running = await startTestProcess(folder.path);
    const body = { ...POLICY, workspace_id: 'team-b' };
    const made = await call(running.url, '/policies/rate-limits', { method: 'POST', key: ADMIN_KEY, body });
    expect(made.status).toBe(200);
    expect(existsSync(join(folder.path, 'team-b', 'rate-limit-policy'))).toBe(true);
  });

  test('of an operation that is not served is 404', async () => {
    using folder = folderOf();
    await using running = await startTestProcess(folder.path);
    const before = mock.requests.length;
    for (const path of ['/feedback/a/b', '/prompts/a/b?c=d', '/%70rompts/a/b']) {
      expect((await call(running.url, path)).status, path).toBe(404);
    }
    expect(mock.requests).toHaveLength(before);
  });

  test('with a body beyond the limit is 413', async () => {
    using folder = folderOf();
    await using running = await startTestProcess(folder.path);
    const { port } = new URL(running.url);
    const status = await new Promise((resolve, reject) => {
      const sent = requestHttp(
        { port, method: 'POST', path: '/v1/policies/rate-limits', headers: { 'x-gw-api-key': TEAM_KEY } },
        (answer) => resolve(answer.resume().statusCode),
      );
      sent.setHeader('content-type', 'application/json');
      sent.on('error', reject);
      sent.end(JSON.stringify({ name: 'x'.repeat(2_000_000) }));
    });
    expect(status).toBe(413);
  });
});

test('a process without a place for the socket serves requests to providers, and no management', async () => {
  using folder = folderOf();
  const args = ['--resources', folder.path, '--port', '0', '--admin-port', '0', '--data', join(folder.path, '.data')];
  await using child = startGatehouse(['standalone', ...args], { TMPDIR: join(folder.path, 'absent') });
  const url = await addressOf(child);
  expect((await chat(url)).status).toBe(200);
  expect((await call(url, '/policies/rate-limits')).status).toBe(404);
});
