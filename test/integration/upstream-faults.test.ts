/** Providers that fail in every way a socket allows: docs/behaviour/errors.md#failures-without-an-answer. */
import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, startGateway, startMock, startWorld, type World } from '../kit/gateway.ts';
import { eventsOf } from '../kit/http.ts';
import { type RawReply, startRawUpstream } from '../kit/raw-upstream.ts';
import { config, key, provider, workspace } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    env: { GATEHOUSE_STREAM_IDLE_TIMEOUT_MS: '300', GATEHOUSE_CONNECT_TIMEOUT_MS: '2000' },
    entries: ({ url }) => [
      provider('peeking', {
        provider: 'anthropic',
        customHost: `${url}/v1`,
        inspectStreamForOverload: true,
      }),
      config('peek', {
        strategy: { mode: 'fallback', on_status_codes: [529] },
        targets: [
          { provider: '@peeking', override_params: { model: 'mock-overloaded' } },
          { provider: '@peeking', override_params: { model: 'mock-small' } },
        ],
      }),
    ],
  });
});

afterEach(() => expectNothingLeft(world));
afterAll(() => world[Symbol.asyncDispose]());

// Long enough for a stream that can be cut in the middle in every format.
const question = 'a question that comes back in the answer '.repeat(6);
const messages = [{ role: 'user', content: question }];
const FORMATS = {
  chat: { path: '/v1/chat/completions', provider: '@openai', body: { messages } },
  completion: { path: '/v1/completions', provider: '@openai', body: { prompt: question } },
  messages: { path: '/v1/messages', provider: '@anthropic', body: { messages, max_tokens: 50 } },
  responses: { path: '/v1/responses', provider: '@openai', body: { input: 'hi' } },
  translated: { path: '/v1/chat/completions', provider: '@anthropic', body: { messages, max_tokens: 50 } },
} as const;

type Format = keyof typeof FORMATS;

const ask = (format: Format, model: string, headers: Record<string, string> = {}) => {
  const { path, provider: slug, body } = FORMATS[format];
  return world.send(path, { headers: { 'x-gw-provider': slug, ...headers }, body: { ...body, model, stream: true } });
};

/** The last event is an error in the format of the client, and nothing comes after it. */
function expectLastWords(format: Format, text: string, type: string): void {
  const events = eventsOf(text);
  for (const { data: whole } of events) JSON.parse(whole); // no half events
  const last = events.at(-1);
  const data = JSON.parse(last?.data ?? '');
  switch (format) {
    case 'messages':
      expect(last?.event).toBe('error');
      expect(data).toEqual({ type: 'error', error: { type, message: expect.any(String) } });
      return;
    case 'responses':
      expect(last?.event).toBe('response.failed');
      expect(data).toMatchObject({
        type: 'response.failed',
        sequence_number: events.length - 1,
        response: { status: 'failed', error: { code: type, message: expect.any(String) } },
      });
      expect(data.response.id).toBe(JSON.parse(events[0]?.data ?? '').response.id);
      return;
    default:
      expect(last?.event).toBeUndefined();
      expect(data).toMatchObject({ error: { type, message: expect.any(String), param: null, code: null } });
  }
}

const ALL = Object.keys(FORMATS) as Format[];
const RELAYED = ALL.filter((format) => format !== 'translated');

/** What a stream that ended well has at its end. */
const TERMINALS: Readonly<Record<Format, string>> = {
  chat: '[DONE]',
  completion: '[DONE]',
  translated: '[DONE]',
  messages: 'message_stop',
  responses: 'response.completed',
};

