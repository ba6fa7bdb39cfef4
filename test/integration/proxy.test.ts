/** Proxy mode: any other path, bytes both ways: docs/behaviour/requests.md#operations-and-the-proxy-mode. */
import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { lastRequest, startWorld, type World } from '../kit/gateway.ts';
import { open, receive } from '../kit/http.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { config, KEY, provider } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    env: { GATEHOUSE_REPLAY_BYTES: String(64 * 1024) },
    entries: () => [
      config('chain', {
        strategy: { mode: 'fallback' },
        targets: [{ provider: '@dead' }, { provider: '@openai' }],
      }),
      ...provider('dead', { customHost: 'http://127.0.0.1:1/v1', proxyPaths: 'All' }),
    ],
  });
});

afterAll(() => world[Symbol.asyncDispose]());

const via = { 'x-gw-provider': '@openai' };
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

describe('a proxied request', () => {
  test('keeps method, path below /v1, query and headers', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      const answer = await world.send('/v1/echo/some/thing%20else?a=1&b=%2F&b=3', {
        method,
        headers: { ...via, 'x-custom': 'kept', 'accept-encoding': 'gzip, br;q=0.9, deflate' },
      });
      expect(answer.json()).toMatchObject({
        method,
        path: '/v1/echo/some/thing%20else',
        search: '?a=1&b=%2F&b=3',
        headers: {
          'x-custom': 'kept',
          'accept-encoding': 'gzip, deflate',
          authorization: 'Bearer sk-openai-secret',
        },
        body_bytes: 0,
      });
      expect(answer.json().headers).not.toHaveProperty('x-gw-provider');
      expect(answer.json().headers.host).toBe(new URL(world.mock.url).host);
    }
  });

  test('never passes the Authorization of the client on, unless it is the credential', async () => {
    const own = await world.send('/v1/echo', { headers: { ...via, authorization: 'Bearer sk-client' } });
    expect(own.json().headers.authorization).toBe('Bearer sk-openai-secret');
    const named = await world.send('/v1/echo', {
      headers: {
        'x-gw-provider': 'openai',
        'x-gw-custom-host': `${world.mock.url}/v1`,
        authorization: 'Bearer sk-client',
      },
    });
    expect(named.json().headers.authorization).toBe('Bearer sk-client');
  });

  test('sends JSON as it came', async () => {
    const body = '{"b": 1,\n "a":[1.0, "ü"] }';
    await world.send('/v1/echo', { headers: { ...via, 'content-type': 'application/json' }, body });
    expect(lastRequest(world.mock).body.toString()).toBe(body);
    expect(lastRequest(world.mock).headers['content-type']).toBe('application/json');
  });

  test('lets a config shape JSON, and nothing else', async () => {
    const headers = { 'x-gw-config': JSON.stringify({ provider: '@openai', override_params: { added: true } }) };
    expect((await world.send('/v1/echo', { headers, body: { a: 1 } })).json().body).toEqual({ a: 1, added: true });
    const form = await world.send('/v1/echo', { headers: { ...headers, 'content-type': 'text/plain' }, body: 'a=1' });
    expect(form.json().body_sha256).toBe(sha256(Buffer.from('a=1')));
  });

  test.for([
    { rule: 'malformed JSON is refused', body: '{', code: 'body_not_json' },
    { rule: 'a list is refused', body: '[1]', code: 'body_not_object' },
  ])('$rule', async ({ body, code }) => {
    const answer = await world.send('/v1/echo', { headers: { ...via, 'content-type': 'application/json' }, body });
    expect(answer.json()).toMatchObject({ error: { code } });
  });

  test('climbs nowhere', async () => {
    for (const path of ['/v1/a/%2e%2e/%2e%2e/admin', '/v1/files/%2E%2E']) {
      const answer = await world.send(path, { headers: via });
      expect(answer.json(), path).toMatchObject({ error: { code: 'parameter_invalid' } });
    }
  });

  test('is routed like any other: fallback, headers of the answer', async () => {
    const answer = await world.send('/v1/echo', { headers: { 'x-gw-config': 'chain' }, body: { a: 1 } });
    expect(answer.json().body).toEqual({ a: 1 });
    expect(answer.headers).toMatchObject({
      'x-gw-provider': 'openai',
      'x-gw-last-used-option-index': 'config.targets[1]',
      'x-gw-retry-attempt-count': '0',
      'x-gw-trace-id': expect.any(String),
    });
  });

  test('relays errors of the provider as they are', async () => {
    const answer = await world.send('/v1/proxy/moderations', { headers: { ...via, 'x-mock-status': '429' }, body: {} });
    expect(answer.status).toBe(429);
    expect(answer.json()).not.toHaveProperty('provider');
  });
});

