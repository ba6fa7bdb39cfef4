/** Providers that fail in every way a socket allows: docs/behaviour/errors.md#failures-without-an-answer. */
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../kit/free-port.ts';
import { expectNothingLeft, startGateway, startMock, startWorld, type World } from '../kit/gateway.ts';
import { type RawReply, startRawUpstream } from '../kit/raw-upstream.ts';
import { key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterEach(() => expectNothingLeft(world));
afterAll(() => world[Symbol.asyncDispose]());

const messages = [{ role: 'user', content: 'a question' }];

describe('a provider that cannot be reached', () => {
  test.for([
    { rule: 'refuses connections', host: 'http://127.0.0.1:1', status: 502 },
    { rule: 'has no address', host: 'http://does-not-exist.localhost.example.invalid', status: 502 },
  ])('because it $rule is $status with type upstream_connection_error', async ({ host, status }) => {
    await using lost = await startGateway({ entries: [workspace(), key(), provider('lost', { customHost: host })] });
    const answer = await lost.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': '@lost' },
      body: { model: 'x', messages },
    });
    expect(answer.json()).toMatchObject({ error: { type: 'upstream_connection_error', code: null } });
    expect(answer.status).toBe(status);
    expect(answer.headers).toMatchObject({ 'x-gw-provider': 'openai', 'x-gw-last-used-option-index': 'config' });
  });

  test('names the place in its error, and no credential', async () => {
    const entries = [workspace(), key(), provider('lost', { customHost: 'http://127.0.0.1:1/v1', secret: 'sk-lost' })];
    await using lost = await startGateway({ entries });
    const { text } = await lost.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': '@lost' },
      body: { model: 'x', messages },
    });
    expect(text).toContain('http://127.0.0.1:1');
    expect(text).not.toContain('sk-lost');
    await waitFor(async () => (await lost.metric('gatehouse_requests_in_flight')) === 0, { what: 'nothing in flight' });
  });

  test('goes and comes back in the middle of traffic: errors meanwhile, answers again afterwards', async () => {
    const port = await freePort(); // nobody else gets it while the provider is gone
    let mock = await startMock({ port });
    await using gone = await startGateway({
      entries: [workspace(), key(), provider('gone', { customHost: `${mock.url}/v1` })],
    });
    const statuses: number[] = [];
    let running = true;
    const lanes = Array.from({ length: 4 }, async () => {
      while (running) {
        const { status } = await gone.send('/v1/chat/completions', {
          headers: { 'x-gw-provider': '@gone' },
          body: { model: 'mock-small', messages },
        });
        statuses.push(status);
      }
    });
    try {
      await waitFor(() => statuses.length > 20);
      await mock.close();
      await waitFor(() => statuses.at(-1) === 502);
      mock = await startMock({ port });
      const before = statuses.length;
      await waitFor(() => statuses.length > before + 20 && statuses.at(-1) === 200);
    } finally {
      running = false;
      await Promise.all(lanes);
      await mock.close();
    }
    expect(new Set(statuses)).toEqual(new Set([200, 502]));
    await waitFor(async () => (await gone.metric('gatehouse_requests_in_flight')) === 0);
  });

  test('in the middle of a unary answer is 502 in the format of the client', async () => {
    for (const [path, more] of [
      ['/v1/chat/completions', {}],
      ['/v1/messages', { type: 'error' }],
    ] as const) {
      const slug = path === '/v1/messages' ? '@anthropic' : '@openai';
      const answer = await world.send(path, {
        headers: { 'x-gw-provider': slug },
        body: { model: 'mock-cut-20', max_tokens: 5, messages },
      });
      expect(answer.status).toBe(502);
      expect(answer.json()).toMatchObject({ ...more, error: { message: expect.any(String) } });
    }
  });
});

