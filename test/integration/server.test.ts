import { Readable } from 'node:stream';
import { MANAGEMENT_PREFIXES } from '@gatehouse/crds/rest';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningGateway, startGateway, startWorld, type World } from '../kit/gateway.ts';
import { send, sendBytes } from '../kit/http.ts';
import { config, KEY, key, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    env: {
      ENABLE_CORS: 'true',
      CORS_ALLOWED_ORIGINS: 'https://app.example,https://other.example',
      MAX_JSON_PAYLOAD_SIZE_IN_MB: '1',
    },
    metricsOnMain: true,
    entries: () => [config('cached', { provider: '@openai', cache: { mode: 'simple' } })],
  });
});

afterAll(() => world[Symbol.asyncDispose]());

const via = { 'x-gw-provider': '@openai' };
const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };
const chat = (headers: Record<string, string> = via) => world.send('/v1/chat/completions', { headers, body });

describe('before the first Snapshot', () => {
  test('health, readiness and requests are 503, in the format of the client; afterwards they are not', async () => {
    await using fresh = await startGateway();
    for (const path of ['/v1/health', '/v1/chat/completions', '/v1/anything']) {
      const answer = await fresh.send(path, path === '/v1/health' ? {} : { body: {} });
      expect(answer.status, path).toBe(503);
      expect(answer.json()).toMatchObject({ error: { code: 'snapshot_missing', type: 'service_error' } });
      expect(answer.headers).toMatchObject({ 'retry-after': '1', 'x-gw-trace-id': expect.any(String) });
    }
    const messages = await fresh.send('/v1/messages', { body: {} });
    expect(messages.json()).toMatchObject({ type: 'error', error: { type: 'api_error' } });
    expect((await send(`${fresh.adminUrl}/readyz`)).status).toBe(503);
    expect((await send(`${fresh.adminUrl}/livez`)).status).toBe(200);
    await fresh.load(workspace(), key());
    expect((await fresh.send('/v1/health')).json()).toMatchObject({ status: 'success', version: expect.any(String) });
    expect((await send(`${fresh.adminUrl}/readyz`)).status).toBe(200);
  });
});

