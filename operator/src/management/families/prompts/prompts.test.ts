import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Caller } from '../../callers/index.ts';
import { createTestManagement, type TestManagement } from '../../testing.ts';

const EDITOR: Caller = {
  keyId: 'editor',
  keyName: 'editor',
  type: 'workspace-service',
  workspace: 'team-a',
  user: undefined,
  scopes: new Set(['prompts.create', 'prompts.update', 'prompts.read']),
  expiresAtMs: Number.POSITIVE_INFINITY,
};

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['prompts'], { callers: { editor: EDITOR } });
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);

const MESSAGES = [
  { role: 'system', content: 'You greet. {{>style}}' },
  { role: 'user', content: 'Say "hello" to {{name}}\n' },
];
const GREETING = {
  name: 'Greeting',
  string: JSON.stringify(MESSAGES),
  parameters: { temperature: 0.2, variables: { name: 'Ada' } },
  model: 'gpt-4o-mini',
  virtual_key: 'openai',
};
interface Made {
  readonly id: string;
  readonly slug: string;
  readonly version_id: string;
}
const make = async (body: object = {}): Promise<Made> => {
  const answer = await call('a', 'POST', '/prompts', { ...GREETING, ...body });
  expect([answer.status, answer.body]).toMatchObject([200, { object: 'prompt' }]);
  return answer.body as unknown as Made;
};
const get = async (slug: string, query = '') => (await call('a', 'GET', `/prompts/${slug}${query}`)).body;
const put = (slug: string, body: object) => call('a', 'PUT', `/prompts/${slug}`, body);
const publish = (slug: string, version: number | string) =>
  call('a', 'PUT', `/prompts/${slug}/makeDefault`, { version });
const specOf = async (name: string) =>
  (await management.store.get({ kind: 'Prompt', namespace: 'team-a', name }))?.spec;

