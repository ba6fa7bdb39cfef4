import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createTestManagement, ORGANISATION_ID, type TestManagement } from '../../testing.ts';

let management: TestManagement;
beforeAll(async () => {
  management = await createTestManagement(['prompts']);
});
afterAll(() => management.close());

const call: TestManagement['call'] = (...args) => management.call(...args);
const make = async (body: object): Promise<{ id: string; slug: string }> => {
  const answer = await call('a', 'POST', '/labels', body);
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  return answer.body as { id: string; slug: string };
};

describe('a label', () => {
  test('is made, read, changed and deleted', async () => {
    const { id, slug } = await make({ name: 'beta', description: 'For the brave', color_code: '#3366ff' });
    expect(slug).toBe('beta');
    const { body } = await call('a', 'GET', `/labels/${id}`);
    expect(body).toMatchObject({
      ...{ id, name: 'beta', description: 'For the brave', color_code: '#3366ff', is_universal: false },
      ...{ organisation_id: ORGANISATION_ID, status: 'active' },
    });
    const changed = await call('a', 'PUT', `/labels/${id}`, { name: 'Gamma_2', description: null });
    expect([changed.status, changed.body]).toEqual([200, {}]);
    expect((await call('a', 'GET', '/labels/beta')).body).toMatchObject({
      ...{ id, slug: 'beta', name: 'Gamma_2', description: null, color_code: '#3366ff' },
    });
    expect((await call('a', 'PUT', '/labels/beta', { name: 'beta' })).status).toBe(200);
    const place = { kind: 'PromptLabel', namespace: 'team-a', name: 'beta' } as const;
    expect((await management.store.get(place))?.spec).toEqual({ color: '#3366ff' });
    expect((await call('a', 'DELETE', `/labels/${id}`)).status).toBe(200);
    expect((await call('a', 'GET', `/labels/${id}`)).status).toBe(404);
  });

  test('that every workspace has is listed first, and is neither changed nor deleted', async () => {
    const { body } = await call('b', 'GET', '/labels');
    const names = (body['data'] as { id: string; name: string; is_universal: boolean }[]).map(({ name }) => name);
    expect([body['total'], names]).toEqual([3, ['production', 'staging', 'development']]);
    const [first] = body['data'] as { id: string }[];
    for (const idOrName of [String(first?.id), 'production']) {
      const path = `/labels/${idOrName}`;
      expect((await call('b', 'GET', path)).body).toMatchObject({ name: 'production', is_universal: true });
      expect((await call('b', 'PUT', path, { name: 'mine' })).status).toBe(403);
      expect((await call('b', 'DELETE', path)).status).toBe(403);
    }
    expect((await call('b', 'GET', '/labels?search=STAG')).body).toMatchObject({ total: 1 });
  });

  test('has a name once in a workspace, whatever its slug is', async () => {
    const { slug } = await make({ name: 'Upper_1' });
    expect(slug).toMatch(/^upper-1-[0-9a-f]{6}$/);
    await make({ name: 'other', slug: 'own-slug' });
    for (const body of [{ name: 'Upper_1', slug: 'free' }, { name: 'other' }, { name: 'production' }]) {
      const again = await call('a', 'POST', '/labels', body);
      expect([again.status, again.body], body.name).toMatchObject([409, { error: { param: 'name' } }]);
    }
    const renamed = await call('a', 'PUT', '/labels/own-slug', { name: 'Upper_1' });
    expect([renamed.status, renamed.body]).toMatchObject([409, { error: { param: 'name' } }]);
    expect((await call('b', 'POST', '/labels', { name: 'other' })).status).toBe(200);
  });

  test.for(['latest', 'default', '12', 'a@b', 'a b', '', 'x'.repeat(65)])('is not called %j', async (name) => {
    const refused = await call('a', 'POST', '/labels', { name });
    expect([refused.status, refused.body]).toMatchObject([400, { error: { param: 'name' } }]);
  });

  test('has a colour', async () => {
    const refused = await call('a', 'POST', '/labels', { name: 'coloured', color_code: '<b>' });
    expect([refused.status, refused.body]).toMatchObject([400, { error: { param: 'color_code' } }]);
  });

  test('of another workspace is not there', async () => {
    const { id } = await make({ name: 'ours' });
    for (const [method, body] of [['GET'], ['PUT', {}], ['DELETE']] as const) {
      expect((await call('b', method, `/labels/${id}`, body)).status, method).toBe(404);
    }
  });
});