describe('a path', () => {
  test.for([
    { path: '/api/chat', method: 'GET', allow: 'POST, OPTIONS', body: { error: expect.any(String) } },
    { path: '/api/tags', method: 'POST', allow: 'GET, HEAD, OPTIONS', body: { error: expect.any(String) } },
    { path: '/v2/chat/', method: 'PUT', allow: 'POST, OPTIONS', body: { message: expect.stringContaining('POST') } },
    {
      ...{ path: '/v1beta/models/a/b:generateContent', method: 'GET', allow: 'POST, OPTIONS' },
      body: { error: { code: 405, status: expect.any(String), message: expect.stringContaining('POST') } },
    },
  ])('of another API is 405 with $method: $path', async ({ path, method, allow, body }) => {
    const answer = await world.send(path, { method, headers: via });
    expect([answer.status, answer.headers['allow'], answer.json()]).toEqual([405, allow, body]);
  });

  test.for(['/api/pull', '/v2/nope', '/v1beta/nope'])(
    'that another API does not have here is 404: %s',
    async (path) => {
      const answer = await world.send(path, { method: 'DELETE', headers: via });
      expect([answer.status, answer.text]).toEqual([404, expect.not.stringContaining('base URL')]);
    },
  );

  test.for([
    { rule: 'outside /v1 is 404', method: 'GET', path: '/nope' },
    { rule: 'with a method that is not routed is 404', method: 'PATCH', path: '/v1/chat/completions' },
    { rule: 'outside /v1 with HEAD is 404', method: 'HEAD', path: '/' },
  ])('$rule', async ({ method, path }) => {
    const answer = await world.send(path, { method, headers: via });
    expect(answer.status).toBe(404);
    expect(answer.headers['x-gw-trace-id']).toEqual(expect.any(String));
    if (method !== 'HEAD') expect(answer.json()).toMatchObject({ message: 'Not Found', ok: false });
  });

  test.for([
    { path: '/v1/chat/completions/', operation: 'chatComplete' },
    { path: '/v1/chat/completions/?a=b', operation: 'chatComplete' },
    { path: '/v1/embeddings/', operation: 'embed' },
    { path: '/v1/echo/', operation: 'proxy' },
  ])('with a slash at the end is the one without: $path is $operation', async ({ path, operation }) => {
    const trace = `slash of ${path}`;
    const payload = { ...body, input: 'hi' };
    const answer = await world.send(path, { headers: { ...via, 'x-gw-trace-id': trace }, body: payload });
    expect(answer.status).toBe(200);
    const logged = () => world.logs.find((line) => line['traceId'] === trace && line['operation'] !== undefined);
    await waitFor(() => logged() !== undefined);
    expect(logged()).toMatchObject({ operation });
  });

  test('that is proxied keeps its slash', async () => {
    await world.send('/v1/echo/', { headers: via, body });
    expect(world.mock.requests.at(-1)?.path).toBe('/v1/echo/');
  });

  test.for(['/v1/health/', '/metrics/'])('of the gateway itself may end in a slash: %s', async (path) => {
    expect((await world.send(path)).status).toBe(200);
  });

  test.for([...MANAGEMENT_PREFIXES])('/v1/%s is reserved and never reaches a provider', async (prefix) => {
    const before = world.mock.requests.length;
    const encoded = `%${prefix.charCodeAt(0).toString(16)}${prefix.slice(1)}`;
    for (const path of [`/v1/${prefix}`, `/v1/${prefix}/a/b?c=d`, `/v1/${encoded}/x`]) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const answer = await world.send(path, { method, headers: via });
        // The gateway takes records itself, where it has a request log.
        const isOwn = method === 'POST' && path === '/v1/logs';
        expect(answer.status, `${method} ${path}`).toBe(isOwn ? 501 : 404);
      }
    }
    expect(world.mock.requests).toHaveLength(before);
  });

  test('with a /v1 too many is 404 with the remedy, never proxied', async () => {
    const before = world.mock.requests.length;
    for (const path of ['/v1/v1', '/v1/v1/chat/completions', '/v1/%761/models', '/v1/v1/messages']) {
      for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
        const answer = await world.send(path, { method, headers: via });
        expect(answer.status, `${method} ${path}`).toBe(404);
        expect(answer.json()).toMatchObject({ error: { message: expect.stringContaining('base URL') } });
        expect(answer.json().type, path).toBe(path.endsWith('/messages') ? 'error' : undefined);
      }
    }
    expect(world.mock.requests).toHaveLength(before);
  });

  test('of the realtime API is a WebSocket, and what is not known below it is proxied', async () => {
    const answer = await world.send('/v1/realtime?model=x', { headers: via });
    expect(answer.json()).toMatchObject({ error: { code: 'upgrade_required' } });
    const before = world.mock.requests.length;
    await world.send('/v1/realtime/anything', { headers: via, body: { session: { type: 'realtime' } } });
    expect(world.mock.requests.slice(before)).toMatchObject([{ method: 'POST', path: '/v1/realtime/anything' }]);
  });

  test('that cannot be decoded is 400', async () => {
    const answer = await world.send('/v1/responses/%zz', { headers: via });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({ error: { code: 'parameter_invalid' } });
    expect(answer.headers['x-gw-trace-id']).toEqual(expect.any(String));
  });

  test('keeps an encoded segment encoded on its way to the provider', async () => {
    await world.send('/v1/responses/resp_a%2Fb%3Fc', { headers: via });
    expect(world.mock.requests.at(-1)?.path).toBe('/v1/responses/resp_a%2Fb%3Fc');
  });
});

