import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, type TestManagement } from '../../testing.ts';

let management: TestManagement;
let workspaceId: string;
beforeAll(async () => {
  management = await createTestManagement(['prompts']);
  const place = { kind: 'Workspace', namespace: undefined, name: 'team-a' } as const;
  workspaceId = String((await management.store.get(place))?.meta.uid);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);
const make = async (body: object): Promise<{ id: string; slug: string }> => {
  const answer = await call('a', 'POST', '/collections', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as { id: string; slug: string };
};
const get = async (idOrSlug: string) => (await call('a', 'GET', `/collections/${idOrSlug}`)).body;

describe('a collection', () => {
  test('is made, read, renamed and deleted', async () => {
    const { id, slug } = await make({ name: 'Customer support' });
    expect(slug).toMatch(/^customer-suppor-\d{6}$/);
    const record = { id, slug, name: 'Customer support', workspace_id: workspaceId, is_default: 0, status: 'active' };
    expect(await get(slug)).toMatchObject({ ...record, parent_collection_id: null, child_collections: [] });
    const renamed = await call('a', 'PUT', `/collections/${id}`, { name: 'Support' });
    expect([renamed.status, renamed.body]).toEqual([200, {}]);
    expect(await get(id)).toMatchObject({ name: 'Support', slug });
    expect((await call('a', 'DELETE', `/collections/${slug}`)).status).toBe(200);
    expect((await call('a', 'GET', `/collections/${slug}`)).status).toBe(404);
  });

  test('holds others and prompts, and says how many', async () => {
    const parent = await make({ name: 'Parent', slug: 'parent' });
    const child = await make({ name: 'Child', slug: 'child', parent_collection_id: parent.id });
    for (const name of ['One', 'Two']) {
      const made = await call('a', 'POST', '/prompts', { name, string: 'hi', collection_id: 'child' });
      expect(made.status).toBe(200);
    }
    const { child_collections: children } = await get('parent');
    const stats = { child_collections_count: 0, prompts_count: 2, child_collections_last_updated_at: null };
    expect(children).toMatchObject([{ id: child.id, slug: 'child', name: 'Child', collection_details: stats }]);
    expect(await get('child')).toMatchObject({ parent_collection_id: parent.id });
    const { body } = await call('a', 'GET', '/collections?search=PAREN');
    const details = { child_collections_count: 1, prompts_count: 0, prompts_last_updated_at: null };
    expect(body).toMatchObject({ total: 1, data: [{ id: parent.id, collection_details: details }] });
    const [shown] = body['data'] as { collection_details: { child_collections_last_updated_at: string } }[];
    expect(shown?.collection_details.child_collections_last_updated_at).toMatch(/^2027-/);
  });

  test('that is the default one has the UUID of its workspace, holds what names none, and stays', async () => {
    const { body: made } = await call('b', 'POST', '/prompts', { name: 'Loose', string: 'hi' });
    const listed = (await call('b', 'GET', '/collections')).body;
    expect(listed).toMatchObject({ total: 1, data: [{ slug: 'default', is_default: 1, parent_collection_id: null }] });
    const [standard] = listed['data'] as { id: string; collection_details: object }[];
    expect(standard?.collection_details).toMatchObject({ prompts_count: 1 });
    const path = `/collections/${standard?.id}`;
    expect((await call('b', 'GET', path)).body).toMatchObject({ id: standard?.id, child_collections: [] });
    expect((await call('b', 'GET', `/prompts/${String(made['id'])}`)).body).toMatchObject({
      collection_id: standard?.id,
    });
    for (const [method, body] of [['PUT', { name: 'X' }], ['DELETE']] as const) {
      expect((await call('b', method, path, body)).status, method).toBe(404);
    }
    expect((await call('b', 'POST', '/collections', { name: 'X', slug: 'default' })).status).toBe(409);
    const { id } = await make({ name: 'Top', parent_collection_id: workspaceId });
    expect(await get(id)).toMatchObject({ parent_collection_id: null });
  });

  test('of another workspace is not there', async () => {
    const { id } = await make({ name: 'Ours' });
    for (const [method, body] of [['GET'], ['PUT', { name: 'X' }], ['DELETE']] as const) {
      expect((await call('b', method, `/collections/${id}`, body)).status, method).toBe(404);
    }
    const inside = await call('b', 'POST', '/collections', { name: 'X', parent_collection_id: id });
    expect([inside.status, inside.body]).toMatchObject([
      404,
      { errorCode: 'AB08', error: { param: 'parent_collection_id' } },
    ]);
    expect((await call('b', 'GET', `/collections/${workspaceId}`)).status).toBe(404);
  });

  test('of a key of the organisation names its workspace', async () => {
    expect((await call('organisation', 'GET', '/collections')).status).toBe(400);
    const listed = await call('organisation', 'GET', '/collections?workspace_id=team-a');
    expect(listed.body).toMatchObject({ data: [{ id: workspaceId }, {}, {}, {}, {}] });
    expect((await call('organisation', 'GET', '/collections/default?workspace_id=team-a')).body).toMatchObject({
      id: workspaceId,
    });
  });

  test('needs the scopes of prompts', async () => {
    expect((await call('reader', 'GET', '/collections')).status).toBe(200);
    const refused = await call('reader', 'POST', '/collections', { name: 'X' });
    expect([refused.status, refused.body]).toMatchObject([403, { message: expect.stringContaining('prompts.create') }]);
  });
});
