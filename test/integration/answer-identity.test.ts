/** Who answered: identifiers, provider and model on every answer, errors included. docs/behaviour/headers.md#identity-of-answers */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startGateway, startWorld, type World } from '../kit/gateway.ts';
import { sendBytes } from '../kit/http.ts';
import { config, provider } from '../kit/snapshot.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: ({ url }) => [
      ...provider('google', { provider: 'google', customHost: `${url}/v1beta` }),
      ...provider('narrow', { customHost: `${url}/v1`, models: ['mock-small'] }),
      config('cached', { provider: '@openai', cache: { mode: 'simple' } }),
      config('nowhere', { strategy: { mode: 'fallback' }, targets: [{ provider: '@unknown' }] }),
    ],
  });
});

afterAll(() => world[Symbol.asyncDispose]());

const MINE = { 'x-gw-trace-id': 'mine' };
const chat = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };

describe('an answer', () => {
  test.for<{ rule: string; path?: string; headers: Record<string, string>; body?: object; want: object }>([
    {
      rule: 'of a provider that identifies its answers',
      headers: { 'x-gw-provider': '@openai' },
      want: { 'x-request-id': expect.stringMatching(/^req_/), 'x-gw-provider': 'openai', 'x-gw-model': 'mock-small' },
    },
    {
      rule: 'of one that identifies them by another header',
      headers: { 'x-gw-provider': '@anthropic' },
      body: { max_tokens: 5 },
      want: { 'x-request-id': expect.stringMatching(/^req_/), 'x-gw-provider': 'anthropic' },
    },
    {
      rule: 'of one that does not',
      headers: { 'x-gw-provider': '@google' },
      body: { model: 'gemini-2.5-flash' },
      want: { 'x-request-id': 'mine', 'x-gw-provider': 'google', 'x-gw-model': 'gemini-2.5-flash' },
    },
    {
      rule: 'in the format of Anthropic',
      path: '/v1/messages',
      headers: { 'x-gw-provider': '@anthropic' },
      body: { max_tokens: 5 },
      want: { 'x-request-id': expect.stringMatching(/^req_/), 'request-id': expect.stringMatching(/^req_/) },
    },
    {
      rule: 'that is a stream',
      headers: { 'x-gw-provider': '@google' },
      body: { model: 'gemini-2.5-flash', stream: true },
      want: { 'x-request-id': 'mine', 'x-gw-provider': 'google', 'x-gw-model': 'gemini-2.5-flash' },
    },
    {
      rule: 'that is an error of the provider',
      headers: { 'x-gw-provider': '@openai' },
      body: { model: 'mock-fail-503' },
      want: { 'x-request-id': expect.any(String), 'x-gw-provider': 'openai', 'x-gw-model': 'mock-fail-503' },
    },
    {
      rule: 'that refuses the model',
      headers: { 'x-gw-provider': '@narrow' },
      body: { model: 'other' },
      want: { 'x-request-id': 'mine', 'x-gw-provider': 'openai', 'x-gw-model': 'other' },
    },
    {
      rule: 'of the proxy mode',
      path: '/v1/proxy/moderations',
      headers: { 'x-gw-provider': '@openai' },
      body: { input: 'x' },
      want: { 'x-request-id': expect.any(String), 'x-gw-provider': 'openai', 'x-gw-model': 'mock-small' },
    },
  ])('$rule names itself', async ({ path = '/v1/chat/completions', headers, body, want }) => {
    const answer = await world.send(path, { headers: { ...MINE, ...headers }, body: { ...chat, ...body } });
    expect(answer.headers).toMatchObject({ 'x-gw-trace-id': 'mine', ...want });
  });

  test('of the cache has an identifier of its own', async () => {
    const ask = (id: string) =>
      world.send('/v1/chat/completions', { headers: { 'x-gw-config': 'cached', 'x-gw-trace-id': id }, body: chat });
    await ask('first');
    expect((await ask('second')).headers).toMatchObject({
      'x-gw-cache-status': 'HIT',
      'x-request-id': 'second',
      'x-gw-provider': 'openai',
      'x-gw-model': 'mock-small',
    });
  });

  test.for(['mock-small\r\nset-cookie: a=b', 'модель', `m${'x'.repeat(300)}`])(
    'does not repeat a model that no header can carry: %j',
    async (model) => {
      const answer = await world.send('/v1/chat/completions', {
        headers: { 'x-gw-provider': '@openai' },
        body: { ...chat, model },
      });
      expect(answer.headers['set-cookie']).toBeUndefined();
      expect(answer.headers['x-gw-model']).toBeUndefined();
      expect(answer.headers['x-gw-provider']).toBe('openai');
    },
  );
});

describe('an error of the gateway', () => {
  test.for<{ rule: string; path: string; method?: string; headers?: Record<string, string>; status: number }>([
    { rule: 'without a key', path: '/v1/chat/completions', headers: { 'x-gw-api-key': 'wrong' }, status: 401 },
    { rule: 'without a route', path: '/nope', status: 404 },
    { rule: 'of the management API', path: '/v1/configs', status: 404 },
    { rule: 'for the method', path: '/v1/models', method: 'PATCH', status: 404 },
    { rule: 'of a broken path', path: '/v1/%zz', status: 400 },
    { rule: 'without a provider', path: '/v1/files', status: 400 },
  ])('$rule has the trace id as its request id', async ({ path, method = 'GET', headers, status }) => {
    const answer = await world.send(path, { method, headers: { ...MINE, ...headers } });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ 'x-gw-trace-id': 'mine', 'x-request-id': 'mine' });
    expect(answer.headers['request-id']).toBeUndefined();
  });

  test.for([{ headers: { 'x-gw-api-key': 'wrong' } }, { headers: {}, method: 'PATCH' }])(
    'below /v1/messages is found by the SDK of Anthropic: %j',
    async ({ headers, method = 'POST' }) => {
      const answer = await world.send('/v1/messages', { method, headers: { ...MINE, ...headers }, body: {} });
      expect(answer.headers).toMatchObject({ 'x-request-id': 'mine', 'request-id': 'mine' });
    },
  );

  test('of a provider that does not exist names the model that was asked for', async () => {
    const answer = await world.send('/v1/chat/completions', { headers: { 'x-gw-config': 'nowhere' }, body: chat });
    expect(answer.json()).toMatchObject({ error: { code: 'provider_slug_unknown' } });
    expect(answer.headers).toMatchObject({ 'x-gw-model': 'mock-small' });
    expect(answer.headers['x-gw-provider']).toBeUndefined();
  });

  test('for bytes that are no request has a request id', async () => {
    const answer = (await sendBytes(world.port, 'GET / HTTP/1.1\r\nno colon\r\n\r\n')).toString().toLowerCase();
    const [, trace] = /\r\nx-gw-trace-id: (\S+)/.exec(answer) ?? [];
    expect(trace).toMatch(/^[0-9a-f-]{36}$/);
    expect(answer).toContain(`\r\nx-request-id: ${trace}\r\n`);
  });

  test('before the first Snapshot has a request id', async () => {
    await using fresh = await startGateway();
    for (const path of ['/v1/health', '/v1/chat/completions']) {
      const answer = await fresh.send(path, { headers: MINE });
      expect([answer.status, answer.headers['x-request-id']]).toEqual([503, 'mine']);
    }
  });
});