describe('HEAD', () => {
  test.for(['/v1/health', '/metrics', '/v1/models'])('%s is GET without a body', async (path) => {
    const [get, head] = [await world.send(path), await world.send(path, { method: 'HEAD' })];
    expect([get.status, head.status]).toEqual([200, 200]);
    expect(head.bytes).toHaveLength(0);
    expect(head.headers['content-type']).toBe(get.headers['content-type']);
    if (path !== '/metrics') expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });

  test('of a list of a provider has no body, and the connection stays usable', async () => {
    const answer = await world.send('/v1/models', { method: 'HEAD', headers: via });
    expect([answer.status, answer.bytes.length]).toEqual([200, 0]);
    const two = [
      { method: 'HEAD', last: '' },
      { method: 'GET', last: 'connection: close\r\n' },
    ].map(({ method, last }) => `${method} /v1/models HTTP/1.1\r\nhost: x\r\n${last}x-gw-api-key: ${KEY}\r\n\r\n`);
    const text = (await sendBytes(world.port, two.join(''))).toString();
    expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2);
    expect(text.match(/"object":"list"/g)).toHaveLength(1);
  });

  test('of another path goes to the provider as HEAD', async () => {
    const answer = await world.send('/v1/echo', { method: 'HEAD', headers: via });
    expect(world.mock.requests.at(-1)).toMatchObject({ method: 'HEAD', path: '/v1/echo' });
    expect(answer.bytes).toHaveLength(0);
  });

  test('of an error has its headers alone', async () => {
    const answer = await world.send('/v1/models', { method: 'HEAD', headers: { 'x-gw-api-key': 'wrong' } });
    expect([answer.status, answer.bytes.length]).toEqual([401, 0]);
  });
});

describe('OPTIONS without CORS', () => {
  let plain: RunningGateway;
  beforeAll(async () => {
    plain = await startGateway({ entries: [workspace(), key()] });
  });
  afterAll(() => plain[Symbol.asyncDispose]());

  test.for(['/v1/chat/completions', '/v1/models', '/v1/anything/else'])('%s names the methods', async (path) => {
    const answer = await plain.send(path, { method: 'OPTIONS' });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      allow: 'GET, POST, PUT, DELETE, HEAD, OPTIONS',
      'x-request-id': expect.any(String),
    });
    expect(answer.headers['access-control-allow-origin']).toBeUndefined();
  });

  test.for(['/v1/configs', '/nope'])('%s is 404, as with any method', async (path) => {
    expect((await plain.send(path, { method: 'OPTIONS' })).status).toBe(404);
  });
});

describe('?pretty', () => {
  const ask = (query: string, model = 'mock-small', stream = false) =>
    world.send(`/v1/chat/completions${query}`, {
      headers: { 'x-gw-provider': '@openai' },
      body: { model, stream, messages: [{ role: 'user', content: 'hi' }] },
    });

  test.for([
    { rule: 'answers', model: 'mock-small' },
    { rule: 'errors of providers', model: 'mock-fail-503' },
  ])('indents $rule, which stay the same JSON', async ({ model }) => {
    const [plain, pretty] = [await ask('', model), await ask('?pretty', model)];
    expect(pretty.text).toBe(`${JSON.stringify(plain.json(), null, 2)}\n`);
    expect(pretty.headers['content-length']).toBe(String(pretty.bytes.length));
  });

  test.for(['?prettyplease=1', '?x=pretty', ''])('is a name of its own: %j is not', async (query) => {
    expect((await ask(query)).text).not.toContain('\n');
  });

  test('changes no stream', async () => {
    expect((await ask('?pretty', 'mock-small', true)).text).toBe((await ask('', 'mock-small', true)).text);
  });
});

