/** The library of prompts over sockets: what REST writes is YAML in the folder, and what calls get. */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
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
    'key.yaml': `${API}\nkind: ApiKey\nmetadata: { name: app, namespace: team-a }\nspec: { type: workspace-service, sha256: ${TEAM_SHA256}, scopes: [completions.write, prompts.render, prompts.update] }\n`,
    'provider.yaml': `${API}\nkind: VirtualKey\nmetadata: { name: local, namespace: team-a }\nspec: { provider: openai, customHost: "${mock.url}/v1" }\n`,
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

async function done(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
  const answer = await call(method, path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body;
}

const fileOf = (kind: string, name: string): string => join(folder.path, 'team-a', kind, `${name}.yaml`);

/** What a prompt renders to for the team. */
async function rendered(reference: string): Promise<unknown> {
  const how = { method: 'POST', key: TEAM_KEY, body: { variables: { name: 'Ada' } } };
  const { body } = await callApi(running.url, `/prompts/${reference}/render`, how);
  const { messages } = (body['data'] ?? {}) as { messages?: readonly { readonly content: string }[] };
  return messages?.[0]?.content;
}
const shows = (reference: string, text: string): Promise<boolean> =>
  waitFor(async () => (await rendered(reference)) === text, { what: `${reference}: ${text}` });

const words = (text: string): string => JSON.stringify([{ role: 'user', content: text }]);

test('a prompt that REST writes is YAML and is called, version by version', async () => {
  const collection = await done('POST', '/collections', { workspace_id: 'team-a', name: 'Support', slug: 'support' });
  const ours = { collection_id: collection['id'] };
  await done('POST', '/prompts/partials', { ...ours, name: 'Style', slug: 'style', string: 'Be brief.' });
  const greeting = { ...ours, name: 'Greeting', slug: 'greeting', model: 'mock-small', virtual_key: 'local' };
  const made = await done('POST', '/prompts', {
    ...greeting,
    string: words('Hi {{name}}. {{>style}}'),
    parameters: {},
  });
  const text = readFileSync(fileOf('prompt', 'greeting'), 'utf8');
  expect(text).toContain('content: Hi {{name}}. {{>style}}');
  expect(text).toContain('name: support');

  await shows('greeting', 'Hi Ada. Be brief.');
  const how = { method: 'POST', key: TEAM_KEY, body: { variables: { name: 'Ada' } } };
  expect((await callApi(running.url, '/prompts/greeting/completions', how)).status).toBe(200);
  expect(JSON.parse(String(mock.requests.at(-1)?.body))).toMatchObject({
    messages: [{ role: 'user', content: 'Hi Ada. Be brief.' }],
  });

  const second = await done('PUT', '/prompts/greeting', { patch: true, string: words('Dear {{name}}. {{>style}}') });
  expect(readFileSync(fileOf('prompt-version', 'greeting-v2'), 'utf8')).toContain('content: Dear {{name}}. {{>style}}');
  await shows('greeting@2', 'Dear Ada. Be brief.');
  expect(await rendered('greeting')).toBe('Hi Ada. Be brief.');
  await done('PUT', '/prompts/greeting/makeDefault', { version: 2 });
  await shows('greeting', 'Dear Ada. Be brief.');

  const label = await done('POST', '/labels', { workspace_id: 'team-a', name: 'beta' });
  await done('PUT', `/prompts/greeting/versions/${String(made['version_id'])}`, { label_id: label['id'] });
  await shows('greeting@beta', 'Hi Ada. Be brief.');
  expect(await done('GET', '/prompts/greeting?version=latest')).toMatchObject({
    ...{ prompt_version_id: second['prompt_version_id'], collection_id: collection['id'] },
  });

  await done('PUT', '/prompts/partials/style', { string: 'Be kind.' });
  await done('PUT', '/prompts/partials/style/makeDefault', { version: 2 });
  await shows('greeting', 'Dear Ada. Be kind.');
});

test('what a prompt uses stays until it is gone, and it takes its versions with it', async () => {
  for (const path of ['/prompts/partials/style', '/labels/beta', '/collections/support']) {
    const refused = await call('DELETE', path);
    expect([refused.status, refused.body], path).toMatchObject([409, { message: expect.stringContaining('greeting') }]);
  }
  await done('DELETE', '/prompts/greeting');
  for (const [kind, name] of [
    ['prompt', 'greeting'],
    ['prompt-version', 'greeting-v2'],
  ] as const) {
    expect(existsSync(fileOf(kind, name)), name).toBe(false);
  }
  for (const path of ['/prompts/partials/style', '/labels/beta', '/collections/support']) await done('DELETE', path);
  expect(existsSync(fileOf('prompt-partial-version', 'style-v2'))).toBe(false);
  await waitFor(async () => (await rendered('greeting')) === undefined, { what: 'the end of the prompt' });
});

test('a prompt that Git owns is neither changed nor deleted, nor are its versions', async () => {
  const flux = 'labels: { kustomize.toolkit.fluxcd.io/name: apps }';
  const template = 'template: { text: "Hi {{name}}" }';
  const file = folder.write(
    'git.yaml',
    `${API}\nkind: Prompt\nmetadata: { name: declared, namespace: team-a }\nspec: { publishedVersion: 1 }\n---\n` +
      `${API}\nkind: PromptVersion\nmetadata: { name: declared-v1, namespace: team-a, ${flux} }\n` +
      `spec: { promptRef: { name: declared }, version: 1, ${template} }\n---\n` +
      `${API}\nkind: PromptVersion\nmetadata: { name: declared-v2, namespace: team-a, ${flux} }\n` +
      `spec: { promptRef: { name: declared }, version: 2, ${template} }\n`,
  );
  const before = readFileSync(file, 'utf8');
  await waitFor(async () => (await call('GET', '/prompts/declared')).status === 200, { what: 'the file' });
  const refused = await call('DELETE', '/prompts/declared');
  expect([refused.status, refused.body]).toMatchObject([409, { message: expect.stringContaining('apps') }]);
  expect(readFileSync(file, 'utf8')).toBe(before);
  await done('DELETE', '/prompts/declared?force=true');
  expect((await call('GET', '/prompts/declared')).status).toBe(404);
});

test('publishing needs a scope of its own', async () => {
  const how = { method: 'PUT', key: TEAM_KEY, body: { version: 1 } };
  const refused = await callApi(running.url, '/prompts/greeting/makeDefault', how);
  expect([refused.status, refused.body]).toMatchObject([403, { message: expect.stringContaining('prompts.publish') }]);
});
