import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request as send } from 'node:http';
import { connect } from 'node:net';
import { waitFor } from '@gatehouse/test/kit';
import { describe, expect, test } from 'vitest';
import { createMockProvider, describeRule, MOCK_CONTROLS } from './index.ts';
import { createResponder } from './respond.ts';

const CHAT = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] });
const STREAM = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'Hi' }] });
const post = (body: string, headers: Record<string, string> = {}) => ({ method: 'POST', body, headers });

describe('the server', () => {
  test('listens on a free loopback port and says where', async () => {
    await using mock = await createMockProvider();
    expect(mock.url).toBe(`http://127.0.0.1:${mock.port}`);
    expect((await fetch(`${mock.url}/v1/models`)).ok).toBe(true);
  });

  test('rejects when the port is taken', async () => {
    await using mock = await createMockProvider();
    await expect(createMockProvider({ port: mock.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test('writes IPv6 addresses as URLs do', async (context) => {
    const mock = await createMockProvider({ host: '::1' }).catch(() => undefined);
    if (mock === undefined) return context.skip(); // no IPv6 here
    expect(mock.url).toBe(`http://[::1]:${mock.port}`);
    await mock.close();
  });

  test.for([
    { rule: 'a silent stream', body: STREAM, headers: { 'x-mock-stall-after-bytes': '10' } },
    { rule: 'a slow stream', body: STREAM, headers: { 'x-mock-token-delay-ms': '60000' } },
    { rule: 'a delayed answer', body: CHAT, headers: { 'x-mock-delay-ms': '60000' } },
    { rule: 'a delayed body', body: CHAT, headers: { 'x-mock-body-delay-ms': '60000' } },
  ])('closes at once in spite of $rule, and only once', async ({ body, headers }) => {
    const mock = await createMockProvider();
    const answer = fetch(`${mock.url}/v1/chat/completions`, post(body, headers)).then((response) => response.text());
    const failure = expect(answer).rejects.toThrow();
    await waitFor(() => mock.requests.length === 1);
    await Promise.all([mock.close(), mock.close()]);
    await failure; // it would have been answered in the end
    await expect(fetch(mock.url)).rejects.toThrow();
  });
});

test('survives clients that leave in the middle of a request', async () => {
  await using mock = await createMockProvider();
  const socket = connect(mock.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 100\r\n\r\n{"model"');
  socket.resetAndDestroy();
  await once(socket, 'close');
  expect((await fetch(`${mock.url}/v1/models`)).ok).toBe(true);
  expect(mock.requests.map((request) => request.path)).toEqual(['/v1/models']);
});

test('refuses a body that was too large to be read', () => {
  const request = {
    method: 'POST',
    path: '/v1/messages',
    search: '',
    headers: {},
    bodyBytes: 1,
    body: Buffer.alloc(0),
  };
  expect(createResponder()(request).outgoing).toMatchObject({
    status: 413,
    bursts: [expect.stringContaining('"request_too_large"')],
  });
});

describe('determinism', () => {
  test.for([
    { path: '/v1/chat/completions', body: CHAT },
    { path: '/v1/chat/completions', body: STREAM },
    { path: '/v1/messages', body: JSON.stringify({ ...JSON.parse(STREAM), max_tokens: 9 }) },
    { path: '/v1/responses', body: JSON.stringify({ model: 'm', input: 'Hi', stream: true }) },
    { path: '/v1/embeddings', body: JSON.stringify({ model: 'm', input: 'Hi' }) },
    {
      path: '/v1beta/models/m:streamGenerateContent',
      body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
    },
  ])('the same request to $path has the same bytes and headers in every process', async ({ path, body }) => {
    const seen = await Promise.all(
      [1_000, 2_000].map(async (now) => {
        await using mock = await createMockProvider({ now: () => now });
        const response = await fetch(`${mock.url}${path}`, post(body));
        return { body: await response.text(), headers: [...response.headers] };
      }),
    );
    expect(seen[1]).toEqual(seen[0]);
  });

  test('different requests have different ids, also when they differ in the middle of a large body', async () => {
    await using mock = await createMockProvider();
    const large = (tail: string) => CHAT.replace('Hi', `${'x'.repeat(20_000)}${tail}`);
    const bodies = [CHAT, CHAT.replace('Hi', 'Ho'), large('a'), large('b')];
    const ids = await Promise.all(
      bodies.map(async (body) =>
        (await fetch(`${mock.url}/v1/chat/completions`, post(body))).headers.get('x-request-id'),
      ),
    );
    expect(new Set(ids).size).toBe(bodies.length);
  });
});

describe('recorded requests', () => {
  test('say what arrived and how it ended', async () => {
    let now = 100;
    await using mock = await createMockProvider({ now: () => now });
    await (await fetch(`${mock.url}/v1/chat/completions?a=1`, post(CHAT, { 'x-key': 'secret' }))).text();
    now = 200;
    await fetch(`${mock.url}/echo`, { headers: { 'x-mock-cut-after-bytes': '0' } })
      .then(
        (response) => response.text(),
        () => undefined,
      )
      .catch(() => undefined);
    await waitFor(() => mock.requests.map(({ outcome }) => outcome).join() === 'finished,broken');
    const [first, second] = mock.requests;
    expect(first).toMatchObject({
      sequence: 1,
      receivedAtMs: 100,
      method: 'POST',
      path: '/v1/chat/completions',
      search: '?a=1',
    });
    expect(first?.headers['x-key']).toBe('secret');
    expect(first?.json()).toEqual(JSON.parse(CHAT));
    expect(second).toMatchObject({ sequence: 2, receivedAtMs: 200, endedAtMs: 200, bodyBytes: 0 });
    expect(second?.json()).toBeUndefined();
  });

  test('are the newest 1,000, with 32 MiB of bodies at most', async () => {
    await using mock = await createMockProvider();
    const agent = new Agent({ keepAlive: true, maxSockets: 8 });
    const ask = (body: string): Promise<void> =>
      new Promise((resolve, reject) => {
        const req = send(`${mock.url}/v1/echo`, { method: 'POST', agent }, (res) => res.resume().once('end', resolve));
        req.once('error', reject).end(body);
      });
    await Promise.all(Array.from({ length: 1_005 }, (_, index) => ask(`${index}`)));
    expect(mock.requests).toHaveLength(1_000);
    expect(mock.requests.at(-1)?.sequence).toBe(1_005);
    const huge = 'x'.repeat(33 * 1024 * 1024);
    await ask(huge);
    expect(mock.requests.at(-1)).toMatchObject({ bodyBytes: huge.length, body: Buffer.alloc(0) });
    for (let count = 0; count < 4; count += 1) await ask(huge.slice(0, 12 * 1024 * 1024));
    expect(mock.requests).toHaveLength(2);
    agent.destroy();
  });
});

test('recorded requests count with their headers', async () => {
  await using mock = await createMockProvider();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const headers = { 'x-long': 'x'.repeat(200_000) };
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      const req = send(`${mock.url}/echo`, { agent, headers }, (res) => res.resume().once('end', resolve));
      req.once('error', reject).end();
    });
  await Promise.all(Array.from({ length: 200 }, ask));
  agent.destroy();
  expect(mock.requests.at(-1)?.headers).toMatchObject(headers);
  expect(mock.requests.length * 200_000).toBeLessThanOrEqual(32 * 1024 * 1024);
});

describe('an echo path', () => {
  test('answers with the request', async () => {
    await using mock = await createMockProvider();
    const body = '{"a":[1]}';
    const response = await fetch(`${mock.url}/v1/echo/below?limit=2&limit=3`, {
      ...post(body, { 'x-a': 'b' }),
      method: 'PUT',
    });
    expect(await response.json()).toMatchObject({
      method: 'PUT',
      path: '/v1/echo/below',
      search: '?limit=2&limit=3',
      query: { limit: '3' },
      headers: { 'x-a': 'b' },
      body_bytes: 9,
      body_sha256: createHash('sha256').update(body).digest('hex'),
      body: { a: [1] },
    });
  });

  test.for(['GET', 'DELETE', 'HEAD', 'OPTIONS'])('takes %s', async (method) => {
    await using mock = await createMockProvider();
    expect((await fetch(`${mock.url}/echo`, { method })).status).toBe(200);
  });
});

describe('an unknown path', () => {
  test.for([
    { family: 'OpenAI', path: '/v1/no-such', headers: {}, want: { error: { code: 'unknown_url', param: null } } },
    {
      family: 'Anthropic',
      path: '/v1/no-such',
      headers: { 'anthropic-version': '2023-06-01' },
      want: { type: 'error', error: { type: 'not_found_error' } },
    },
    { family: 'Anthropic', path: '/v1/messages/no-such', headers: {}, want: { error: { type: 'not_found_error' } } },
    { family: 'Gemini', path: '/v1beta/no-such', headers: {}, want: { error: { code: 404, status: 'NOT_FOUND' } } },
    {
      family: 'Gemini',
      path: '/no-such',
      headers: { 'x-goog-api-key': 'k' },
      want: { error: { status: 'NOT_FOUND' } },
    },
  ])('$path is 404 in the shape of $family', async ({ path, headers, want }) => {
    await using mock = await createMockProvider();
    const response = await fetch(mock.url + path, { headers });
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject(want);
  });

  test('is also a known one with /v1 twice, or with another method', async () => {
    await using mock = await createMockProvider();
    expect((await fetch(`${mock.url}/v1/v1/chat/completions`, post(CHAT))).status).toBe(404);
    expect((await fetch(`${mock.url}/v1/chat/completions`, { ...post(CHAT), method: 'PUT' })).status).toBe(404);
  });
});

test('HEAD has the status of GET and no body', async () => {
  await using mock = await createMockProvider();
  const response = await fetch(`${mock.url}/v1/models`, { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(await response.text()).toBe('');
});

describe('credentials', () => {
  const wanted = { 'x-mock-require-auth': 'KEY' };
  const paths = ['/v1/chat/completions', '/v1/messages', '/v1beta/models/m:generateContent'];

  test.for([
    { rule: 'none', headers: {}, query: '', ok: false },
    { rule: 'another', headers: { authorization: 'Bearer OTHER' }, query: '', ok: false },
    { rule: 'a bearer token', headers: { authorization: 'Bearer KEY' }, query: '', ok: true },
    { rule: 'an API key', headers: { 'x-api-key': 'KEY' }, query: '', ok: true },
    { rule: 'a cloud API key', headers: { 'api-key': 'KEY' }, query: '', ok: true },
    { rule: 'a Google key', headers: { 'x-goog-api-key': 'KEY' }, query: '', ok: true },
    { rule: 'a key in the query', headers: {}, query: '?key=KEY', ok: true },
  ])('when one is required: $rule', async ({ headers, query, ok }) => {
    await using mock = await createMockProvider();
    const body = JSON.stringify({ ...JSON.parse(CHAT), max_tokens: 9, contents: [{}] });
    for (const path of paths) {
      const response = await fetch(`${mock.url}${path}${query}`, post(body, { ...wanted, ...headers }));
      expect(response.status).toBe(ok ? 200 : 401);
    }
  });

  test('a refusal has the shape of the provider', async () => {
    await using mock = await createMockProvider();
    const refusals = await Promise.all(
      paths.map(async (path) => (await fetch(`${mock.url}${path}`, post(CHAT, wanted))).json()),
    );
    expect(refusals).toMatchObject([
      { error: { code: 'invalid_api_key' } },
      { type: 'error', error: { type: 'authentication_error' } },
      { error: { code: 401, status: 'UNAUTHENTICATED' } },
    ]);
  });

  test('the received headers can come back in a header', async () => {
    await using mock = await createMockProvider();
    const headers = { authorization: 'Bearer KEY', 'x-mock-echo-headers': '1' };
    const response = await fetch(`${mock.url}/v1/models`, { headers });
    expect(JSON.parse(response.headers.get('x-mock-request-headers') ?? '')).toMatchObject(headers);
  });

  test('the connection closes when that is asked for', async () => {
    await using mock = await createMockProvider();
    const response = await fetch(`${mock.url}/v1/models`, { headers: { 'x-mock-close-connection': '1' } });
    expect(response.headers.get('connection')).toBe('close');
  });
});

describe('the table of controls', () => {
  test('is what the door documents', async () => {
    const door = await readFile(new URL('./index.ts', import.meta.url), 'utf8');
    const documented = [...door.matchAll(/^ \* \| (x-mock-[a-z-]+)/gm)].map((match) => match[1]);
    expect(documented.toSorted()).toEqual(MOCK_CONTROLS.map((control) => control.header).toSorted());
  });

  test('can be printed', () => {
    expect(MOCK_CONTROLS.every((control) => control.effect.endsWith('.') && describeRule(control.value) !== '')).toBe(
      true,
    );
  });
});