describe('a prompt', () => {
  test('is made with its first version, which is published', async () => {
    const { id, slug, version_id } = await make({ version_description: 'First', tools: [{ type: 'function' }] });
    expect(slug).toMatch(/^pp-greeting-\d{6}$/);
    expect(await get(slug)).toMatchObject({
      ...GREETING,
      ...{ id, slug, prompt_version: 1, prompt_version_id: version_id, prompt_version_description: 'First' },
      ...{ prompt_version_label_id: null, prompt_version_status: 'active', status: 'active' },
      ...{ tools: [{ type: 'function' }], functions: null, tool_choice: null, is_raw_template: false },
    });
    expect(await specOf(slug)).toMatchObject({
      ...{ displayName: 'Greeting', description: 'First', publishedVersion: 1 },
      template: {
        ...{ messages: MESSAGES, model: 'gpt-4o-mini', providerRef: { name: 'openai' }, variables: { name: 'Ada' } },
        parameters: { temperature: 0.2, tools: [{ type: 'function' }] },
      },
    });
    expect((await call('a', 'GET', '/prompts')).body).toMatchObject({
      ...{ object: 'list', total: 1 },
      data: [{ id, slug, name: 'Greeting', model: 'gpt-4o-mini', object: 'prompt', status: 'active' }],
    });
    expect((await call('a', 'DELETE', `/prompts/${id}`)).body).toEqual({});
    expect((await call('a', 'GET', `/prompts/${slug}`)).status).toBe(404);
  });

  test.for([
    { rule: 'a text', text: 'Translate {{text}}' },
    { rule: 'JSON with blanks', text: '[{"role": "user", "content": "{{a}}"}]' },
    { rule: 'parts of content', text: '[{"role":"user","content":[{"type":"text","text":"{{a}}"}]}]' },
    { rule: 'a section over messages', text: '[{{#all}}{"role":"user","content":"{{.}}"},{{/all}}{"role":"user"}]' },
    {
      rule: 'a section from one message to the next',
      text: '[{"role":"user","content":"{{#a}}"},{"role":"user","content":"{{/a}}"}]',
    },
  ])('comes back as it was written: $rule', async ({ text }) => {
    const { slug } = await make({ string: text });
    expect(await get(slug)).toMatchObject({ string: text });
    expect((await specOf(slug))?.template).toMatchObject({ text });
  });

  test('that is raw stays a text', async () => {
    const { slug } = await make({ is_raw_template: 1 });
    expect(await get(slug)).toMatchObject({ string: GREETING.string, is_raw_template: true });
    expect((await specOf(slug))?.template).toMatchObject({ text: GREETING.string, raw: true });
  });

  test('is renamed and moved without a new version', async () => {
    const { slug } = await make();
    const collection = (await call('a', 'POST', '/collections', { name: 'C', slug: 'support' })).body;
    const moved = await put(slug, { name: 'Welcome', collection_id: collection['id'] });
    expect([moved.status, moved.body]).toEqual([200, {}]);
    expect(await get(slug, '?version=latest')).toMatchObject({
      ...{ name: 'Welcome', prompt_version: 1, collection_id: collection['id'] },
    });
    const listed = (await call('a', 'GET', '/prompts?collection_id=support&search=welc')).body;
    expect(listed).toMatchObject({ total: 1, data: [{ slug }] });
    expect((await put(slug, { collection_id: null })).body).toEqual({});
    expect((await call('a', 'GET', '/prompts?collection_id=support')).body).toMatchObject({ total: 0 });
    expect((await put(slug, { patch: true })).body).toEqual({});
  });

  test.for([
    { rule: 'a broken template', body: { ...GREETING, string: '{{#open}}' }, status: 400, param: 'string' },
    { rule: 'no text', body: { ...GREETING, string: '' }, status: 400, param: 'string' },
    {
      rule: 'a parameter with a place of its own',
      body: { ...GREETING, parameters: { model: 'x' } },
      status: 400,
      param: 'parameters.model',
    },
    {
      rule: 'variables that are no object',
      body: { ...GREETING, parameters: { variables: 'x' } },
      status: 400,
      param: 'parameters.variables',
    },
    {
      rule: 'a provider that cannot be one',
      body: { ...GREETING, virtual_key: 'A/B' },
      status: 400,
      param: 'virtual_key',
    },
    { rule: 'an unknown member', body: { ...GREETING, strings: 'x' }, status: 400, param: 'strings' },
    { rule: 'an unknown collection', body: { ...GREETING, collection_id: 'no' }, status: 404, param: 'collection_id' },
  ])('is neither made nor changed with $rule', async ({ body, status, param }) => {
    const { slug } = await make();
    for (const [method, path] of [
      ['POST', '/prompts'],
      ['PUT', `/prompts/${slug}`],
    ] as const) {
      const refused = await call('a', method, path, { ...body, name: 'Other' });
      expect([refused.status, refused.body], method).toMatchObject([status, { error: { param } }]);
    }
    expect(await get(slug, '?version=latest')).toMatchObject({ name: 'Greeting', prompt_version: 1 });
  });

  test('is not called as the partials, and its name leaves room for versions', async () => {
    for (const slug of ['partials', 'x'.repeat(245)]) {
      const refused = await call('a', 'POST', '/prompts', { ...GREETING, slug });
      expect([refused.status, refused.body]).toMatchObject([400, { error: { param: 'slug' } }]);
    }
  });

  test('takes its versions with it, and a new one does not get those that were left', async () => {
    const { slug } = await make({ slug: 'again' });
    await put(slug, { string: 'Two', patch: true });
    await publish(slug, 2);
    expect((await call('a', 'DELETE', `/prompts/${slug}`)).status).toBe(200);
    const left = { kind: 'PromptVersion', namespace: 'team-a', name: 'again-v2' } as const;
    expect(await management.store.get(left)).toBeUndefined();
    const spec = { promptRef: { name: 'again' }, version: 2, template: { text: 'Old' } };
    await management.store.create(left, { spec }, { force: false });
    const again = await call('a', 'POST', '/prompts', { ...GREETING, slug });
    expect([again.status, again.body]).toMatchObject([409, { message: expect.stringContaining('again-v2') }]);
  });

  test('of another workspace is not there', async () => {
    const { slug, version_id } = await make();
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'X' }],
      ['DELETE', '', undefined],
      ['GET', '/versions', undefined],
      ['GET', `/versions/${version_id}`, undefined],
      ['PUT', `/versions/${version_id}`, { label_id: 'production' }],
      ['PUT', '/makeDefault', { version: 1 }],
    ] as const) {
      expect((await call('b', method, `/prompts/${slug}${path}`, body)).status, method + path).toBe(404);
    }
  });

  test('of a key of the organisation is in the workspace of its collection', async () => {
    expect((await call('organisation', 'POST', '/prompts', GREETING)).status).toBe(400);
    const { body: made } = await call('a', 'POST', '/collections', { name: 'Here' });
    const answer = await call('organisation', 'POST', '/prompts', { ...GREETING, collection_id: made['id'] });
    expect(answer.status).toBe(200);
    expect(await specOf(String(answer.body['slug']))).toMatchObject({ collectionRef: { name: made['slug'] } });
    const elsewhere = { ...GREETING, collection_id: made['id'], workspace_id: 'team-b' };
    expect((await call('organisation', 'POST', '/prompts', elsewhere)).status).toBe(404);
  });
});

