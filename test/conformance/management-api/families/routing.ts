import { expect, test } from 'vitest';
import type { StageOf } from '../world.ts';

/** Configs, guardrails, virtual keys and providers. */
export function testRouting(stage: StageOf): void {
  test('configs', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const config = { retry: { attempts: 3 }, provider: 'openai', api_key: 'sk-of-the-contract-1' };
    const { body: made } = await client.call('POST /configs', {
      body: { name: 'Direct', slug: 'direct', workspace_id, config },
    });
    expect(made).toMatchObject({ success: true });
    await client.call('POST /configs', { body: { name: 'Direct', slug: 'direct', workspace_id, config }, status: 409 });
    const wrong = { name: 'Wrong', workspace_id, config: { strategy: { mode: 'no-such-mode' } } };
    await client.call('POST /configs', { body: wrong, status: 400 });
    const path = { slug: 'direct' };
    const get = async () => client.call('GET /configs/{slug}', { path, query: { workspace_id } });
    const shown = await get();
    expect(shown.text).not.toContain('sk-of-the-contract');
    expect(shown.text).toContain('********');
    const { body: list } = await client.call('GET /configs', { query: { workspace_id } });
    expect(list).toMatchObject({ total: 1, data: [{ slug: 'direct', name: 'Direct' }] });
    const change = { name: 'Other', config: { provider: 'ollama', custom_host: 'http://ollama:11434' } };
    await client.call('PUT /configs/{slug}', { path, query: { workspace_id }, body: change });
    const { body: after } = await get();
    expect(after.name).toBe('Other');
    expect(JSON.stringify(after)).toContain('ollama');
    const page = { workspace_id, current_page: '0', page_size: '10' };
    const versions = await client.call('GET /configs/{slug}/versions', { path, query: page });
    expect(versions.body.data[0]).toMatchObject({ name: 'Other', config: expect.stringContaining('ollama') });
    expect(versions.text).not.toContain('sk-of-the-contract');
    await client.call('DELETE /configs/{slug}', { path, query: { workspace_id } });
    await client.call('GET /configs/{slug}', { path, query: { workspace_id }, status: 404 });
    await client.call('GET /configs/{slug}/versions', { path, query: { workspace_id }, status: 404 });
  });

  test('guardrails', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const checks = [{ id: 'default.contains', parameters: { operator: 'none', words: ['secret'] } }];
    const body = { name: 'Words', slug: 'words', workspace_id, checks, actions: { deny: true, async: false } };
    const { body: made } = await client.call('POST /guardrails', { body });
    await client.call('POST /guardrails', { body, status: 409 });
    await client.call('POST /guardrails', {
      body: { ...body, slug: 'other', checks: [{ id: 'no.such.check' }] },
      status: 400,
    });
    const path = { guardrailId: made.id };
    const get = async () => (await client.call('GET /guardrails/{guardrailId}', { path })).body;
    expect(await get()).toMatchObject({ name: 'Words', checks: [{ id: 'default.contains' }] });
    const { body: list } = await client.call('GET /guardrails', { query: { workspace_id, page_size: '10' } });
    expect(list).toMatchObject({ total: 1, data: [{ id: made.id }] });
    await client.call('PUT /guardrails/{guardrailId}', { path, body: { name: 'Others', actions: { deny: false } } });
    expect(await get()).toMatchObject({ name: 'Others', actions: { deny: false } });
    const user = { name: 'User', slug: 'guarded', workspace_id, config: { input_guardrails: ['words'] } };
    await client.call('POST /configs', { body: user });
    await world.settled();
    await client.call('DELETE /guardrails/{guardrailId}', { path, status: 409 });
    await client.call('DELETE /configs/{slug}', { path: { slug: 'guarded' }, query: { workspace_id } });
    await client.call('DELETE /guardrails/{guardrailId}', { path });
    await client.call('GET /guardrails/{guardrailId}', { path, status: 404 });
  });

  test('virtual keys', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const body = { name: 'Mine', slug: 'mine', workspace_id, provider: 'openai', key: 'sk-of-the-contract-2' };
    await client.call('POST /virtual-keys', { body });
    await client.call('POST /virtual-keys', { body, status: 409 });
    await client.call('POST /virtual-keys', {
      body: { ...body, slug: 'other', provider: 'no-such-provider' },
      status: 400,
    });
    const [path, query] = [{ slug: 'mine' }, { workspace_id }];
    const get = () => client.call('GET /virtual-keys/{slug}', { path, query });
    const first = await get();
    expect(first.body).toMatchObject({ name: 'Mine', status: 'active' });
    const { body: list } = await client.call('GET /virtual-keys', { query: { workspace_id, current_page: '0' } });
    expect(list).toMatchObject({ total: 1, data: [{ slug: 'mine' }] });
    const usage_limits = { type: 'cost', credit_limit: 10, alert_threshold: 5 };
    const change = { name: 'Ours', note: 'Why', key: 'sk-of-the-contract-3', usage_limits };
    await client.call('PUT /virtual-keys/{slug}', { path, query, body: change });
    const second = await get();
    expect(second.body).toMatchObject({ name: 'Ours', note: 'Why', usage_limits });
    expect(first.text + second.text).not.toContain('sk-of-the-contract');
    await client.call('POST /configs', {
      body: { name: 'User', slug: 'user', workspace_id, config: { virtual_key: 'mine' } },
    });
    await world.settled();
    await client.call('DELETE /virtual-keys/{slug}', { path, query, status: 409 });
    await client.call('DELETE /configs/{slug}', { path: { slug: 'user' }, query });
    await client.call('DELETE /virtual-keys/{slug}', { path, query });
    await client.call('GET /virtual-keys/{slug}', { path, query, status: 404 });
  });
}
