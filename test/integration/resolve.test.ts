/** The target of a request: ways to name a provider, configs and their locks: docs/behaviour/routing.md. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { config, KEY, key, provider, workspace } from '../kit/snapshot.ts';

const LOCKED = 'gwk_locked_key_0123456789';
const PLAIN = 'gwk_plain_key_0123456789';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      config('fast', { provider: '@openai', override_params: { temperature: 0.5 } }),
      config('shared', { provider: '@shared' }, { workspace: null }),
      provider('shared', { workspace: null, customHost: `${url}/v1`, grants: ['team-a'] }),
      provider('private', { workspace: null, customHost: `${url}/v1`, grants: ['team-b'] }),
      provider('expired', { customHost: `${url}/v1`, expiresAt: '2020-01-01T00:00:00Z' }),
      provider('narrow', { customHost: `${url}/v1`, models: ['mock-small'] }),
      key({ name: 'locked', secret: LOCKED, config: 'fast', allowConfigOverride: false }),
      workspace('team-b', { defaults: { config: 'fast' } }),
      config('fast', { provider: '@own' }, { workspace: 'team-b' }),
      provider('own', { workspace: 'team-b', customHost: `${url}/v1`, secret: 'sk-own-secret' }),
      provider('claude', { provider: 'anthropic', workspace: 'team-b', customHost: `${url}/v1` }),
      key({ name: 'plain', secret: PLAIN, workspace: 'team-b' }),
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

describe('a provider is named by', () => {
  const literal = () => ({ provider: 'openai', custom_host: `${world.mock.url}/v1` });

  test.for<{ rule: string; headers: () => Record<string, string>; model?: string; credential: string }>([
    {
      rule: 'its name, the credential of the client and a custom host',
      headers: () => ({
        'x-gw-provider': 'openai',
        authorization: 'Bearer sk-client',
        'x-gw-custom-host': `${world.mock.url}/v1`,
      }),
      credential: 'Bearer sk-client',
    },
    { rule: 'a slug', headers: () => ({ 'x-gw-provider': '@openai' }), credential: 'Bearer sk-openai-secret' },
    {
      rule: 'a slug with a model behind it',
      headers: () => ({ 'x-gw-provider': '@openai/mock-small' }),
      credential: 'Bearer sk-openai-secret',
    },
    {
      rule: 'the older virtual key',
      headers: () => ({ 'x-gw-virtual-key': 'openai' }),
      credential: 'Bearer sk-openai-secret',
    },
    { rule: 'the model', headers: () => ({}), model: '@openai/mock-small', credential: 'Bearer sk-openai-secret' },
    { rule: 'a saved config', headers: () => ({ 'x-gw-config': 'fast' }), credential: 'Bearer sk-openai-secret' },
    {
      rule: 'an inline config with a slug',
      headers: () => inline({ provider: '@openai' }),
      credential: 'Bearer sk-openai-secret',
    },
    {
      rule: 'an inline config in snake_case with a key',
      headers: () => inline({ ...literal(), api_key: 'sk-inline' }),
      credential: 'Bearer sk-inline',
    },
    {
      rule: 'an inline config in camelCase with a key',
      headers: () => inline({ provider: 'openai', customHost: `${world.mock.url}/v1`, apiKey: 'sk-inline' }),
      credential: 'Bearer sk-inline',
    },
    {
      rule: 'the headers, when the inline config only has settings',
      headers: () => ({
        ...inline({ retry: { attempts: 1 }, custom_host: `${world.mock.url}/v1` }),
        'x-gw-provider': 'openai',
        authorization: 'Bearer sk-client',
      }),
      credential: 'Bearer sk-client',
    },
    {
      rule: 'a passthrough target, from the request',
      headers: () => ({
        ...inline({ strategy: { mode: 'single' }, targets: [{ passthrough: true }] }),
        'x-gw-provider': '@openai',
      }),
      credential: 'Bearer sk-openai-secret',
    },
    {
      rule: 'a model override of a target',
      headers: () =>
        inline({
          strategy: { mode: 'single' },
          targets: [{ override_params: { model: '@openai/mock-large' } }],
        }),
      credential: 'Bearer sk-openai-secret',
    },
    {
      rule: 'the organisation, where it grants it',
      headers: () => ({ 'x-gw-provider': '@shared' }),
      credential: 'Bearer sk-shared',
    },
    {
      rule: 'a config of the organisation',
      headers: () => ({ 'x-gw-config': 'shared' }),
      credential: 'Bearer sk-shared',
    },
    {
      rule: 'the default config of the workspace',
      headers: () => ({ 'x-gw-api-key': PLAIN }),
      credential: 'Bearer sk-own-secret',
    },
  ])('$rule', async ({ headers, model = 'mock-small', credential }) => {
    const answer = await chat(headers(), { model });
    expect(answer.status, answer.text).toBe(200);
    const received = lastRequest(world.mock);
    expect(received.headers.authorization).toBe(credential);
    expect(received.path).toBe('/v1/chat/completions');
    expect(received.json()).toMatchObject({ model: expect.stringMatching(/^mock-/) });
    expect(JSON.stringify(received.headers)).not.toMatch(/x-gw-(?!via)/); // which every custom host gets
  });

  test('a config over the headers: its own provider wins', async () => {
    const answer = await chat({
      ...inline({ provider: '@openai' }),
      'x-gw-provider': 'anthropic',
      authorization: 'Bearer sk-client',
    });
    expect(answer.headers['x-gw-provider']).toBe('openai');
    expect(lastRequest(world.mock).headers.authorization).toBe('Bearer sk-openai-secret');
  });
});

describe('a request is refused with its code', () => {
  test.for<{ rule: string; headers: Record<string, string>; body?: object; status: number; code: string }>([
    { rule: 'without a provider', headers: {}, status: 400, code: 'provider_required' },
    { rule: 'for an unknown provider', headers: { 'x-gw-provider': 'nope' }, status: 400, code: 'provider_unknown' },
    { rule: 'for an unknown slug', headers: { 'x-gw-provider': '@nope' }, status: 400, code: 'provider_slug_unknown' },
    { rule: 'for an empty slug', headers: { 'x-gw-provider': '@' }, status: 400, code: 'provider_slug_unknown' },
    {
      rule: 'for a slug of another workspace',
      headers: { 'x-gw-provider': '@own' },
      status: 400,
      code: 'provider_slug_unknown',
    },
    {
      rule: 'for a slug that the organisation does not grant',
      headers: { 'x-gw-provider': '@private' },
      status: 400,
      code: 'provider_slug_unknown',
    },
    {
      rule: 'for a slug inside a config that does not exist',
      headers: inline({ provider: '@nope' }),
      status: 400,
      code: 'provider_slug_unknown',
    },
    { rule: 'for an expired provider', headers: { 'x-gw-provider': '@expired' }, status: 401, code: '01' },
    { rule: 'for an unknown config', headers: { 'x-gw-config': 'pc-nope' }, status: 400, code: 'config_unknown' },
    {
      rule: 'for a config that is not JSON',
      headers: { 'x-gw-config': '{oops' },
      status: 400,
      code: 'config_not_json',
    },
    {
      rule: 'for a config of the legacy form',
      headers: inline({ mode: 'single', options: [{ provider: 'openai' }] }),
      status: 400,
      code: 'config_legacy',
    },
    {
      rule: 'for a config without any provider',
      headers: inline({ retry: { attempts: 2 } }),
      status: 400,
      code: 'config_no_provider',
    },
    {
      rule: 'for weights that are all zero',
      headers: inline({ strategy: { mode: 'loadbalance' }, targets: [{ provider: '@openai', weight: 0 }] }),
      status: 400,
      code: 'config_invalid',
    },
    {
      rule: 'for a semantic cache without a model',
      headers: inline({ provider: '@openai', cache: { mode: 'semantic' } }),
      status: 400,
      code: 'config_invalid',
    },
    {
      rule: 'for a timeout that is no number',
      headers: { 'x-gw-provider': '@openai', 'x-gw-request-timeout': 'soon' },
      status: 400,
      code: 'header_invalid',
    },
    {
      rule: 'for a config that the key has locked',
      headers: { 'x-gw-api-key': LOCKED, 'x-gw-config': 'fast' },
      status: 400,
      code: 'config_locked',
    },
    {
      rule: 'for a content type that is no JSON',
      headers: { 'x-gw-provider': '@openai', 'content-type': 'text/plain' },
      status: 400,
      code: 'content_type_invalid',
    },
    { rule: 'for an unknown key', headers: { 'x-gw-api-key': 'gwk_nope' }, status: 401, code: '03' },
  ])('$rule', async ({ headers, body, status, code }) => {
    const answer = await chat(headers, body);
    expect(answer.json()).toMatchObject({ error: { code, message: expect.any(String) } });
    expect(answer.status).toBe(status);
    expect(answer.headers['x-gw-trace-id']).toEqual(expect.any(String));
  });

  test('with one entry per violation of a config', async () => {
    const answer = await chat(inline({ strategy: { mode: 'loadbalanced' }, retry: { attempts: -1 } }));
    expect(answer.json()).toMatchObject({ status: 'failure', error: { code: 'config_invalid' } });
    expect(answer.json().errors).toEqual([
      expect.stringMatching(/^path: strategy,mode, message: /),
      expect.stringMatching(/^path: retry,attempts, message: /),
    ]);
  });

  test('a model that the provider does not allow is 412', async () => {
    const answer = await chat({ 'x-gw-provider': '@narrow' }, { model: 'mock-large' });
    expect(answer.status).toBe(412);
    expect(answer.json()).toMatchObject({ error: { type: 'model_not_allowed_error', code: null } });
    expect((await chat({ 'x-gw-provider': '@narrow' }, { model: 'mock-small' })).status).toBe(200);
  });

  test.for([
    { rule: 'that is not JSON', body: '{', code: 'body_not_json' },
    { rule: 'that is a list', body: '[]', code: 'body_not_object' },
    { rule: 'that is a text', body: '"hi"', code: 'body_not_object' },
    { rule: 'that is empty', body: '', code: 'body_not_json' },
    { rule: 'that is nested too deep', body: `{"a":${'['.repeat(300)}${']'.repeat(300)}}`, code: 'body_too_complex' },
  ])('a body $rule is 400 $code', async ({ body, code }) => {
    const answer = await world.send('/v1/chat/completions', {
      method: 'POST',
      headers: { 'x-gw-provider': '@openai', 'content-type': 'application/json' },
      body,
    });
    expect(answer.json()).toMatchObject({ status: 'failure', error: { code } });
    expect(answer.status).toBe(400);
  });
});

describe('a default config of the workspace', () => {
  test.for<{ rule: string; headers: Record<string, string>; model?: string }>([
    { rule: 'a slug', headers: { 'x-gw-provider': '@claude' } },
    { rule: 'a virtual key', headers: { 'x-gw-virtual-key': 'claude' } },
    { rule: 'a slug in the model', headers: {}, model: '@claude/mock-claude' },
  ])('leaves a request to the provider that it names by $rule, with its own credential', async (named) => {
    const answer = await chat({ 'x-gw-api-key': PLAIN, ...named.headers }, { model: named.model ?? 'mock-claude' });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['x-gw-provider']).toBe('anthropic');
    const received = lastRequest(world.mock);
    const { path, headers } = received;
    expect([path, headers['x-api-key'], headers.authorization]).toEqual(['/v1/messages', 'sk-claude', undefined]);
    expect(received.json()).toMatchObject({ model: 'mock-claude' });
  });

  test('never lends its credential to a request that brings its own', async () => {
    const answer = await chat({
      'x-gw-api-key': PLAIN,
      'x-gw-provider': 'openai',
      'x-gw-custom-host': `${world.mock.url}/v1`,
      authorization: 'Bearer sk-client',
    });
    expect(answer.status, answer.text).toBe(200);
    expect(lastRequest(world.mock).headers.authorization).toBe('Bearer sk-client');
  });

  test('is no way around an unknown slug in the model: nothing is sent', async () => {
    const before = world.mock.requests.length;
    for (const path of ['/v1/chat/completions', '/v1/anything/else']) {
      const answer = await world.send(path, {
        headers: { 'x-gw-api-key': PLAIN },
        body: { model: '@nosuch/mock-small', messages: [] },
      });
      expect(answer.status, answer.text).toBe(400);
      expect(answer.json()).toMatchObject({ error: { code: 'provider_slug_unknown', param: 'model' } });
    }
    expect(world.mock.requests).toHaveLength(before);
  });
});

describe('the default config of a key', () => {
  test.for<{ rule: string; headers: Record<string, string>; body?: object }>([
    { rule: 'a slug', headers: { 'x-gw-provider': '@openai' } },
    { rule: 'a slug in the model', headers: {}, body: { model: '@openai/mock-small' } },
  ])('that is locked refuses $rule', async ({ headers, body }) => {
    const answer = await chat({ 'x-gw-api-key': LOCKED, ...headers }, body);
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: { code: 'config_locked' } });
  });

  test('is used when the client sends none, locked or not', async () => {
    const answer = await chat({ 'x-gw-api-key': LOCKED });
    expect(answer.status).toBe(200);
    expect(lastRequest(world.mock).json()).toMatchObject({ temperature: 0.5 });
  });
});

describe('the gateway key', () => {
  const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
  const bare = (headers: Record<string, string>) =>
    world.send('/v1/chat/completions', { headers: { 'x-gw-api-key': '', ...headers }, body });

  test.for([
    { rule: 'the bearer token', headers: { authorization: `Bearer ${KEY}`, 'x-gw-provider': '@openai' } },
    { rule: 'x-api-key', headers: { 'x-api-key': KEY, 'x-gw-provider': '@openai' } },
    {
      rule: 'both its header and the bearer token',
      headers: { 'x-gw-api-key': KEY, authorization: `Bearer ${KEY}`, 'x-gw-provider': '@openai' },
    },
  ])('may come as $rule and never goes on', async ({ headers }) => {
    expect((await bare(headers)).status).toBe(200);
    expect(JSON.stringify(lastRequest(world.mock).headers)).not.toContain(KEY);
  });

  test('is not taken for a credential of the provider', async () => {
    const answer = await bare({
      authorization: `Bearer ${KEY}`,
      'x-gw-provider': 'openai',
      'x-gw-custom-host': `${world.mock.url}/v1`,
    });
    expect(answer.status).toBe(200);
    expect(lastRequest(world.mock).headers.authorization).toBeUndefined();
  });
});
