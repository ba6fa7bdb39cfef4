import { expect, test } from 'vitest';
import type { AnswerFields } from '../client.ts';
import type { StageOf } from '../world.ts';

const MESSAGES = JSON.stringify([{ role: 'user', content: 'Hello {{name}}' }]);
const VERSION = { string: MESSAGES, model: 'gpt-4o', virtual_key: 'openai', parameters: { temperature: 1 } };

export function testPrompts(stage: StageOf): void {
  test('collections', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const body = { name: 'Letters', slug: 'letters', workspace_id };
    const { body: made } = await client.call('POST /collections', { body });
    await client.call('POST /collections', { body, status: 409 });
    const path = { collectionId: made.id };
    const inner = { name: 'Drafts', workspace_id, parent_collection_id: made.id };
    const { body: child } = await client.call('POST /collections', { body: inner });
    const { body: shown } = await client.call('GET /collections/{collectionId}', { path });
    expect(shown).toMatchObject({ name: 'Letters', child_collections: [{ id: child.id }] });
    const { body: list } = await client.call('GET /collections', { query: { workspace_id, search: 'Letters' } });
    expect(list).toMatchObject({ total: 1, data: [{ id: made.id }] });
    await client.call('PUT /collections/{collectionId}', { path, body: { name: 'Mail' } });
    await world.settled();
    await client.call('DELETE /collections/{collectionId}', { path, status: 409 });
    await client.call('DELETE /collections/{collectionId}', { path: { collectionId: child.id } });
    await client.call('DELETE /collections/{collectionId}', { path });
    await client.call('GET /collections/{collectionId}', { path, status: 404 });
  });

  test('labels', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const body = { name: 'canary', description: 'Few', color_code: '#ff0000', workspace_id };
    const { body: made } = await client.call('POST /labels', { body });
    await client.call('POST /labels', { body, status: 409 });
    const [path, query] = [{ labelId: made.id }, { workspace_id }];
    const get = async () => (await client.call('GET /labels/{labelId}', { path, query })).body;
    expect(await get()).toMatchObject({ name: 'canary', color_code: '#ff0000', is_universal: false });
    const { body: list } = await client.call('GET /labels', { query: { ...query, search: 'canary' } });
    expect(list).toMatchObject({ total: 1, data: [{ id: made.id }] });
    await client.call('PUT /labels/{labelId}', { path, body: { description: 'Fewer' } });
    expect(await get()).toMatchObject({ description: 'Fewer' });
    const { body: all } = await client.call('GET /labels', { query });
    const universal = all.data.find(({ name }) => name === 'production');
    await client.call('DELETE /labels/{labelId}', { path: { labelId: universal?.id ?? '' }, status: 403 });
    await client.call('DELETE /labels/{labelId}', { path });
    await client.call('GET /labels/{labelId}', { path, query, status: 404 });
  });

  test('partials with their versions', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const body = { name: 'Greeting', slug: 'greeting', string: 'Hello', workspace_id, version_description: 'First' };
    const { body: made } = await client.call('POST /prompts/partials', { body });
    await client.call('POST /prompts/partials', { body, status: 409 });
    const path = { promptPartialId: made.id };
    const get = async (query?: Record<string, string>) =>
      (await client.call('GET /prompts/partials/{promptPartialId}', { path, ...(query && { query }) })).body;
    expect(await get()).toMatchObject({ string: 'Hello', version: 1 });
    const { body: list } = await client.call('GET /prompts/partials', { query: { workspace_id } });
    expect(list).toMatchObject([{ id: made.id }]);
    await client.call('PUT /prompts/partials/{promptPartialId}', { path, body: { string: 'Good day' } });
    expect(await get({ version: 'latest' })).toMatchObject({ string: 'Good day', version: 2 });
    const { body: versions } = await client.call('GET /prompts/partials/{promptPartialId}/versions', { path });
    expect(versions).toHaveLength(2);
    await client.call('PUT /prompts/partials/{promptPartialId}/makeDefault', { path, body: { version: 2 } });
    expect(await get()).toMatchObject({ string: 'Good day' });
    const string = JSON.stringify([{ role: 'user', content: '{{> greeting}}' }]);
    const { body: collections } = await client.call('GET /collections', { query: { workspace_id } });
    const user = { ...VERSION, name: 'User', slug: 'includes', string, collection_id: collections.data[0]?.id };
    const { body: including } = await client.call('POST /prompts', { body: user });
    await world.settled();
    await client.call('DELETE /prompts/partials/{promptPartialId}', { path, status: 409 });
    await client.call('DELETE /prompts/{promptId}', { path: { promptId: including.id } });
    const copy = { slug: 'greeting-copy', workspace_id };
    const { body: copied } = await client.call('POST /prompts/partials/{promptPartialId}/fork', { path, body: copy });
    await client.call('POST /prompts/partials/{promptPartialId}/fork', { path, body: copy, status: 409 });
    await client.call('DELETE /prompts/partials/{promptPartialId}', { path });
    const { body: kept } = await client.call('GET /prompts/partials/{promptPartialId}', {
      path: { promptPartialId: copied.id },
    });
    expect(kept).toMatchObject({ name: 'Greeting', string: 'Good day', version: 1 });
    await client.call('DELETE /prompts/partials/{promptPartialId}', { path: { promptPartialId: copied.id } });
    await client.call('GET /prompts/partials/{promptPartialId}', { path, status: 404 });
  });

  test('prompts with their versions', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const { body: collections } = await client.call('GET /collections', { query: { workspace_id } });
    const collection_id = collections.data[0]?.id;
    const body = { ...VERSION, name: 'Letter', slug: 'letter', collection_id, version_description: 'First' };
    const { body: made } = await client.call('POST /prompts', { body });
    await client.call('POST /prompts', { body, status: 409 });
    const path = { promptId: made.id };
    const get = async (query?: Record<string, string>) =>
      (await client.call('GET /prompts/{promptId}', { path, ...(query && { query }) })).body;
    expect(await get()).toMatchObject({ ...VERSION, name: 'Letter', prompt_version: 1 });
    const { body: list } = await client.call('GET /prompts', { query: { workspace_id, search: 'Letter' } });
    expect(list).toMatchObject({ total: 1, data: [{ id: made.id }] });
    await client.call('PUT /prompts/{promptId}', { path, body: { patch: true, model: 'gpt-4o-mini' } });
    expect(await get({ version: 'latest' })).toMatchObject({ model: 'gpt-4o-mini', prompt_version: 2 });
    expect(await get()).toMatchObject({ prompt_version: 1 });
    const { body: versions } = await client.call('GET /prompts/{promptId}/versions', { path });
    expect(versions).toMatchObject([{ prompt_version: 2 }, { prompt_version: 1 }]);
    const [newest] = versions as unknown as readonly AnswerFields[]; // a bare list
    const second = { ...path, versionId: newest?.id ?? '' };
    const { body: shown } = await client.call('GET /prompts/{promptId}/versions/{versionId}', { path: second });
    expect(shown).toMatchObject({ prompt_version: 2, model: 'gpt-4o-mini' });
    await client.call('PUT /prompts/{promptId}/versions/{versionId}', {
      path: second,
      body: { label_id: 'production' },
    });
    expect(await get({ version: 'production' })).toMatchObject({ prompt_version: 2 });
    await client.call('PUT /prompts/{promptId}/makeDefault', { path, body: { version: 2 } });
    expect(await get()).toMatchObject({ prompt_version: 2 });
    const copy = { slug: 'letter-copy', workspace_id };
    const { body: copied } = await client.call('POST /prompts/{promptId}/fork', { path, body: copy });
    await client.call('POST /prompts/{promptId}/fork', { path, body: copy, status: 409 });
    await client.call('DELETE /prompts/{promptId}', { path });
    const kept = (await client.call('GET /prompts/{promptId}', { path: { promptId: copied.id } })).body;
    expect(kept).toMatchObject({ ...VERSION, name: 'Letter', model: 'gpt-4o-mini', prompt_version: 1 });
    await client.call('DELETE /prompts/{promptId}', { path: { promptId: copied.id } });
    await client.call('GET /prompts/{promptId}', { path, status: 404 });
  });
}