describe('the request timeout of a proxied call', () => {
  const stalled = (headers: Record<string, string>) =>
    world.send('/v1/proxy/moderations', {
      headers: { ...via, 'x-mock-stall-after-bytes': '5', 'x-gw-trace-id': 'stalled', ...headers },
      body: { input: 'x' },
    });

  test('covers the answer to its last byte: what stays incomplete is cut', async () => {
    await expect(stalled({ 'x-gw-request-timeout': '1000' })).rejects.toThrow();
    await waitFor(() => world.mock.requests.at(-1)?.outcome === 'broken');
    const logged = () => world.logs.find((line) => line['traceId'] === 'stalled' && line['operation'] !== undefined);
    await waitFor(() => logged() !== undefined);
    expect(logged()).toMatchObject({ error: 'UPSTREAM_TIMEOUT' });
  });

  test('leaves an answer alone that came in time', async () => {
    const answer = await world.send('/v1/proxy/moderations', {
      headers: { ...via, 'x-gw-request-timeout': '5000' },
      body: { input: 'x' },
    });
    expect(answer.json()).toMatchObject({ results: expect.any(Array) });
  });
});

describe('a form', () => {
  const boundary = 'edge';
  const form = (file: Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n`),
      Buffer.from(`--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="f.bin"\r\n\r\n`),
      file,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]);
  const type = { 'content-type': `multipart/form-data; boundary=${boundary}` };

  test('arrives byte for byte, with its length', async () => {
    const body = form(randomBytes(20_000));
    const answer = await world.send('/v1/echo', { headers: { ...via, ...type }, body });
    expect(answer.json()).toMatchObject({
      body_bytes: body.length,
      body_sha256: sha256(body),
      headers: { 'content-length': String(body.length), ...type },
    });
    expect(answer.headers['x-gw-body-replayable']).toBeUndefined();
  });

  test('is streamed: the provider sees the beginning while the client still sends', async () => {
    let begun = Promise.withResolvers<void>();
    await using upstream = await startRawUpstream(async (reply) => {
      begun.resolve();
      await reply.answer(200, String((await reply.request.body).length));
    });
    const parts = [Buffer.alloc(1_000, 'a'), Buffer.alloc(1_000, 'b')];
    async function* slowly() {
      yield parts[0];
      await begun.promise; // the rest is sent only once the upstream has the request
      yield parts[1];
    }
    begun = Promise.withResolvers<void>();
    const answer = await world.send('/v1/upload', {
      method: 'POST',
      headers: { 'x-gw-provider': 'openai', 'x-gw-custom-host': upstream.url, ...type },
      body: Readable.from(slowly()),
    });
    expect(answer.text).toBe('2000');
    expect(upstream.requests[0]?.headers.get('transfer-encoding')).toBe('chunked');
  });

  test('is sent again to the next target while it is small enough', async () => {
    const body = form(randomBytes(30_000));
    const answer = await world.send('/v1/echo', { headers: { 'x-gw-config': 'chain', ...type }, body });
    expect(answer.json()).toMatchObject({ body_sha256: sha256(body) });
  });

  test('beyond the limit is sent once: no retry, and a header of the answer shows it', async () => {
    let tries = 0;
    await using upstream = await startRawUpstream(async (reply) => {
      await reply.request.body;
      tries += 1;
      await reply.answer(429, '{}', { 'retry-after': '0' });
    });
    const retry = { attempts: 3, use_retry_after_header: true };
    const document = { provider: 'openai', api_key: 'x', custom_host: upstream.url, retry };
    const headers = { 'x-gw-config': JSON.stringify(document), ...type };
    const large = await world.send('/v1/upload', { headers, body: form(randomBytes(500_000)) });
    expect(large.status).toBe(429);
    expect(large.headers).toMatchObject({ 'x-gw-body-replayable': 'false', 'x-gw-retry-attempt-count': '0' });
    expect(tries).toBe(1);
    tries = 0;
    const small = await world.send('/v1/upload', { headers, body: form(randomBytes(10_000)) });
    expect(small.headers).toMatchObject({ 'x-gw-retry-attempt-count': '-1' });
    expect(tries).toBe(4);
  });

  test('beyond the limit does not move a fallback on either', async () => {
    await using upstream = await startRawUpstream(async (reply) => {
      await reply.request.body;
      await reply.answer(503, '{}');
    });
    const first = { provider: 'openai', api_key: 'x', custom_host: upstream.url };
    const headers = {
      'x-gw-config': JSON.stringify({ strategy: { mode: 'fallback' }, targets: [first, { provider: '@openai' }] }),
      ...type,
    };
    const answer = await world.send('/v1/echo', { headers, body: form(randomBytes(500_000)) });
    expect(answer.status).toBe(503);
    expect(answer.headers['x-gw-last-used-option-index']).toBe('config.targets[0]');
  });

  test('of 50 MB goes through', async () => {
    const piece = randomBytes(1_000_000);
    const hash = createHash('sha256');
    async function* pieces() {
      for (let i = 0; i < 50; i += 1) {
        hash.update(piece);
        yield piece;
      }
    }
    const answer = await world.send('/v1/echo', {
      headers: { ...via, 'content-type': 'application/octet-stream' },
      body: Readable.from(pieces()),
    });
    expect(answer.json()).toMatchObject({ body_bytes: 50_000_000, body_sha256: hash.digest('hex') });
  });
});

describe('a proxied answer', () => {
  test('is binary byte for byte, with its headers and encoding', async () => {
    const bytes = randomBytes(300_000);
    const packed = gzipSync(bytes);
    await using upstream = await startRawUpstream((reply) =>
      reply.answer(200, packed, { 'content-type': 'audio/mpeg', 'content-encoding': 'gzip', 'x-request-id': 'r1' }),
    );
    const answer = await world.send('/v1/proxy/audio/speech', {
      headers: { 'x-gw-provider': 'openai', 'x-gw-custom-host': upstream.url, authorization: 'Bearer x' },
      body: {},
    });
    expect(answer.bytes.equals(packed)).toBe(true);
    expect(answer.headers).toMatchObject({
      'content-type': 'audio/mpeg',
      'content-encoding': 'gzip',
      'content-length': String(packed.length),
      'x-request-id': 'r1',
    });
  });

  test('streams events as they come', async () => {
    const gate = Promise.withResolvers<void>();
    await using upstream = await startRawUpstream(async (reply) => {
      await reply.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
      await reply.chunk('data: one\n\n');
      await gate.promise; // opened only when the client has seen the first event
      await reply.chunk('data: two\r\n\r\n: comment\n\n');
      await reply.chunk('');
    });
    const { response } = await open(`${world.url}/v1/events`, {
      headers: { 'x-gw-api-key': KEY, 'x-gw-provider': 'openai', 'x-gw-custom-host': upstream.url },
      body: { stream: true },
    });
    const first = await new Promise<Buffer>((resolve) => response.once('data', resolve));
    expect(first.toString()).toBe('data: one\n\n');
    gate.resolve();
    expect((await receive(response)).text).toBe('data: two\r\n\r\n: comment\n\n');
  });

  test('keeps 204, 304 and redirects', async () => {
    for (const status of [204, 304, 302, 307]) {
      await using upstream = await startRawUpstream((reply) =>
        reply.head(status, {
          location: 'https://elsewhere.example/x',
          ...(status === 204 || status === 304 ? {} : { 'content-length': '0' }),
        }),
      );
      const answer = await world.send('/v1/thing', {
        headers: { 'x-gw-provider': 'openai', 'x-gw-custom-host': upstream.url },
      });
      expect(answer.status).toBe(status);
      expect(answer.headers['location']).toBe('https://elsewhere.example/x');
      expect(upstream.requests).toHaveLength(1);
    }
  });
});