describe('a body beyond the limit', () => {
  const large = Buffer.from(JSON.stringify({ ...body, padding: 'x'.repeat(1_500_000) }));
  const type = { 'content-type': 'application/json' };

  test('is 413 by its length, before the key is looked at', async () => {
    const answer = await world.send('/v1/chat/completions', {
      headers: { ...via, ...type, 'x-gw-api-key': 'gwk_wrong' },
      body: large,
    });
    expect(answer.status).toBe(413);
    expect(answer.json()).toMatchObject({ status: 'failure', error: { code: 'body_too_large' } });
  });

  test('is 413 by its bytes when it has no length', async () => {
    const answer = await world.send('/v1/chat/completions', {
      method: 'POST',
      headers: { ...via, ...type },
      body: Readable.from([large]),
    });
    expect(answer.status).toBe(413);
  });

  test('reaches ordinary clients as 413, however much they still wanted to send', async () => {
    for (let i = 0; i < 5; i += 1) {
      const answer = await fetch(`${world.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { ...via, ...type, 'x-gw-api-key': KEY },
        body: Buffer.alloc(20_000_000, ' '),
      });
      expect(answer.status).toBe(413);
      await answer.body?.cancel();
    }
  });

  test('is no matter for forms and binary bodies', async () => {
    const answer = await world.send('/v1/echo', {
      headers: { ...via, 'content-type': 'application/octet-stream' },
      body: large,
    });
    expect(answer.json()).toMatchObject({ body_bytes: large.length });
  });
});

describe('a content-type that is no media type', () => {
  test('is refused before the key is looked at', async () => {
    const answer = await chat({ 'x-gw-api-key': 'wrong', 'content-type': 'json' });
    expect([answer.status, answer.json()]).toMatchObject([
      400,
      { error: { message: expect.stringContaining('content-type header is malformed') } },
    ]);
  });

  test('is no matter without a body', async () => {
    const answer = await world.send('/v1/models', { headers: { ...via, 'content-type': 'json' } });
    expect(answer.status).toBe(200);
  });
});

describe('CORS', () => {
  const origin = 'https://app.example';

  test('answers a preflight', async () => {
    const answer = await world.send('/v1/chat/completions', { method: 'OPTIONS', headers: { origin } });
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': origin,
      'access-control-allow-methods': '*',
      'access-control-allow-headers': '*, authorization',
      vary: 'origin',
    });
  });

  test.for([
    { rule: 'answers', headers: via, status: 200 },
    { rule: 'errors', headers: { 'x-gw-api-key': 'wrong' }, status: 401 },
  ])('headers are on $rule for listed origins only', async ({ headers, status }) => {
    const listed = await chat({ ...headers, origin });
    expect(listed.status).toBe(status);
    expect(listed.headers['access-control-allow-origin']).toBe(origin);
    const other = await chat({ ...headers, origin: 'https://evil.example' });
    expect(other.headers['access-control-allow-origin']).toBeUndefined();
  });

  test('headers are on errors before the pipeline, too', async () => {
    const answer = await world.send('/nope', { headers: { origin } });
    expect(answer.headers['access-control-allow-origin']).toBe(origin);
  });
});

describe('every answer carries a trace id', () => {
  test.for([
    { rule: 'the one of the client', headers: { 'x-gw-trace-id': 'my trace/1' }, want: 'my trace/1' },
    {
      rule: 'the one of traceparent',
      headers: { traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01' },
      want: '4bf92f3577b34da6a3ce929d0e0e4736',
    },
    { rule: 'a fresh one', headers: { traceparent: '00-0-0-01' }, want: expect.stringMatching(/^[0-9a-f-]{36}$/) },
  ])('$rule', async ({ headers, want }) => {
    expect((await chat({ ...via, ...headers })).headers['x-gw-trace-id']).toEqual(want);
  });

  test.for(['/v1/health', '/v1/models', '/nope', '/v1/prompts'])('GET %s', async (path) => {
    expect((await world.send(path)).headers['x-gw-trace-id']).toEqual(expect.any(String));
  });

  test('malformed requests, too', async () => {
    const answer = (await sendBytes(world.port, 'GET / HTTP/1.1\r\nbad header\r\n\r\n')).toString();
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.toLowerCase()).toContain('x-gw-trace-id: ');
  });
});

describe('a connection', () => {
  test('serves many requests, errors included', async () => {
    const requestFor = (path: string, more = ''): string =>
      `GET ${path} HTTP/1.1\r\nhost: x\r\nx-gw-api-key: wrong\r\n${more}\r\n`;
    const requests = ['/v1/models', '/v1/models', '/nope'].map((path) => requestFor(path));
    const bytes = [...requests, requestFor('/v1/models', 'connection: close\r\n')].join('');
    const answers = (await sendBytes(world.port, bytes)).toString().split(/(?=HTTP\/1\.1 (?:401|404))/);
    expect(answers).toHaveLength(4);
    expect(answers.map((answer) => answer.toLowerCase().includes('connection: close'))).toEqual([
      ...[false, false, false],
      true,
    ]);
  });
});
