import { expect, test } from 'vitest';
import type { StageOf } from '../world.ts';

/** Integrations with their models and workspaces, providers, secret references, and the list of known providers. */
export function testAccounts(stage: StageOf): void {
  test('integrations of the organisation', async () => {
    const { client, world } = stage();
    const body = { name: 'Shared', slug: 'shared', ai_provider_id: 'openai', key: 'sk-of-the-contract-4' };
    await client.call('POST /integrations', { body });
    await client.call('POST /integrations', { body, status: 409 });
    await client.call('POST /integrations', {
      body: { ...body, slug: 'other', ai_provider_id: 'no-such' },
      status: 400,
    });
    const path = { slug: 'shared' };
    const get = () => client.call('GET /integrations/{slug}', { path });
    expect((await get()).text).not.toContain('sk-of-the-contract');
    const { body: list } = await client.call('GET /integrations', { query: { page_size: '100' } });
    expect(list.data.map(({ slug }) => slug)).toContain('shared');
    await client.call('PUT /integrations/{slug}', { path, body: { description: 'Ours', key: 'sk-of-the-contract-5' } });
    expect((await get()).body).toMatchObject({ description: 'Ours' });

    const models = [{ slug: 'gpt-ours', is_custom: true, base_model_slug: 'gpt-4o', enabled: true }];
    await client.call('PUT /integrations/{slug}/models', { path, body: { models, allow_all_models: true } });
    const ours = async () => (await client.call('GET /integrations/{slug}/models', { path })).body;
    expect(await ours()).toMatchObject({ allow_all_models: true, models: [{ slug: 'gpt-ours', is_custom: true }] });
    await client.call('DELETE /integrations/{slug}/models', { path, query: { slugs: 'gpt-ours' } });
    expect(await ours()).toMatchObject({ models: [] });

    const workspaces = [{ id: world.workspace, enabled: true, create_default_provider: true }];
    await client.call('PUT /integrations/{slug}/workspaces', { path, body: { workspaces } });
    const { body: granted } = await client.call('GET /integrations/{slug}/workspaces', { path });
    expect(granted).toMatchObject({ workspaces: [{ enabled: true }] });
    await world.settled();
    await client.call('DELETE /integrations/{slug}', { path, status: 409 });
    const query = { workspace_id: world.workspace };
    await client.call('DELETE /providers/{slug}', { path: { slug: 'shared' }, query });
    await client.call('DELETE /integrations/{slug}', { path });
    await client.call('GET /integrations/{slug}', { path, status: 404 });
  });

  test('integrations and providers of a workspace', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const account = { name: 'Local', slug: 'local', workspace_id, ai_provider_id: 'ollama' };
    const configurations = { custom_host: 'http://ollama:11434' };
    await client.call('POST /integrations', { body: { ...account, configurations, create_default_provider: false } });
    const body = { name: 'Mine', slug: 'pr-mine', workspace_id, integration_id: 'local', note: 'Why' };
    await client.call('POST /providers', { body });
    await client.call('POST /providers', { body, status: 409 });
    await client.call('POST /providers', { body: { ...body, slug: 'x', integration_id: 'no-such' }, status: 404 });
    const [path, query] = [{ slug: 'pr-mine' }, { workspace_id }];
    const get = async () => (await client.call('GET /providers/{slug}', { path, query })).body;
    expect(await get()).toMatchObject({ slug: 'pr-mine', name: 'Mine', note: 'Why' });
    const { body: list } = await client.call('GET /providers', { query: { workspace_id, page_size: '10' } });
    expect(list).toMatchObject({ total: 1, data: [{ slug: 'pr-mine' }] });
    const rate_limits = [{ type: 'requests', unit: 'rpm', value: 7 }];
    await client.call('PUT /providers/{slug}', { path, query, body: { name: 'Ours', rate_limits } });
    expect(await get()).toMatchObject({ name: 'Ours', rate_limits });
    await world.settled();
    await client.call('DELETE /integrations/{slug}', { path: { slug: 'local' }, query, status: 409 });
    await client.call('DELETE /providers/{slug}', { path, query });
    await client.call('GET /providers/{slug}', { path, query, status: 404 });
    await client.call('DELETE /integrations/{slug}', { path: { slug: 'local' }, query });
  });

  test('secret references', async () => {
    const { client, world } = stage();
    const auth_config = {
      vault_auth_type: 'token',
      vault_addr: 'https://vault.example.com',
      vault_token: 'sk-of-the-contract-6',
    };
    const body = {
      ...{ name: 'In the vault', slug: 'in-the-vault', manager_type: 'hashicorp_vault', description: 'Why' },
      ...{ auth_config, secret_path: 'secret/data/openai', secret_key: 'key', tags: { owner: 'platform' } },
    };
    const { body: made } = await client.call('POST /secret-references', { body });
    await client.call('POST /secret-references', { body, status: 409 });
    await client.call('POST /secret-references', { body: { ...body, slug: 'x', secret_path: 'openai' }, status: 400 });
    const elsewhere = { ...body, slug: 'x', allowed_workspaces: ['no-such-workspace'] };
    await client.call('POST /secret-references', { body: elsewhere, status: 404 });
    const path = { secretReferenceId: made.id };
    const get = () => client.call('GET /secret-references/{secretReferenceId}', { path });
    const first = await get();
    expect(first.body).toMatchObject({
      ...{ slug: 'in-the-vault', secret_path: 'secret/data/openai', secret_key: 'key', allow_all_workspaces: true },
      auth_config: { vault_addr: 'https://vault.example.com', masked_vault_token: '********' },
    });
    const query = { search: 'vault', manager_type: 'hashicorp_vault', tags: '{"owner":"platform"}', page_size: '10' };
    const { body: list } = await client.call('GET /secret-references', { query });
    expect(list).toMatchObject({ total: 1, data: [{ id: made.id }] });
    await client.call('GET /secret-references', { query: { tags: 'no-json' }, status: 400 });
    const change = { name: 'Moved', secret_key: null, allowed_workspaces: [world.workspace] };
    await client.call('PUT /secret-references/{secretReferenceId}', { path, body: change });
    const token = { auth_config: { vault_token: 'sk-of-the-contract-7' } };
    await client.call('PUT /secret-references/{secretReferenceId}', { path, body: token });
    const moved = { auth_config: { vault_addr: 'https://elsewhere.example.com' } };
    await client.call('PUT /secret-references/{secretReferenceId}', { path, body: moved, status: 400 });
    const second = await get();
    expect(second.body).toMatchObject({ ...change, allow_all_workspaces: false });
    expect(first.text + second.text).not.toContain('sk-of-the-contract');

    const secret_mappings = [{ target_field: 'key', secret_reference_id: made.id }];
    const account = { name: 'Mapped', slug: 'mapped', workspace_id: world.workspace, ai_provider_id: 'openai' };
    const none = [{ target_field: 'key', secret_reference_id: 'no-such-reference' }];
    await client.call('POST /integrations', { body: { ...account, secret_mappings: none }, status: 400 });
    await client.call('POST /integrations', { body: { ...account, secret_mappings, create_default_provider: false } });
    await world.settled();
    await client.call('DELETE /secret-references/{secretReferenceId}', { path, status: 400 }); // not 409, as clients know it
    const user = { path: { slug: 'mapped' }, query: { workspace_id: world.workspace } };
    await client.call('DELETE /integrations/{slug}', user);
    await client.call('DELETE /secret-references/{secretReferenceId}', { path });
    await client.call('GET /secret-references/{secretReferenceId}', { path, status: 404 });
  });

  test('known providers', async () => {
    const { body } = await stage().client.call('GET /reference/providers');
    expect(body.total).toBeGreaterThan(50);
  });
}