describe('errors of a provider', () => {
  test.for([
    { body: 'json', message: /^openai error: Mock error 503/ },
    { body: 'text', message: /^openai error: 503 Service Unavailable/ },
    { body: 'html', message: /503 Service Unavailable/ },
  ])('with a body of $body come in the normal form', async ({ body, message }) => {
    const answer = await world.send('/v1/chat/completions', {
      headers: {
        'x-gw-provider': '@openai',
        'x-gw-forward-headers': 'x-mock-error-body, x-mock-retry-after',
        'x-mock-error-body': body,
        'x-mock-retry-after': '7',
      },
      body: { model: 'mock-fail-503', messages },
    });
    expect(answer.status).toBe(503);
    expect(answer.json()).toMatchObject({ error: { message: expect.stringMatching(message) }, provider: 'openai' });
    expect(answer.headers['retry-after']).toBe('7');
  });

  test('without a body are relayed without one', async () => {
    const answer = await world.send('/v1/chat/completions', {
      headers: {
        'x-gw-provider': '@openai',
        'x-gw-forward-headers': 'x-mock-error-body',
        'x-mock-error-body': 'empty',
      },
      body: { model: 'mock-fail-500', messages },
    });
    expect([answer.status, answer.text]).toEqual([500, '']);
  });

  test.for([408, 412])('with status %i are relayed as they are', async (status) => {
    const answer = await world.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': '@openai' },
      body: { model: `mock-fail-${status}`, messages },
    });
    expect(answer.status).toBe(status);
    expect(answer.json()).not.toHaveProperty('provider');
  });
});