describe('a stream that the provider', () => {
  test.for(ALL)('cuts ends with an error event: %s', async (format) => {
    const { text, status } = await ask(format, 'mock-cut-2000');
    expect(status).toBe(200);
    expect(eventsOf(text).length).toBeGreaterThan(1);
    expectLastWords(format, text, 'stream_error');
  });

  test.for(ALL)('leaves silent ends with an error event: %s', async (format) => {
    const { text } = await ask(format, 'mock-stall-2000');
    expectLastWords(format, text, 'stream_error');
    await waitFor(() => world.mock.requests.at(-1)?.outcome === 'broken');
  });

  test.for(ALL)('ends with an error event of its own ends there: %s', async (format) => {
    const headers = { 'x-gw-forward-headers': 'x-mock-error-event-after', 'x-mock-error-event-after': '2' };
    const { text, status } = await ask(format, 'mock-error-event', headers);
    expect(status).toBe(200);
    expect(text).toContain('Mock error event');
    expect(text).not.toContain('message_stop');
  });

  test.for(ALL)('sends byte by byte stays whole: %s', async (format) => {
    const whole = await ask(format, 'mock-small');
    const sliced = await ask(format, 'mock-small', {
      'x-gw-forward-headers': 'x-mock-chunk-bytes',
      'x-mock-chunk-bytes': '1',
    });
    expect(withoutTime(sliced.text)).toBe(withoutTime(whole.text));
  });

  test.for(['chat', 'completion', 'translated'] as const)(
    'forgets to terminate gets its [DONE]: %s',
    async (format) => {
      const { text } = await ask(format, 'mock-small', {
        'x-gw-forward-headers': 'x-mock-no-done',
        'x-mock-no-done': '1',
      });
      expect(text.trimEnd().endsWith('data: [DONE]')).toBe(true);
    },
  );

  test.for([
    ...RELAYED.map((format) => ({ format, malformed: 'json' })),
    ...RELAYED.map((format) => ({ format, malformed: 'sse' })),
    ...ALL.map((format) => ({ format, malformed: 'utf8' })),
  ])('breaks the syntax of ($malformed) is relayed to its end: $format', async ({ format, malformed }) => {
    const { status, text } = await ask(format, `mock-malformed-${malformed}`);
    expect(status).toBe(200);
    expect(text).toContain(TERMINALS[format]);
  });

  test.for(['json', 'sse'])(
    'breaks the syntax of (%s) ends with an error event where it is read',
    async (malformed) => {
      const { text } = await ask('translated', `mock-malformed-${malformed}`);
      expectLastWords('translated', text, 'stream_error');
      expect(text).not.toContain('[DONE]');
    },
  );

  test.for(ALL)('sends slowly stays whole: %s', async (format) => {
    const whole = await ask(format, 'mock-small');
    const slow = await ask(format, 'mock-small', {
      'x-gw-forward-headers': 'x-mock-token-delay-ms',
      'x-mock-token-delay-ms': '5',
      'x-gw-request-timeout': '500',
    });
    expect(withoutTime(slow.text)).toBe(withoutTime(whole.text));
  });

  test('does not begin counts as a failure: the fallback goes on', async () => {
    for (const model of ['mock-cut-0', 'mock-stall-0']) {
      const answer = await world.send('/v1/chat/completions', {
        headers: {
          'x-gw-config': JSON.stringify({
            strategy: { mode: 'fallback' },
            targets: [{ provider: '@openai', override_params: { model } }, { provider: '@openai' }],
          }),
        },
        body: { model: 'mock-small', stream: true, messages },
      });
      expect(answer.headers['x-gw-last-used-option-index'], model).toBe('config.targets[1]');
      expect(answer.text).toContain('[DONE]');
    }
  });
});

const withoutTime = (text: string): string => text.replace(/"created":\d+/g, '').replace(/"obfuscation":"[^"]*"/g, '');

describe('an overload in the first event', () => {
  test('is 529 where the provider is looked at, and moves the fallback on', async () => {
    const answer = await world.send('/v1/messages', {
      headers: { 'x-gw-config': 'peek' },
      body: { messages, max_tokens: 20, stream: true },
    });
    expect(answer.status).toBe(200);
    expect(answer.headers['x-gw-last-used-option-index']).toBe('config.targets[1]');
    expect(answer.text).toContain('message_stop');
  });

  test.for(['messages', 'translated'] as const)('is answered as 529 without a fallback: %s', async (format) => {
    const answer = await ask(format, 'mock-overloaded', { 'x-gw-provider': '@peeking' });
    expect(answer.status).toBe(529);
    expect(answer.json()).toMatchObject({ error: { type: 'overloaded_error', message: 'Overloaded' } });
  });

  test.for(['messages', 'translated'] as const)('is an event that the relay does not read: %s', async (format) => {
    const answer = await ask(format, 'mock-overloaded');
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('overloaded_error');
  });

  test('looked for in vain changes no byte of a stream', async () => {
    const plain = await ask('messages', 'mock-small');
    const looked = await ask('messages', 'mock-small', { 'x-gw-provider': '@peeking' });
    expect(looked.text).toBe(plain.text);
  });
});

describe('an overload in the first event, with the switch of the gateway on', () => {
  let watching: World;
  beforeAll(async () => {
    watching = await startWorld({
      env: { GATEHOUSE_INSPECT_STREAM_FOR_OVERLOAD: 'true' },
      entries: ({ url }) => [
        provider('blind', { provider: 'anthropic', customHost: `${url}/v1`, inspectStreamForOverload: false }),
      ],
    });
  });
  afterAll(() => watching[Symbol.asyncDispose]());

  const stream = (headers: Record<string, string>) =>
    watching.send('/v1/messages', {
      headers,
      body: { model: 'mock-overloaded', messages, max_tokens: 20, stream: true },
    });

  test('is 529 for accounts that do not say', async () => {
    expect((await stream({ 'x-gw-provider': '@anthropic' })).status).toBe(529);
  });

  test('is 529 for calls with the credential of the caller', async () => {
    const own = { 'x-gw-provider': 'anthropic', 'x-gw-custom-host': `${watching.mock.url}/v1`, 'x-api-key': 'sk-own' };
    expect((await stream(own)).status).toBe(529);
  });

  test('is an event for accounts that switch it off', async () => {
    const answer = await stream({ 'x-gw-provider': '@blind' });
    expect(answer.status).toBe(200);
    expect(answer.text).toContain('overloaded_error');
  });
});

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
    expect(await lost.metric('gatehouse_requests_in_flight')).toBe(0);
  });

  test('goes and comes back in the middle of traffic: errors meanwhile, answers again afterwards', async () => {
    let mock = await startMock();
    const { port } = mock;
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
    expect((await ask('chat', 'mock-small')).status).toBe(200);
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
    { slug: '@openai', path: '/v1/messages', body: { messages, max_tokens: 5 }, protocol: 'messages' },
    { slug: '@openai', path: '/v1/messages/count_tokens', body: { messages }, protocol: 'messages' },
    { slug: '@anthropic', path: '/v1/responses', body: { input: 'hi' }, protocol: 'openai' },
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
