/** Another prefix for the gateway's own headers opens nothing that these headers do not open. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../../kit/gateway.ts';
import { send } from '../../kit/http.ts';
import { startRawUpstream } from '../../kit/raw-upstream.ts';
import { config, KEY, key, provider, workspace } from '../../kit/snapshot.ts';

const BODY = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
const CHAT = '/v1/chat/completions';
const ECHO = '/v1/echo';
const LOCKED_KEY = 'gwk_locked_0123456789abcdef0123456789';
const TOKEN = 'token-of-the-admin-port-0123456789';

let world: World;
let strict: World;

const start = (env: Record<string, string> = {}): Promise<World> =>
  startWorld({
    env: { GATEHOUSE_HEADER_ALIASES: 'x-acme-', GATEHOUSE_FLEET_ID: 'fleet-1', GATEHOUSE_ADMIN_TOKEN: TOKEN, ...env },
    entries: () => [
      config('main', { provider: '@openai' }),
      key({ name: 'locked', secret: LOCKED_KEY, config: 'main', allowConfigOverride: false }),
    ],
  });

beforeAll(async () => {
  [world, strict] = await Promise.all([start(), start({ BLOCK_INLINE_CONFIG: 'true' })]);
});

afterAll(() => Promise.all([world[Symbol.asyncDispose](), strict[Symbol.asyncDispose]()]));

describe('what is refused by the prefix of the gateway is refused by another one', () => {
  const attacks: readonly { rule: string; headers: Record<string, string>; saved?: boolean }[] = [
    { rule: 'an unknown key', headers: { 'api-key': 'nope' } },
    { rule: 'a config over one that is locked', headers: { 'api-key': LOCKED_KEY, config: '{"provider":"openai"}' } },
    { rule: 'an inline config', headers: { config: '{"provider":"openai"}' }, saved: true },
    { rule: 'a provider by its name', headers: { provider: 'openai' }, saved: true },
    { rule: 'a host', headers: { provider: '@openai', 'custom-host': 'http://127.0.0.1:1' }, saved: true },
    { rule: 'forwarded headers', headers: { provider: '@openai', 'forward-headers': 'x-a' }, saved: true },
    { rule: 'a metadata address', headers: { provider: 'openai', 'custom-host': 'http://169.254.169.254' } },
    { rule: 'an address of the network', headers: { provider: 'openai', 'custom-host': 'http://10.0.0.1' } },
    { rule: 'an unknown account', headers: { provider: '@nobody' } },
    { rule: 'a timeout that is none', headers: { provider: '@openai', 'request-timeout': '-1' } },
  ];

  test.for(attacks)('$rule', async ({ headers, saved = false }) => {
    const target = saved ? strict : world;
    const ask = (prefix: string) => {
      const named = Object.entries({ 'api-key': KEY, ...headers }).map(([name, value]) => [prefix + name, value]);
      return send(target.url + CHAT, { headers: Object.fromEntries(named), body: BODY });
    };
    const [own, alias] = [await ask('x-gw-'), await ask('x-acme-')];
    expect(own.status).toBeGreaterThanOrEqual(400);
    // The same answer but for the names of headers, which are those that were sent.
    const renamed = JSON.parse(own.text.replaceAll('x-gw-', 'x-acme-'));
    expect([alias.status, alias.json()]).toEqual([own.status, renamed]);
  });
});

describe('another prefix makes no other header', () => {
  const ask = (headers: Record<string, string>, path = CHAT) =>
    send(world.url + path, {
      headers: { 'x-acme-api-key': KEY, 'x-acme-provider': '@openai', ...headers },
      body: BODY,
    });

  test('a request that comes back is refused, whatever it calls its headers', async () => {
    const via = '1.1 gatehouse-fleet-1';
    for (const headers of [{ via }, { via, 'x-acme-via': '1.1 other' }, { via, connection: 'via' }]) {
      const answer = await ask(headers);
      expect([answer.status, answer.json()]).toMatchObject([400, { error: { code: 'custom_host_refused' } }]);
    }
  });

  test('a connection cannot name headers of the gateway away, nor bring any in', async () => {
    const named = 'x-acme-api-key, x-gw-api-key, x-acme-config, x-gw-config';
    const locked = await ask({ connection: named, 'x-acme-api-key': LOCKED_KEY, 'x-acme-config': 'main' });
    expect(locked.json()).toMatchObject({ error: { code: 'config_locked' } });
  });

  test.for(['authorization', 'host', 'via', 'x-forwarded-for', 'connection', 'transfer-encoding', 'content-length'])(
    'x-acme-%s stays a header of the gateway',
    async (name) => {
      const value = name === 'content-length' ? '1' : 'chunked-evil.example';
      for (const path of [CHAT, ECHO]) {
        const answer = await ask(
          { [`x-acme-${name}`]: value, 'x-acme-forward-headers': `x-acme-${name}, ${name}` },
          path,
        );
        expect(answer.status, path).toBe(200);
        const { headers } = lastRequest(world.mock);
        expect(JSON.stringify(headers), path).not.toContain('evil.example');
        expect(headers['authorization'], path).toBe('Bearer sk-openai-secret');
      }
    },
  );

  test('names of members of objects are names like others', async () => {
    const answer = await ask({ 'x-acme-__proto__': 'a', 'x-acme-constructor': 'b', 'x-acme-': 'c' }, ECHO);
    expect(answer.status).toBe(200);
    expect(Object.keys(lastRequest(world.mock).headers).filter((name) => /acme|gw/.test(name))).toEqual([]);
  });

  test('a provider cannot answer with headers that look like those of the gateway', async () => {
    const faked = {
      'x-acme-provider': 'faked',
      'x-acme-cache-status': 'HIT',
      'x-gw-cache-status': 'HIT',
      'x-other': 'o',
    };
    await using upstream = await startRawUpstream((reply) => reply.answer(200, '{}', faked));
    await world.load(
      workspace(),
      key(),
      ...provider('raw', { customHost: upstream.url, secret: 'sk-raw', proxyPaths: 'All' }),
    );
    for (const prefix of ['x-acme-', 'x-gw-']) {
      const headers = { [`${prefix}api-key`]: KEY, [`${prefix}provider`]: '@raw' };
      const answer = await send(world.url + ECHO, { headers, body: BODY });
      expect(answer.headers['x-other'], prefix).toBe('o');
      expect(JSON.stringify(answer.headers), prefix).not.toMatch(/faked|HIT/);
    }
  });

  test('the admin port knows no prefix', async () => {
    const ask = (headers: Record<string, string>) => send(`${world.adminUrl}/internal/status`, { headers });
    expect((await ask({ authorization: `Bearer ${TOKEN}` })).status).toBe(200);
    expect((await ask({ 'x-acme-authorization': `Bearer ${TOKEN}` })).status).toBe(401);
  });
});
