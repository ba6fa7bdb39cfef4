import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../../testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['prompts']);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);
const make = async (body: object = {}): Promise<{ id: string; slug: string; version_id: string }> => {
  const answer = await call('a', 'POST', '/prompts/partials', { name: 'House style', string: 'Be brief.', ...body });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as { id: string; slug: string; version_id: string };
};
const get = async (slug: string, query = '') => (await call('a', 'GET', `/prompts/partials/${slug}${query}`)).body;
const put = (slug: string, body: object) => call('a', 'PUT', `/prompts/partials/${slug}`, body);
const publish = (slug: string, version: number | string) =>
  call('a', 'PUT', `/prompts/partials/${slug}/makeDefault`, { version });

describe('a partial', () => {
  test('is made with its first version, read, listed and deleted', async () => {
    const { id, slug, version_id } = await make({ version_description: 'First' });
    expect(slug).toMatch(/^pp-house-styl-\d{6}$/);
    expect(await get(slug)).toMatchObject({
      ...{ id, slug, name: 'House style', string: 'Be brief.', version: 1, version_description: 'First' },
      ...{ prompt_partial_version_id: version_id, status: 'active', prompt_partial_version_status: 'active' },
    });
    const { body } = await call('a', 'GET', '/prompts/partials');
    expect(body).toMatchObject([{ id, object: 'partial', name: 'House style' }]);
    expect((await call('a', 'DELETE', `/prompts/partials/${id}`)).body).toEqual({});
    expect((await call('a', 'GET', `/prompts/partials/${slug}`)).status).toBe(404);
  });

  test('gets a version with each text, which is served once it is published', async () => {
    const { slug } = await make();
    const { status, body } = await put(slug, { string: 'Be polite.', version_description: 'Second' });
    expect([status, body]).toEqual([200, { prompt_partial_version_id: expect.any(String) }]);
    expect(await get(slug)).toMatchObject({ version: 1, string: 'Be brief.' });
    expect(await get(slug, '?version=latest')).toMatchObject({
      ...{ version: 2, string: 'Be polite.', version_description: 'Second' },
      prompt_partial_version_id: body['prompt_partial_version_id'],
    });
    expect((await publish(slug, 2)).body).toEqual({});
    expect(await get(slug)).toMatchObject({ version: 2 });
    expect(await get(slug, '?version=1')).toMatchObject({ string: 'Be brief.' });
    expect(await get(slug, '?version=default')).toMatchObject({ version: 2 });
    const versions = (await call('a', 'GET', `/prompts/partials/${slug}/versions`)).body;
    expect(versions).toMatchObject([
      { version: 2, slug, object: 'partial', description: 'Second' },
      { version: 1, string: 'Be brief.', description: null },
    ]);
    expect((await publish(slug, 1)).status).toBe(200);
    expect(await get(slug)).toMatchObject({ version: 1 });
  });

  test('is renamed and moved without a new version', async () => {
    const { slug } = await make();
    const collection = (await call('a', 'POST', '/collections', { name: 'C', slug: 'legal' })).body;
    const moved = await put(slug, { name: 'Notice', collection_id: 'legal' });
    expect([moved.status, moved.body]).toEqual([200, {}]);
    expect(await get(slug, '?version=latest')).toMatchObject({
      ...{ name: 'Notice', version: 1, collection_id: collection['id'] },
    });
    const listed = (await call('a', 'GET', `/prompts/partials?collection_id=${String(collection['id'])}`)).body;
    expect(listed).toMatchObject([{ slug }]);
    expect((await call('a', 'GET', '/prompts/partials?page_size=1&current_page=1000')).body).toEqual([]);
  });

  test.for([
    { rule: 'another partial in its text', body: { string: '{{>other}}' }, status: 400, param: 'string' },
    { rule: 'a broken text', body: { string: '{{#open}}' }, status: 400, param: 'string' },
    { rule: 'no text', body: { string: '' }, status: 400, param: 'string' },
    { rule: 'a description alone', body: { version_description: 'x' }, status: 400, param: 'version_description' },
    {
      rule: 'an unknown collection',
      body: { collection_id: 'nope', string: 'x' },
      status: 404,
      param: 'collection_id',
    },
    { rule: 'a name that is empty', body: { name: '', string: 'x' }, status: 400, param: 'name' },
  ])('is not changed with $rule', async ({ body, status, param }) => {
    const { slug } = await make();
    const refused = await put(slug, body);
    expect([refused.status, refused.body]).toMatchObject([status, { error: { param } }]);
    expect(await get(slug, '?version=latest')).toMatchObject({ version: 1, name: 'House style' });
  });

  test('has no labels and no versions that are not there', async () => {
    const { slug } = await make();
    for (const version of ['7', 'production']) {
      expect((await call('a', 'GET', `/prompts/partials/${slug}?version=${version}`)).status, version).toBe(404);
    }
    expect((await call('a', 'GET', `/prompts/partials/${slug}?version=a%20b`)).status).toBe(400);
    expect((await publish(slug, 7)).status).toBe(404);
  });

  test('takes its versions with it, and a new one does not get those that were left', async () => {
    const { slug } = await make({ slug: 'style' });
    await put(slug, { string: 'Two' });
    expect((await call('a', 'DELETE', `/prompts/partials/${slug}`)).status).toBe(200);
    expect(await management.store.list('PromptPartialVersion', 'team-a')).not.toContainEqual(
      expect.objectContaining({ meta: expect.objectContaining({ name: 'style-v2' }) }),
    );
    const left = { kind: 'PromptPartialVersion', namespace: 'team-a', name: 'style-v3' } as const;
    const spec = { partialRef: { name: 'style' }, version: 3, text: 'Old' };
    await management.store.create(left, { spec }, { force: false });
    const again = await call('a', 'POST', '/prompts/partials', { name: 'x', slug: 'style', string: 'x' });
    expect([again.status, again.body]).toMatchObject([409, { message: expect.stringContaining('style-v3') }]);
  });

  test('of another workspace is not there', async () => {
    const { slug } = await make();
    for (const [method, path, body] of [
      ['GET', '', undefined],
      ['PUT', '', { name: 'X' }],
      ['DELETE', '', undefined],
      ['GET', '/versions', undefined],
      ['PUT', '/makeDefault', { version: 1 }],
    ] as const) {
      expect((await call('b', method, `/prompts/partials/${slug}${path}`, body)).status, method + path).toBe(404);
    }
  });
});
