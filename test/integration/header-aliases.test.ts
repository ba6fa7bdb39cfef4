/** The gateway's own headers by another prefix, over sockets. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { type Received, send, sendBytes } from '../kit/http.ts';
import { config, KEY } from '../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';

const ALIASES = { GATEHOUSE_HEADER_ALIASES: 'x-acme-,x-other-' };
const BODY = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
const CHAT = '/v1/chat/completions';
/** Proxied: the client's headers go along. */
const ECHO = '/v1/echo';
const ACME = { 'x-acme-api-key': KEY, 'x-acme-config': 'main' };

const entries = () => [config('main', { provider: '@openai' }), config('other', { provider: '@anthropic' })];

let world: World;

beforeAll(async () => {
  world = await startWorld({ env: { ...ALIASES, ENABLE_CORS: 'true' }, entries });
});

afterAll(() => world[Symbol.asyncDispose]());

const ask = (headers: Record<string, string>, path = CHAT, body: object = BODY): Promise<Received> =>
  send(world.url + path, { headers, body });

describe('a request with another prefix', () => {
  test.for([
    { rule: 'alone', headers: ACME },
    { rule: 'in capitals', headers: { 'X-Acme-Api-Key': KEY, 'X-ACME-CONFIG': 'main' } },
    { rule: 'beside that of the gateway', headers: { 'x-gw-api-key': KEY, 'x-acme-config': 'main' } },
    { rule: 'and a third one', headers: { 'x-other-api-key': KEY, 'x-acme-config': 'main' } },
  ])('is served: $rule', async ({ headers }) => {
    const answer = await ask(headers);
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({ 'x-gw-provider': 'openai', 'x-gw-trace-id': expect.any(String) });
  });

  test('is answered with the headers of the gateway under both names', async () => {
    const answer = await ask({ ...ACME, 'x-acme-trace-id': 'my-trace' });
    const own = Object.entries(answer.headers).filter(([name]) => name.startsWith('x-gw-'));
    expect(own.length).toBeGreaterThan(2);
    for (const [name, value] of own) expect(answer.headers[name.replace('x-gw-', 'x-acme-')], name).toBe(value);
    expect(answer.headers['x-acme-trace-id']).toBe('my-trace');
  });

  test.for([
    { rule: 'streams', path: CHAT, headers: ACME, body: { ...BODY, stream: true }, status: 200 },
    { rule: 'errors of providers', path: CHAT, headers: ACME, body: { ...BODY, model: 'mock-fail-503' }, status: 503 },
    { rule: 'a key that is none', path: CHAT, headers: { 'x-acme-api-key': 'nope' }, body: BODY, status: 401 },
    { rule: 'a path outside the API', path: '/nope', headers: ACME, body: BODY, status: 404 },
    { rule: 'a path that is none', path: '/v1/%zz', headers: ACME, body: BODY, status: 400 },
  ])('has its trace id under both names: $rule', async ({ path, headers, body, status }) => {
    const answer = await ask({ ...headers, 'x-acme-trace-id': 'my-trace' }, path, body);
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ 'x-gw-trace-id': 'my-trace', 'x-acme-trace-id': 'my-trace' });
  });

  test('has its trace id under both names at health checks and preflights', async () => {
    for (const [method, path] of [
      ['GET', '/v1/health'],
      ['OPTIONS', CHAT],
    ] as const) {
      const { headers } = await send(world.url + path, { method, headers: { 'x-acme-trace-id': 'my-trace' } });
      expect(headers, path).toMatchObject({ 'x-gw-trace-id': 'my-trace', 'x-acme-trace-id': 'my-trace' });
    }
  });

  test.for([
    { rule: 'under both names', headers: { 'x-gw-config': 'main', 'x-acme-config': 'other' } },
    { rule: 'under both names with the same value', headers: { 'x-gw-config': 'main', 'x-acme-config': 'main' } },
    { rule: 'under two other names', headers: { 'x-other-config': 'main', 'x-acme-config': 'main' } },
  ])('is refused with one header $rule, before the key is looked at', async ({ headers }) => {
    const before = world.mock.requests.length;
    for (const path of [CHAT, ECHO, '/v1/messages', '/nope']) {
      const answer = await ask({ ...headers, 'x-gw-api-key': 'nope', 'x-acme-trace-id': 'my-trace' }, path);
      expect(answer.status, path).toBe(400);
      expect(answer.json(), path).toMatchObject({
        error: { param: 'x-gw-config', message: expect.stringContaining('send one of them') },
      });
      expect(answer.headers, path).toMatchObject({ 'x-gw-trace-id': 'my-trace', 'x-acme-trace-id': 'my-trace' });
    }
    expect(world.mock.requests).toHaveLength(before);
  });

  test('that repeats a header is read like one that repeats it with the prefix of the gateway', async () => {
    const body = JSON.stringify(BODY);
    const bytes = (prefix: string) =>
      [
        `POST ${CHAT} HTTP/1.1`,
        ...['host: x', 'connection: close', 'content-type: application/json', `content-length: ${body.length}`],
        ...[`${prefix}api-key: ${KEY}`, `${prefix}config: main`, `${prefix.toUpperCase()}CONFIG: other`, '', body],
      ].join('\r\n');
    const [own, alias] = await Promise.all(['x-gw-', 'x-acme-'].map((prefix) => sendBytes(world.port, bytes(prefix))));
    const bodyOf = (answer: Buffer | undefined) => answer?.toString().split('\r\n\r\n')[1];
    expect(bodyOf(alias)).toBe(bodyOf(own)?.replace('"x-gw-config"', '"x-acme-config"'));
    expect(bodyOf(own)).toContain('main, other');
  });

  test('sends none of these headers to a provider, in any spelling', async () => {
    const mine = { 'x-acme-note': 'a', x_acme_note: 'b', 'x-acme_note': 'c', 'x-other-remark': 'd', 'x-mine': 'm' };
    const answer = await ask({ ...ACME, ...mine, 'x-acme-forward-headers': Object.keys(mine).join() }, ECHO);
    expect(answer.status).toBe(200);
    const { headers } = lastRequest(world.mock);
    expect(headers['x-mine']).toBe('m');
    expect(Object.keys(headers).filter((name) => /acme|other|gw/.test(name))).toEqual([]);
  });

  test('masks what it names as sensitive, in the log too', async () => {
    await ask({
      ...ACME,
      'x-acme-cache-namespace': 'hush-hush-hush',
      'x-acme-sensitive-headers': 'x-acme-cache-namespace',
    });
    expect(JSON.stringify(world.logs)).not.toContain('hush-hush-hush');
  });
});

