import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Call, CallOptions } from '../client.ts';
import type { StageOf } from '../world.ts';

/** Texts that no answer, file, log, status or record has, but for the Secret of their object. */
export function testSecrets(stage: StageOf): void {
  test('a secret that is sent once comes back nowhere', async () => {
    const { client, world } = stage();
    const { workspace: workspace_id } = world;
    const canaries: string[] = [];
    const answers: string[] = [];
    const canary = (): string => {
      const text = `sk-canary-${randomBytes(16).toString('hex')}`;
      canaries.push(text);
      return text;
    };
    const send = async (call: Call, options: CallOptions): Promise<void> => {
      answers.push((await client.call(call, options)).text);
    };
    const query = { workspace_id };
    const account = (name: string) => ({ name, slug: name, workspace_id });

    const mine = { ...account('canary-account'), provider: 'openai' };
    await send('POST /virtual-keys', { body: { ...mine, key: canary() } });
    await send('POST /virtual-keys', { body: { ...mine, key: canary() }, status: 409 });
    const path = { slug: 'canary-account' };
    await send('PUT /virtual-keys/{slug}', { path, query, body: { key: canary(), note: 'x' } });
    await send('PUT /virtual-keys/{slug}', { path, query, body: { key: canary(), name: 7 }, status: 400 });
    await send('GET /virtual-keys/{slug}', { path, query });

    const config = () => ({ provider: 'openai', api_key: canary() });
    await send('POST /configs', { body: { ...account('canary-config'), config: config() } });
    const broken = { ...config(), strategy: { mode: 'no-such-mode' } };
    await send('POST /configs', { body: { ...account('canary-broken'), config: broken }, status: 400 });
    const at = { slug: 'canary-config' };
    await send('PUT /configs/{slug}', { path: at, query, body: { config: config() } });
    await send('GET /configs/{slug}', { path: at, query });

    const checks = [{ id: 'lakera.guard', parameters: { credentials: { apiKey: canary() } } }];
    await send('POST /guardrails', { body: { ...account('canary-guardrail'), checks } });
    await send('GET /guardrails', { query });

    const shared = { name: 'Canary', slug: 'canary-shared', ai_provider_id: 'openai', create_default_provider: false };
    await send('POST /integrations', { body: { ...shared, key: canary() } });
    await send('PUT /integrations/{slug}', { path: { slug: 'canary-shared' }, body: { key: canary() } });
    await send('GET /integrations/{slug}', { path: { slug: 'canary-shared' } });
    await send('GET /integrations', {});

    const server = { name: 'Canary', slug: 'canary-mcp', url: 'https://mcp.example.com/mcp', transport: 'http' };
    const headers = () => ({ configurations: { custom_headers: { authorization: canary() } } });
    const mcp = { mcpIntegrationId: 'canary-mcp' };
    await send('POST /mcp-integrations', { body: { ...server, ...headers(), auth_type: 'headers' } });
    await send('POST /mcp-integrations', {
      body: { ...server, ...headers(), slug: 'other', auth_type: 'none' },
      status: 400,
    });
    await send('PUT /mcp-integrations/{mcpIntegrationId}', { path: mcp, body: headers() });
    await send('GET /mcp-integrations/{mcpIntegrationId}', { path: mcp });

    const vault = (vault_token: string) => ({
      auth_config: { vault_auth_type: 'token', vault_addr: 'https://vault.example.com', vault_token },
    });
    const reference = { name: 'Canary', slug: 'canary-reference', manager_type: 'hashicorp_vault' };
    const inVault = { secretReferenceId: 'canary-reference' };
    await send('POST /secret-references', { body: { ...reference, ...vault(canary()), secret_path: 'secret/data/a' } });
    await send('PUT /secret-references/{secretReferenceId}', { path: inVault, body: vault(canary()) });
    await send('GET /secret-references/{secretReferenceId}', { path: inVault });

    const { others, secrets } = await world.texts();
    const kept = canaries.filter((text) => holds(secrets, text));
    expect(kept.length).toBeGreaterThanOrEqual(6); // those that were not replaced or refused
    expect(canaries.filter((text) => holds([...answers, ...others].join('\n'), text))).toEqual([]);
  });
}

const holds = (all: string, text: string): boolean =>
  all.includes(text) || all.includes(Buffer.from(text).toString('base64'));
