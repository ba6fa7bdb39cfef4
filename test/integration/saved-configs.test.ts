/** Workspaces and gateways that accept saved configs only: docs/behaviour/routing.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { memoryLog } from '../kit/request-log.ts';
import { config, key, provider, workspace } from '../kit/snapshot.ts';

const SAVED_ONLY = 'gwk_saved_only_0123456789';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      workspace('strict', { savedConfigsOnly: true }),
      provider('main', { workspace: 'strict', customHost: `${url}/v1` }),
      config('ok', { provider: '@main' }, { workspace: 'strict' }),
      key({ name: 'strict', secret: SAVED_ONLY, workspace: 'strict' }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

const chat = (headers: Record<string, string>, body: object = {}) =>
  world.send('/v1/chat/completions', {
    headers,
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }], ...body },
  });

const inline = (document: object): { 'x-gw-config': string } => ({ 'x-gw-config': JSON.stringify(document) });

describe('where only saved configs are accepted', () => {
  test.for([
    {
      rule: 'an inline config',
      headers: inline({ provider: '@main' }),
      field: 'x-gw-config',
      code: 'inline_config_blocked',
    },
    {
      rule: 'a raw provider',
      headers: { 'x-gw-provider': 'openai' },
      field: 'x-gw-provider',
      code: 'inline_provider_blocked',
    },
    {
      rule: 'a custom host',
      headers: { 'x-gw-provider': '@main', 'x-gw-custom-host': 'https://example.com' },
      field: 'x-gw-custom-host',
      code: 'inline_custom_host_blocked',
    },
    {
      rule: 'a provider URL',
      headers: { 'x-gw-provider': '@main', 'x-gw-azure-foundry-url': 'https://example.com' },
      field: 'x-gw-azure-foundry-url',
      code: 'inline_provider_url_blocked',
    },
    {
      rule: 'a list of headers to forward',
      headers: { 'x-gw-provider': '@main', 'x-gw-forward-headers': 'x-a' },
      field: 'x-gw-forward-headers',
      code: 'inline_forward_headers_blocked',
    },
  ])('$rule is refused, naming the header', async ({ headers, field, code }) => {
    const answer = await chat({ 'x-gw-api-key': SAVED_ONLY, ...headers });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ status: 'failure', error: { code, field } });
  });

  test.for<{ rule: string; headers: Record<string, string>; model?: string }>([
    { rule: 'a saved config', headers: { 'x-gw-config': 'ok' } },
    { rule: 'a slug', headers: { 'x-gw-provider': '@main' } },
    { rule: 'a virtual key', headers: { 'x-gw-virtual-key': 'main' } },
    { rule: 'a slug in the model', headers: {}, model: '@main/mock-small' },
  ])('$rule is served', async ({ headers, model = 'mock-small' }) => {
    expect((await chat({ 'x-gw-api-key': SAVED_ONLY, ...headers }, { model })).status).toBe(200);
  });

  test('by the environment for everyone', async () => {
    await using strict = await startWorld({ env: { BLOCK_INLINE_CONFIG: 'true' } });
    const refused = await strict.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': 'openai', authorization: 'Bearer x' },
      body: { messages: [] },
    });
    expect(refused.json()).toMatchObject({ error: { code: 'inline_provider_blocked' } });
  });
});

test('rows of the request log have the generation of the saved config, and none of inline ones', async () => {
  const log = memoryLog();
  await using logged = await startWorld({
    requestLog: log,
    entries: ({ url }) => [
      workspace(),
      provider('main', { customHost: `${url}/v1` }),
      { ...config('ok', { provider: '@main' }), generation: 12 },
      key(),
    ],
  });
  const generationOf = async (name: string): Promise<unknown> => {
    await logged.send('/v1/chat/completions', {
      headers: { 'x-gw-config': name },
      body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
    });
    const [last] = await log.next();
    return last?.row.decision.config_generation;
  };
  expect(await generationOf('ok')).toBe(12);
  expect(await generationOf('{"provider":"@main"}')).toBe(undefined);
});
