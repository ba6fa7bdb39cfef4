import { connect, type Socket } from 'node:net';
import { waitFor } from '@gatehouse/test/kit';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createMockProvider, type MockProvider } from './index.ts';

let mock: MockProvider;
beforeAll(async () => {
  mock = await createMockProvider();
});
afterAll(() => mock.close());

const CHAT = { model: 'm', messages: [{ role: 'user', content: 'Say hello to everyone' }] };
type Headers = Readonly<Record<string, string>>;

function chat(headers: Headers, more: object = {}, signal: AbortSignal | null = null): Promise<Response> {
  const body = JSON.stringify({ ...CHAT, ...more });
  return fetch(`${mock.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { connection: 'close', ...headers },
    body,
    signal,
  });
}

const stream = { stream: true };

interface Wire {
  /** What came after the response headers, with its chunked framing if it has any. */
  readonly body: Buffer;
  readonly head: string;
  readonly reads: number;
}

/** The bytes of one exchange until the server ends it. */
function exchange(headers: Headers, more: object = {}): Promise<Wire> {
  const body = JSON.stringify({ ...CHAT, ...more });
  const fields = { host: 'mock', connection: 'close', 'content-length': Buffer.byteLength(body), ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  const socket: Socket = connect(mock.port, '127.0.0.1');
  socket.write(`POST /v1/chat/completions HTTP/1.1\r\n${lines.join('')}\r\n${body}`);
  const chunks: Buffer[] = [];
  socket.on('data', (chunk: Buffer) => chunks.push(chunk));
  return new Promise((resolve, reject) => {
    socket.on('error', reject);
    socket.on('close', () => {
      const all = Buffer.concat(chunks);
      const split = all.indexOf('\r\n\r\n');
      resolve({ head: all.toString('latin1', 0, split), body: all.subarray(split + 4), reads: chunks.length });
    });
  });
}

/** The payload of chunked framing, whole or broken off. */
function unchunk(body: Buffer): Buffer {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; ) {
    const lineEnd = body.indexOf('\r\n', at);
    const size = Number.parseInt(body.toString('latin1', at, lineEnd), 16);
    parts.push(body.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(parts);
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

describe('an error status', () => {
  const path = {
    openai: '/v1/chat/completions',
    anthropic: '/v1/messages',
    gemini: '/v1beta/models/m:generateContent',
  };
  const chatError = (status: number) => ({
    path: path.openai,
    status,
  });
  test.for([
    { ...chatError(401), want: { error: { type: 'invalid_request_error', code: 'invalid_api_key' } } },
    { ...chatError(429), want: { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded' } } },
    { ...chatError(503), want: { error: { type: 'server_error', param: null, code: null } } },
    { path: path.anthropic, status: 429, want: { type: 'error', error: { type: 'rate_limit_error' } } },
    { path: path.anthropic, status: 500, want: { type: 'error', error: { type: 'api_error' } } },
    { path: path.anthropic, status: 529, want: { type: 'error', error: { type: 'overloaded_error' } } },
    { path: path.gemini, status: 403, want: { error: { code: 403, status: 'PERMISSION_DENIED' } } },
    { path: path.gemini, status: 599, want: { error: { code: 599, status: 'UNKNOWN' } } },
    { path: '/any/path', status: 502, want: { error: { type: 'server_error' } } },
  ])('$status on $path has the shape of its provider', async ({ path, status, want }) => {
    const headers = { 'x-mock-status': String(status), 'x-mock-retry-after': '7' };
    const response = await fetch(`${mock.url}${path}`, { method: 'POST', body: JSON.stringify(CHAT), headers });
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(await response.json()).toMatchObject(want);
  });

  test.for([
    { kind: 'text', type: 'text/plain; charset=utf-8', body: '502 Bad Gateway\n' },
    { kind: 'html', type: 'text/html; charset=utf-8', body: '<html><body><h1>502 Bad Gateway</h1></body></html>\n' },
    { kind: 'empty', type: null, body: '' },
  ])('can have a body of $kind', async ({ kind, type, body }) => {
    const response = await chat({ 'x-mock-status': '502', 'x-mock-error-body': kind });
    expect(response.headers.get('content-type')).toBe(type);
    expect(await response.text()).toBe(body);
  });

  test.for([
    { rule: 'a success keeps the answer', status: 246, want: expect.stringContaining('Mock answer') },
    { rule: 'no content has no body', status: 204, want: '' },
  ])('$rule', async ({ status, want }) => {
    const response = await chat({ 'x-mock-status': String(status) });
    expect(response.status).toBe(status);
    expect(await response.text()).toEqual(want);
  });

  test('lasts for so many requests, and the SDK gets over it', async () => {
    const options = { baseURL: `${mock.url}/v1`, apiKey: 'any', logLevel: 'off' as const };
    const headers = { 'x-mock-retry-after': '0' };
    const ask = { model: 'mock-fail-503-times-2', messages: [{ role: 'user' as const, content: 'Again' }] };
    const { choices } = await new OpenAI({ ...options, maxRetries: 2 }).chat.completions.create(ask, { headers });
    expect(choices[0]?.message.content).toBe('Mock answer to: Again');
    const other = { ...ask, model: 'mock-other+fail-503-times-2' };
    const run = new OpenAI({ ...options, maxRetries: 1 }).chat.completions.create(other, { headers });
    await expect(run).rejects.toMatchObject({ status: 503 });
  });

  test('is 400 for a control that cannot be understood, in a header or in the model', async () => {
    const [header, unknown, model] = await Promise.all([
      chat({ 'x-mock-status': 'five' }),
      chat({ 'x-mock-nothing': '1' }),
      chat({}, { model: 'mock-fail-often' }),
    ]);
    expect([header.status, unknown.status, model.status]).toEqual([400, 400, 400]);
  });

  test('in a header wins over one in the model', async () => {
    expect((await chat({ 'x-mock-status': '418' }, { model: 'mock-fail-503' })).status).toBe(418);
  });
});

describe('a delay', () => {
  test('comes before the headers', async () => {
    expect(await elapsedMs(() => chat({ 'x-mock-delay-ms': '80' }))).toBeGreaterThan(75);
  });

  test('comes between headers and body', async () => {
    const abort = new AbortController();
    const response = await chat({ 'x-mock-body-delay-ms': '60000' }, {}, abort.signal);
    expect(response.status).toBe(200);
    abort.abort();
    expect(await elapsedMs(async () => (await chat({ 'x-mock-body-delay-ms': '80' })).text())).toBeGreaterThan(75);
  });

  test('comes before each token', async () => {
    const ask = { ...stream, model: 'mock-slow-20' };
    expect(await elapsedMs(async () => (await chat({}, ask)).text())).toBeGreaterThan(100); // "Mock answer to: Say hello …"
  });

  test('lets the first event through at once', async () => {
    const abort = new AbortController();
    const response = await chat({ 'x-mock-token-delay-ms': '60000' }, stream, abort.signal);
    const first = await response.body?.getReader().read();
    expect(Buffer.from(first?.value ?? []).toString()).toContain('"role":"assistant"');
    abort.abort();
  });

  test('ends when the client leaves', async () => {
    const abort = new AbortController();
    const answer = chat({ 'x-mock-delay-ms': '60000', 'x-mock-fail-key': 'leaver' }, {}, abort.signal);
    const mine = () => mock.requests.find((request) => request.headers['x-mock-fail-key'] === 'leaver');
    await waitFor(() => mine()?.outcome === 'open');
    abort.abort();
    await expect(answer).rejects.toThrow();
    await waitFor(() => mine()?.outcome === 'broken');
  });
});

describe('a cut', () => {
  test.for([
    { rule: 'in a whole body', after: 100, more: {} },
    { rule: 'in a stream', after: 100, more: stream },
    { rule: 'before the body', after: 0, more: {} },
    { rule: 'before a stream', after: 0, more: stream },
  ])('$rule leaves exactly so many bytes', async ({ after, more }) => {
    const wire = await exchange({ 'x-mock-cut-after-bytes': String(after) }, more);
    expect(wire.head).toMatch(/^HTTP\/1\.1 200 /);
    expect((more === stream ? unchunk(wire.body) : wire.body).length).toBe(after);
    await expect(
      chat({}, { ...more, model: `mock-cut-${after}` }).then((response) => response.text()),
    ).rejects.toThrow();
  });

  test('at the very end of a stream leaves out its terminator', async () => {
    const whole = unchunk((await exchange({}, stream)).body);
    const wire = await exchange({ 'x-mock-cut-after-bytes': String(whole.length) }, stream);
    expect(unchunk(wire.body).equals(whole)).toBe(true);
    expect(wire.body.toString()).not.toMatch(/\r\n0\r\n\r\n$/);
  });

  test('beyond the end changes nothing', async () => {
    expect((await chat({ 'x-mock-cut-after-bytes': '1000000' })).ok).toBe(true);
  });
});

test.for([{ more: {} }, { more: stream }])(
  'a stall sends exactly so many bytes, then nothing (%j)',
  async ({ more }) => {
    const abort = new AbortController();
    const response = await chat({ 'x-mock-stall-after-bytes': '64' }, more, abort.signal);
    const stalled = mock.requests.at(-1);
    let received = 0;
    const read = async (): Promise<void> => {
      for await (const chunk of response.body ?? []) received += chunk.length;
    };
    const reading = expect(read()).rejects.toThrow();
    await waitFor(() => received === 64);
    await chat({}); // the rest would have come long before this answer
    expect(received).toBe(64);
    expect(stalled?.outcome).toBe('open');
    abort.abort();
    await reading;
  },
);

describe('broken syntax', () => {
  const events = (text: string) => text.split('\n\n').filter((event) => event !== '' && event !== 'data: [DONE]');
  const isJson = (text: string): boolean => {
    try {
      return JSON.parse(text) !== undefined;
    } catch {
      return false;
    }
  };

  test('json is half a text', async () => {
    const whole = await (await chat({})).text();
    const half = await (await chat({ 'x-mock-malformed': 'json' })).text();
    expect(isJson(half)).toBe(false);
    expect(whole.startsWith(half)).toBe(true);
  });

  test.for([
    { how: 'json', missing: 0 },
    { how: 'sse', missing: 1 },
  ])('$how spoils one event of a stream', async ({ how, missing }) => {
    const whole = events(await (await chat({}, stream)).text());
    const broken = events(await (await chat({ 'x-mock-malformed': how }, stream)).text());
    expect(broken).toHaveLength(whole.length - missing);
    expect(broken.filter((event) => !isJson(event.replace(/^data: /, '')))).toHaveLength(1);
  });

  test.for([{ more: {} }, { more: stream }])('utf8 is one byte that no text has (%j)', async ({ more }) => {
    const whole = Buffer.from(await (await chat({}, more)).arrayBuffer());
    const broken = Buffer.from(await (await chat({ 'x-mock-malformed': 'utf8' }, more)).arrayBuffer());
    expect(broken).toHaveLength(whole.length);
    expect(broken.filter((byte, index) => byte !== whole[index])).toEqual(Buffer.from([0xff]));
  });

  test('a missing end mark is the only change', async () => {
    const whole = await (await chat({}, stream)).text();
    expect(await (await chat({ 'x-mock-no-done': '1' }, stream)).text()).toBe(whole.replace('data: [DONE]\n\n', ''));
  });
});

describe('an error event', () => {
  test('comes after so many events and is the last', async () => {
    const text = await (await chat({ 'x-mock-error-event': '1', 'x-mock-error-event-after': '2' }, stream)).text();
    const events = text.trimEnd().split('\n\n');
    expect(events).toHaveLength(3);
    expect(JSON.parse(events[2]?.slice(6) ?? '')).toMatchObject({ error: { type: 'server_error' } });
  });

  test.for([
    { path: '/v1/chat/completions', model: 'mock-error-event', status: 500 },
    { path: '/v1/chat/completions', model: 'mock-overloaded', status: 503 },
    { path: '/v1/messages', model: 'mock-overloaded', status: 529 },
  ])('is status $status for a call of $path that does not stream', async ({ path, model, status }) => {
    const body = JSON.stringify({ ...CHAT, model, max_tokens: 9 });
    expect((await fetch(`${mock.url}${path}`, { method: 'POST', body })).status).toBe(status);
  });
});

describe('the bytes on the wire', () => {
  test.for([{ more: {} }, { more: stream }])('are the same in writes of any size (%j)', async ({ more }) => {
    const plain = await exchange({}, more);
    for (const size of ['1', '7', '4096']) {
      const sliced = await exchange({ 'x-mock-chunk-bytes': size }, more);
      const payload = more === stream ? unchunk(sliced.body) : sliced.body;
      expect(payload.equals(more === stream ? unchunk(plain.body) : plain.body)).toBe(true);
    }
  });

  test('really are split', async () => {
    const { body, reads } = await exchange({ 'x-mock-chunk-bytes': '100' }, stream);
    expect(body.length).toBeGreaterThan(1_000);
    expect(reads).toBeGreaterThan(5);
  });

  test('respect a slow reader', async () => {
    const response = await chat({ 'x-mock-response-bytes': '4000000', 'x-mock-chunk-bytes': '1000000' });
    expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(4_000_000);
  });
});

describe('the answer', () => {
  const content = async (headers: Headers): Promise<string> => {
    const completion: { choices: { message: { content: string } }[] } = JSON.parse(await (await chat(headers)).text());
    return completion.choices[0]?.message.content ?? '';
  };

  test('is the text of x-mock-text', async () => {
    expect(await content({ 'x-mock-text': "UTF-8''Gr%C3%BC%C3%9Fe%0A%F0%9F%91%8B" })).toBe('Grüße\n👋');
  });

  test('is padded to x-mock-response-bytes', async () => {
    const text = await content({ 'x-mock-text': 'ü', 'x-mock-response-bytes': '512' });
    expect(Buffer.byteLength(text)).toBe(512);
  });
});
