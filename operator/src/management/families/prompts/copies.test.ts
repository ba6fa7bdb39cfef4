import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../callers/index.ts';
import { createTestManagement, type TestManagement } from '../../testing.ts';

const WRITER: Caller = {
  ...{ keyId: 'writer', keyName: 'writer', type: 'workspace-service', workspace: 'team-a', user: undefined },
  scopes: new Set(['prompts.create']),
  expiresAtMs: Number.POSITIVE_INFINITY,
};
const TEXT = JSON.stringify([{ role: 'user', content: 'Say {{>style}}, {{>tone@1}}' }]);
const LETTER = { name: 'Letter', model: 'gpt-4o', virtual_key: 'openai', parameters: { temperature: 1 } };

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['prompts', 'virtual_keys'], { callers: { writer: WRITER } });
  const { store } = management;
  for (const [namespace, name] of [
    ['team-a', 'style'],
    ['team-a', 'tone'],
    ['gatehouse-system', 'tone'],
  ] as const) {
    await store.create({ kind: 'PromptPartial', namespace, name }, { spec: { text: `${name} of ${namespace}` } }, KEPT);
  }
});
afterAll(() => management.close());

const KEPT = { force: false };
const call: TestManagement['call'] = (...args) => management.call(...args);

async function make(body: object = {}): Promise<string> {
  const answer = await call('a', 'POST', '/prompts', {
    ...LETTER,
    string: TEXT,
    version_description: 'First',
    ...body,
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return String(answer.body['slug']);
}
const fork = (slug: string, body: object, key = 'organisation') =>
  call(key, 'POST', `/prompts/${slug}/fork?workspace_id=team-a`, body);
const specIn = async (namespace: string, name: string) =>
  (await management.store.get({ kind: 'Prompt', namespace, name }))?.spec;

describe('a copy of a prompt', () => {
  test('is beside the original, has its published version, and goes on by itself', async () => {
    const slug = await make();
    await call('a', 'PUT', `/prompts/${slug}`, { patch: true, model: 'gpt-4o-mini', version_description: 'Second' });
    const published = await fork(slug, { slug: 'published' }, 'a');
    expect(published.body).toMatchObject({ slug: 'published', object: 'prompt' });
    expect(await specIn('team-a', 'published')).toEqual(await specIn('team-a', slug));
    const { body } = await fork(slug, { version: 'latest', name: 'Short letter' }, 'a');
    expect(body['slug']).toMatch(/^pp-short-lett-\d{6}$/);
    expect((await call('a', 'GET', `/prompts/${String(body['slug'])}`)).body).toMatchObject({
      ...{ name: 'Short letter', string: TEXT, model: 'gpt-4o-mini', prompt_version: 1 },
      prompt_version_description: 'Second',
    });
    await call('a', 'DELETE', `/prompts/${slug}`);
    expect((await call('a', 'GET', '/prompts/published')).body).toMatchObject({ name: 'Letter', model: 'gpt-4o' });
  });

  test('goes into a workspace that has what the prompt names, and says what one lacks', async () => {
    const slug = await make();
    const into = { workspace_id: 'team-b', slug: 'moved' };
    const lacking = await fork(slug, into);
    expect([lacking.status, lacking.body]).toMatchObject([400, { error: { param: 'workspace_id' } }]);
    expect(lacking.body['message']).toContain('the provider or virtual key openai, the partial style');
    expect(lacking.body['message']).not.toContain('tone'); // that of the organisation
    expect(await specIn('team-b', 'moved')).toBeUndefined();
    const { store } = management;
    const partial = { kind: 'PromptPartial', namespace: 'team-b', name: 'style' } as const;
    await store.create(partial, { spec: { text: 'another' } }, KEPT);
    await call('b', 'POST', '/virtual-keys', { name: 'Main', slug: 'openai', provider: 'openai', key: 'sk-test' });
    expect((await fork(slug, into)).status).toBe(200);
    expect(await specIn('team-b', 'moved')).toEqual(await specIn('team-a', slug));
  });

  test('goes into the organisation without a provider there, as callers have their own', async () => {
    const slug = await make({ string: '{{>tone}}' });
    const organisation = { organisation_id: '00000000-0000-4000-8000-0000000000ff' };
    expect((await fork(slug, { ...organisation, slug: 'for-all' })).status).toBe(200);
    expect(await specIn('gatehouse-system', 'for-all')).toMatchObject({
      template: { providerRef: { name: 'openai' } },
    });
  });

  test('is refused without the right to read, into another workspace, and of what does not exist', async () => {
    const slug = await make();
    expect((await fork(slug, {}, 'writer')).status).toBe(403);
    expect((await fork(slug, {}, 'reader')).status).toBe(403);
    expect((await fork(slug, { workspace_id: 'team-b' }, 'a')).status).toBe(404);
    expect((await call('b', 'POST', `/prompts/${slug}/fork`, {})).status).toBe(404);
    expect((await fork(slug, { version: 7 }, 'a')).status).toBe(404);
    expect((await fork(slug, { version: 'nowhere' }, 'a')).status).toBe(404);
    expect((await fork(slug, { slug }, 'a')).status).toBe(409);
  });
});

test('a partial is copied with one of its versions', async () => {
  const partial = { name: 'Polite', slug: 'polite', string: 'Dear {{name}}' };
  expect((await call('a', 'POST', '/prompts/partials', partial)).status).toBe(200);
  await call('a', 'PUT', '/prompts/partials/polite', { string: 'Hi {{name}}' });
  const copy = (body: object, key = 'organisation') =>
    call(key, 'POST', '/prompts/partials/polite/fork?workspace_id=team-a', body);
  expect((await copy({ workspace_id: 'team-b', slug: 'polite' })).status).toBe(200);
  expect((await call('b', 'GET', '/prompts/partials/polite')).body).toMatchObject({
    string: 'Dear {{name}}',
    version: 1,
  });
  expect((await copy({ slug: 'casual', name: 'Casual', version: 2 }, 'a')).status).toBe(200);
  expect((await call('a', 'GET', '/prompts/partials/casual')).body).toMatchObject({
    ...{ name: 'Casual', string: 'Hi {{name}}', version: 1 },
  });
  expect((await copy({}, 'writer')).status).toBe(403);
});
