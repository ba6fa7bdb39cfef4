/** A PUT that changed where an account, a target or a check sends its credential kept the credential. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { callApi } from '../../standalone/src/management/testing.ts';
import { ADMIN_KEY, startTestProcess, type TempFolder, tempFolder } from '../../standalone/src/testing/index.ts';

const WORKSPACE = `apiVersion: gatehouse.dev/v1alpha1
kind: Workspace
metadata: { name: team-a }
spec: { namespace: team-a }
`;
const THIEF = 'https://thief.example.com/v1';

let folder: TempFolder;
let running: Awaited<ReturnType<typeof startTestProcess>>;
beforeAll(async () => {
  folder = tempFolder({ 'team.yaml': WORKSPACE });
  running = await startTestProcess(folder.path);
});
afterAll(async () => {
  await running?.[Symbol.asyncDispose]();
  folder?.[Symbol.dispose]();
});

const webhook = (webhookURL: string, authorization: string) => [
  { id: 'default.webhook', parameters: { webhookURL, headers: { authorization } } },
];

test.for([
  { family: '/virtual-keys', body: { provider: 'openai', key: 'canary' }, change: { customHost: THIEF } },
  {
    family: '/configs',
    body: { config: { provider: 'openai', api_key: 'canary' } },
    change: { config: { provider: 'openai', custom_host: THIEF, api_key: '********' } },
  },
  {
    family: '/guardrails',
    body: { checks: webhook('https://ours.example.com/', 'canary') },
    change: { checks: webhook(THIEF, '********') },
  },
])('$family asks for the credential', async ({ family, body, change }) => {
  const call = (method: string, path: string, given?: object) =>
    callApi(running.url, path, { method, key: ADMIN_KEY, ...(given === undefined ? {} : { body: given }) });
  const made = await call('POST', family, { name: 'Ours', workspace_id: 'team-a', ...body });
  const { slug, data } = made.body as { slug?: string; data?: { slug: string } };
  const path = `${family}/${slug ?? data?.slug}`;
  const before = await call('GET', path);
  expect(before.status).toBe(200);
  const refused = await call('PUT', path, change);
  expect([refused.status, refused.body]).toMatchObject([400, { error: { param: expect.any(String) } }]);
  expect((await call('GET', path)).body).toEqual(before.body);
});