describe('a version of a prompt', () => {
  test('is made of the members that are sent, or of the newest one with patch', async () => {
    const { slug, id } = await make();
    const partly = await put(slug, { name: 'Other', string: 'Hi {{name}}' });
    expect([partly.status, partly.body]).toMatchObject([400, { error: { param: 'parameters' } }]);
    expect(await get(slug)).toMatchObject({ name: 'Greeting' });

    const patched = await put(slug, { patch: true, model: 'gpt-4o', version_description: 'Better', name: 'Other' });
    expect(patched.body).toMatchObject({ id, slug, prompt_version_id: expect.any(String) });
    expect(await get(slug)).toMatchObject({ name: 'Other', prompt_version: 1, model: 'gpt-4o-mini' });
    const { name: _, ...content } = GREETING;
    expect(await get(slug, '?version=2')).toMatchObject({
      ...content,
      ...{ model: 'gpt-4o', prompt_version_description: 'Better' },
    });
    const whole = { string: 'Hi {{name}}', parameters: {}, model: null, virtual_key: null };
    expect((await put(slug, whole)).status).toBe(200);
    expect(await get(slug, '?version=latest')).toMatchObject({ ...whole, prompt_version: 3 });
    const raw = await put(slug, { patch: true, is_raw_template: 1, prompt_metadata: { by: 'tool' } });
    expect(raw.status).toBe(200);
    expect(await get(slug, '?version=4')).toMatchObject({
      ...{ string: 'Hi {{name}}', is_raw_template: true, template_metadata: { by: 'tool' } },
    });
  });

  test('is in force once it is published, by its number or its UUID', async () => {
    const { slug, version_id } = await make();
    const { body } = await put(slug, { patch: true, model: 'gpt-4o' });
    expect((await publish(slug, 2)).body).toEqual({});
    expect(await get(slug)).toMatchObject({ prompt_version: 2, prompt_version_id: body['prompt_version_id'] });
    expect((await call('a', 'GET', `/prompts?search=${slug}`)).body).toMatchObject({ data: [{ model: 'gpt-4o' }] });
    expect((await publish(slug, version_id)).body).toEqual({});
    expect(await get(slug)).toMatchObject({ prompt_version: 1 });
    expect((await publish(slug, 3)).status).toBe(404);
    const refused = await call('editor', 'PUT', `/prompts/${slug}/makeDefault`, { version: 2 });
    expect([refused.status, refused.body]).toMatchObject([
      403,
      { message: expect.stringContaining('prompts.publish') },
    ]);
  });

  test('is listed, the newest first, and read by UUID and number', async () => {
    const { slug, id, version_id } = await make();
    const second = (await put(slug, { patch: true, string: 'Two' })).body['prompt_version_id'];
    const { body } = await call('a', 'GET', `/prompts/${slug}/versions`);
    expect(body).toMatchObject([
      { id: second, prompt_id: id, prompt_version: 2, prompt_template: { string: 'Two' }, object: 'prompt' },
      { id: version_id, prompt_version: 1, label_id: null, status: 'active' },
    ]);
    for (const named of [second, '2']) {
      const { body: shown } = await call('a', 'GET', `/prompts/${slug}/versions/${String(named)}`);
      expect(shown).toMatchObject({ id, prompt_version: 2, string: 'Two' });
    }
    expect((await call('a', 'GET', `/prompts/${slug}/versions/${slug}`)).status).toBe(404);
    expect((await call('a', 'GET', `/prompts/${slug}/versions?page_size=1&current_page=1`)).body).toMatchObject([
      { prompt_version: 1 },
    ]);
  });

  test('gets a label, which moves, and loses it', async () => {
    const { slug, version_id } = await make();
    const second = String((await put(slug, { patch: true, string: 'Two' })).body['prompt_version_id']);
    const labels = (await call('a', 'GET', '/labels')).body['data'] as { id: string; name: string }[];
    const production = labels.find(({ name }) => name === 'production')?.id;
    const beta = (await call('a', 'POST', '/labels', { name: 'Beta' })).body;
    const label = (version: string, label_id: unknown) =>
      call('a', 'PUT', `/prompts/${slug}/versions/${version}`, { label_id });

    expect((await label(version_id, production)).body).toEqual({});
    expect(await get(slug, '?version=production')).toMatchObject({
      ...{ prompt_version: 1, prompt_version_label_id: production },
    });
    await label(second, production);
    await label(second, beta['id']);
    expect((await specOf(slug))?.labels).toEqual([
      { name: 'production', version: 2 },
      { name: beta['slug'], version: 2 },
    ]);
    expect(await get(slug, '?version=Beta')).toMatchObject({ prompt_version: 2, prompt_version_label_id: beta['id'] });
    expect(await get(slug, '?version=1')).toMatchObject({ prompt_version_label_id: null });
    expect(await label(second, 'gone')).toMatchObject({
      status: 404,
      body: { errorCode: 'AB08', error: { param: 'label_id' } },
    });
    await label(second, null);
    expect((await specOf(slug))?.labels).toBeUndefined();
    expect((await call('a', 'GET', `/prompts/${slug}?version=production`)).status).toBe(404);
    expect((await label(second, 'nope')).status).toBe(404);
    expect((await label('9', production)).status).toBe(404);
  });

  test('is one of many that are made at once, and none is lost', async () => {
    const { slug } = await make();
    const models = Array.from({ length: 50 }, (_, i) => `model-${i}`);
    const answers = await Promise.all(models.map((model) => put(slug, { patch: true, model })));
    expect(answers.map(({ status }) => status)).toEqual(models.map(() => 200));
    const { body } = await call('a', 'GET', `/prompts/${slug}/versions`);
    const versions = body as unknown as { prompt_version: number; prompt_template: { model: string } }[];
    expect(versions.map(({ prompt_version }) => prompt_version)).toEqual(Array.from({ length: 51 }, (_, i) => 51 - i));
    expect(
      versions
        .slice(0, 50)
        .map(({ prompt_template }) => prompt_template.model)
        .sort(),
    ).toEqual(models.sort());
  });

  test('that the resource has as an object of its own is the same', async () => {
    const place = { kind: 'Prompt', namespace: 'team-a', name: 'declared' } as const;
    await management.store.create(place, { spec: { displayName: 'Declared' } }, { force: false });
    expect((await call('a', 'GET', '/prompts/declared')).status).toBe(404);
    const version = { kind: 'PromptVersion', namespace: 'team-a', name: 'declared-v1' } as const;
    const spec = { promptRef: { name: 'declared' }, version: 1, description: 'D', template: { messages: MESSAGES } };
    await management.store.create(version, { spec }, { force: false });
    expect(await get('declared')).toMatchObject({
      ...{ string: GREETING.string, parameters: {}, prompt_version: 1, prompt_version_description: 'D' },
    });
    expect((await put('declared', { patch: true, model: 'm' })).status).toBe(200);
    expect(await get('declared', '?version=2')).toMatchObject({ string: GREETING.string, model: 'm' });
  });
});