describe('a storm of 429', () => {
  test('costs every request its own bounded number of calls', async () => {
    const before = world.mock.requests.length;
    const target = { provider: '@openai', override_params: { model: 'mock-fail-429' } };
    const document = {
      strategy: { mode: 'fallback' },
      retry: { attempts: 2, use_retry_after_header: true },
      forward_headers: ['x-mock-retry-after'],
      targets: [target, target],
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, () =>
        world.send('/v1/chat/completions', {
          headers: { 'x-gw-config': JSON.stringify(document), 'x-mock-retry-after': '0' },
          body: { messages },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([429]));
    expect(world.mock.requests.length - before).toBe(20 * 2 * 3);
  });
});

describe('bytes that are no proper HTTP answer', () => {
  const raw = async (handler: (reply: RawReply) => void | Promise<void>, stream = false) => {
    await using upstream = await startRawUpstream(handler);
    return await world.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': 'openai', 'x-gw-custom-host': upstream.url, authorization: 'Bearer x' },
      body: { model: 'x', messages, stream },
    });
  };

  test.for<{ rule: string; bytes: string; status: number }>([
    { rule: 'no HTTP at all', bytes: 'SSH-2.0-OpenSSH_9.6\r\n', status: 502 },
    { rule: 'a closed connection', bytes: '', status: 502 },
    { rule: 'half a status line', bytes: 'HTTP/1.1 2', status: 502 },
    { rule: 'headers that never end', bytes: `HTTP/1.1 200 OK\r\nx-a: ${'a'.repeat(300_000)}`, status: 502 },
    { rule: 'a length that is no number', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: many\r\n\r\n{}', status: 502 },
    { rule: 'two lengths', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{}', status: 502 },
    { rule: 'a broken chunk', bytes: 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n', status: 502 },
    { rule: 'less than announced', bytes: 'HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{}', status: 502 },
    { rule: 'a protocol that was not requested', bytes: 'HTTP/1.1 101 Switching\r\nupgrade: x\r\n\r\n', status: 502 },
    { rule: 'a status below 100', bytes: 'HTTP/1.1 099 Odd\r\ncontent-length: 2\r\n\r\n{}', status: 502 },
  ])('$rule: $status, and the gateway goes on', async ({ bytes, status }) => {
    const answer = await raw(async ({ write, socket }) => {
      await write(bytes);
      socket.end();
    });
    expect(answer.status).toBe(status);
    expect(answer.json()).toMatchObject({ error: { message: expect.any(String) } });
    expect(
      (
        await world.send('/v1/chat/completions', {
          headers: { 'x-gw-provider': '@openai' },
          body: { messages, model: 'mock-small', stream: true },
        })
      ).status,
    ).toBe(200);
  });

  test('informational answers are passed over', async () => {
    const answer = await raw(async (reply) => {
      await reply.write('HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n');
      await reply.answer(200, '{"id":"x"}', { 'content-type': 'application/json' });
    });
    expect(answer.json()).toEqual({ id: 'x' });
  });

  test.for([
    { rule: 'bytes beyond ASCII', header: Buffer.from('naïve ☃', 'utf8').toString('latin1') },
    { rule: 'a tab', header: 'a\tb' },
    { rule: 'nothing', header: '' },
  ])('headers with $rule do not stop the answer', async ({ header }) => {
    const answer = await raw(async ({ write }) => {
      await write(Buffer.from(`HTTP/1.1 200 OK\r\nx-odd: ${header}\r\ncontent-length: 2\r\n\r\n{}`, 'latin1'));
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-odd']).toBe(header);
  });

  test('our own headers are never taken from a provider', async () => {
    const answer = await raw((reply) =>
      reply.answer(200, '{}', { 'x-gw-provider': 'evil', 'x-gw-trace-id': 'evil', 'x-gw-cache-status': 'HIT' }),
    );
    expect(answer.headers).toMatchObject({ 'x-gw-provider': 'openai', 'x-gw-cache-status': 'DISABLED' });
    expect(answer.headers['x-gw-trace-id']).not.toBe('evil');
  });

  test('an answer that grows beyond the limit is 502', async () => {
    await using small = await startWorld({ env: { GATEHOUSE_MAX_RESPONSE_BYTES: '10000' } });
    const answer = await small.send('/v1/chat/completions', {
      headers: {
        'x-gw-provider': '@openai',
        'x-gw-forward-headers': 'x-mock-response-bytes',
        'x-mock-response-bytes': '200000',
      },
      body: { model: 'mock-small', messages },
    });
    expect(answer.status).toBe(502);
    expect(answer.json()).toMatchObject({ error: { type: 'upstream_response_too_large' } });
  });

  test.for([
    { rule: 'is read whole where its bytes are right', slug: 'openai', status: 200 },
    { rule: 'is refused where it has to be translated', slug: 'anthropic', status: 502 },
  ])('a stream in an encoding that was not asked for $rule', async ({ slug, status }) => {
    const events = 'data: {"id":"x","choices":[{"index":0,"delta":{"content":"hi"}}]}\n\ndata: [DONE]\n\n';
    await using upstream = await startRawUpstream((reply) =>
      reply.answer(200, gzipSync(events), { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }),
    );
    const answer = await world.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': slug, 'x-gw-custom-host': upstream.url, authorization: 'Bearer x' },
      body: { model: 'x', messages, stream: true, max_tokens: 5 },
    });
    expect(answer.status).toBe(status);
    expect(answer.headers['content-encoding']).toBeUndefined();
    if (status === 200) expect(answer.text).toBe(events);
  });
});

describe('an operation that a provider does not offer', () => {
  const words = (path: string, slug: string): string =>
    `${path.endsWith('resp_1') ? 'GET /v1/responses/{response_id}' : `POST ${path}`} is not offered by ${slug.slice(1)}`;

  test.for([
    { slug: '@openai', path: '/v1/messages/count_tokens', body: { messages }, protocol: 'messages' },
    { slug: '@anthropic', path: '/v1/embeddings', body: { input: 'hi' }, protocol: 'openai' },
    { slug: '@anthropic', path: '/v1/responses/resp_1', body: undefined, protocol: 'openai' },
  ])('is 400: $path of $slug', async ({ slug, path, body, protocol }) => {
    const answer = await world.send(path, {
      headers: { 'x-gw-provider': slug },
      ...(body === undefined ? {} : { body: { model: 'm', ...body } }),
    });
    expect(answer.status).toBe(400);
    expect(answer.json()).toMatchObject({
      ...(protocol === 'messages' ? { type: 'error' } : {}),
      error: {
        type: 'invalid_request_error',
        code: 'operation_unsupported',
        message: expect.stringContaining(words(path, slug)),
      },
    });
    expect(answer.headers).toMatchObject({
      'x-gw-gateway-exception': 'true',
      'x-gw-last-used-option-index': 'config',
      'x-gw-provider': slug.slice(1),
    });
  });
});