describe('an error names headers as the request has them', () => {
  test.for([
    {
      rule: 'what was sent',
      headers: { ...ACME, 'x-acme-config': 'mian' },
      error: { param: 'x-acme-config' },
      lacks: 'x-gw-',
    },
    {
      rule: 'what was not sent, with the prefix of the others',
      headers: { 'x-acme-api-key': KEY },
      error: { param: 'x-acme-provider', message: expect.stringContaining('x-acme-provider: @') },
      lacks: 'x-gw-',
    },
    {
      rule: 'what was sent with the prefix of the gateway, with that',
      headers: { 'x-gw-api-key': 'nope', 'x-acme-config': 'main' },
      error: { param: 'x-gw-api-key', message: expect.stringContaining('the value of x-gw-api-key') },
      lacks: 'x-acme-',
    },
    {
      rule: 'a key that is none',
      headers: { 'x-other-api-key': 'nope' },
      error: { param: 'x-other-api-key', message: expect.stringContaining('in x-other-api-key, authorization') },
      lacks: 'x-gw-',
    },
    {
      rule: 'nothing with another prefix',
      headers: { authorization: `Bearer ${KEY}` },
      error: { param: 'x-gw-provider' },
      lacks: 'x-acme-',
    },
  ])('$rule', async ({ headers, error, lacks }) => {
    for (const path of [CHAT, '/v1/messages']) {
      const answer = await ask(headers, path);
      expect(answer.json(), path).toMatchObject({ error });
      expect(answer.text, path).not.toContain(lacks);
    }
  });

  test('also in an error of an attempt', async () => {
    const answer = await ask({ ...ACME, 'x-acme-request-timeout': '30' }, CHAT, { ...BODY, model: 'mock-delay-5000' });
    expect(answer.status).toBe(408);
    expect(answer.text).toContain('x-acme-request-timeout');
    expect(answer.text).not.toContain('x-gw-');
  });
});

test('only saved configs: an inline one is refused by any prefix', async () => {
  await using strict = await startWorld({ env: { ...ALIASES, BLOCK_INLINE_CONFIG: 'true' }, entries });
  const headers = { 'x-acme-api-key': KEY, 'x-acme-config': JSON.stringify({ provider: 'openai' }) };
  const answer = await send(strict.url + CHAT, { headers, body: BODY });
  expect(answer.status).toBe(400);
  expect(answer.json()).toMatchObject({ error: { field: 'x-acme-config' } });
});

test('over HTTP/2 other prefixes are accepted and mirrored as well', async () => {
  await using secure = await startWorld({
    env: { ...ALIASES, TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM },
    entries,
  });
  const session = connectHttp2(secure.url, { ca: LOOPBACK_PEM });
  const stream = session.request({ ':method': 'POST', ':path': CHAT, 'content-type': 'application/json', ...ACME });
  stream.end(JSON.stringify(BODY));
  const [headers] = await once(stream, 'response');
  expect(headers).toMatchObject({ ':status': 200, 'x-acme-provider': 'openai', 'x-gw-provider': 'openai' });
  await Array.fromAsync(stream);
  session.close();
});

test('without the setting such headers are those of somebody else: not obeyed, and proxied', async () => {
  await using plain = await startWorld({ entries });
  const answer = await plain.send(ECHO, { headers: { 'x-gw-config': 'main', 'x-acme-config': 'other' }, body: BODY });
  expect([answer.status, answer.headers['x-gw-provider']]).toEqual([200, 'openai']);
  expect(Object.keys(answer.headers).filter((name) => name.startsWith('x-acme-'))).toEqual([]);
  expect(lastRequest(plain.mock).headers['x-acme-config']).toBe('other');
});
