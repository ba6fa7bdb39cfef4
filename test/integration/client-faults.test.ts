/** Clients that leave, stall or send garbage: docs/behaviour/requests.md#bodies. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { expectNothingLeft, startWorld, type World } from '../kit/gateway.ts';
import { open, receive } from '../kit/http.ts';
import { startRawUpstream } from '../kit/raw-upstream.ts';
import { KEY } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

let world: World;

beforeAll(async () => {
  world = await startWorld();
});

afterEach(() => expectNothingLeft(world));
afterAll(() => world[Symbol.asyncDispose]());

const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@openai' };
const body = (model: string, stream = false) => ({ model, stream, messages: [{ role: 'user', content: 'hi' }] });
/** Shorter than any timeout that would end the call without the abort. */
const SOON = { deadlineMs: 20_000 };
const upstreamIs = (outcome: string) => waitFor(() => world.mock.requests.at(-1)?.outcome === outcome, SOON);
const received = () => world.mock.requests.length;

describe('a client that disconnects', () => {
  test.for([
    { rule: 'while the provider thinks', model: 'mock-delay-60000', stream: false },
    { rule: 'in the middle of a unary answer', model: 'mock-stall-100', stream: false },
    { rule: 'before the first event', model: 'mock-delay-60000', stream: true },
    { rule: 'between headers and first event', model: 'mock-stall-0', stream: true },
  ])('$rule ends the upstream call', async ({ model, stream }) => {
    const before = received();
    const controller = new AbortController();
    const answer = fetch(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body(model, stream)),
      signal: controller.signal,
    }).catch((error: unknown) => error);
    await waitFor(() => received() > before);
    controller.abort();
    await answer;
    await upstreamIs('broken');
  });

  test.for([
    { rule: 'a stream', path: '/v1/chat/completions', body: body('mock-stall-900', true) },
    { rule: 'a translated stream', path: '/v1/messages', body: { ...body('mock-stall-900', true), max_tokens: 9 } },
    { rule: 'a proxied stream', path: '/v1/anything', body: {}, upstream: true },
  ])('in the middle of $rule ends the upstream call', async ({ path, body: sent, upstream }) => {
    await using raw = await startRawUpstream(async (reply) => {
      await reply.head(200, { 'content-type': 'application/octet-stream', 'transfer-encoding': 'chunked' });
      await reply.chunk('first');
    });
    const slug = path === '/v1/messages' ? { 'x-gw-provider': '@anthropic' } : {};
    const direct = { 'x-gw-provider': 'openai', authorization: 'Bearer x', 'x-gw-custom-host': raw.url };
    const { request, response } = await open(`${world.url}${path}`, {
      headers: { ...headers, ...slug, ...(upstream ? direct : {}) },
      body: sent,
    });
    response.on('error', () => {}); // we leave
    await once(response, 'data');
    request.destroy();
    if (upstream) await waitFor(() => raw.connections.size === 0, SOON);
    else await upstreamIs('broken');
  });

  test('is logged as 499, and its retries and fallbacks end', async () => {
    const before = received();
    const target = { provider: '@openai', override_params: { model: 'mock-delay-60000' } };
    const document = { strategy: { mode: 'fallback' }, retry: { attempts: 5 }, targets: [target, target] };
    const controller = new AbortController();
    const answer = fetch(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        'x-gw-api-key': KEY,
        'x-gw-config': JSON.stringify(document),
        'content-type': 'application/json',
        'x-gw-trace-id': 'client-gone',
      },
      body: JSON.stringify(body('x')),
      signal: controller.signal,
    }).catch((error: unknown) => error);
    await waitFor(() => received() === before + 1);
    controller.abort();
    await answer;
    const entry = await waitFor(() => world.logs.find((line) => line['traceId'] === 'client-gone' && 'status' in line));
    expect(entry).toMatchObject({ status: 499, error: 'CLIENT_CLOSED', attempts: 1 });
    expect(received()).toBe(before + 1);
  });

  test('while it waits for a retry ends the waiting', async () => {
    const before = received();
    const controller = new AbortController();
    const retry = { attempts: 5, on_status_codes: [503], use_retry_after_header: true };
    const config = { provider: '@openai', retry, forward_headers: ['x-mock-retry-after'] };
    const answer = fetch(`${world.url}/v1/chat/completions`, {
      method: 'POST',
      headers: {
        ...{ 'x-gw-api-key': KEY, 'x-gw-config': JSON.stringify(config), 'content-type': 'application/json' },
        'x-mock-retry-after': '30', // longer than the wait below
      },
      body: JSON.stringify(body('mock-fail-503')),
      signal: controller.signal,
    }).catch((error: unknown) => error);
    await waitFor(() => received() === before + 1);
    controller.abort();
    await answer;
    await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 0, SOON);
    expect(received()).toBe(before + 1);
  });

  test('during an upload ends the upstream call, and is no failure of the provider', async () => {
    await using raw = await startRawUpstream(async (reply) => {
      await reply.request.body; // never complete
    });
    const { socket } = await startUpload(raw.url, 'upload-gone');
    await waitFor(() => raw.requests.length === 1);
    socket.destroy();
    await waitFor(() => raw.connections.size === 0, SOON);
    const entry = await waitFor(() => world.logs.find((line) => line['traceId'] === 'upload-gone' && 'status' in line));
    expect(entry).toMatchObject({ status: 499, error: 'CLIENT_CLOSED' });
  });

  test('during an upload that the gateway still reads whole is nothing', async () => {
    const socket = connect(world.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(
      `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nx-gw-api-key: ${KEY}\r\nx-gw-provider: @openai\r\n` +
        'x-gw-trace-id: half-body\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model":',
    );
    await waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 1);
    socket.destroy();
    await waitFor(() => world.logs.some((line) => line['traceId'] === 'half-body' && line['status'] === 499), SOON);
  });
});

/** An upload of unknown length that has begun. */
async function startUpload(upstream: string, traceId: string): Promise<{ readonly socket: Socket }> {
  const socket = connect(world.port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    `POST /v1/upload HTTP/1.1\r\nhost: x\r\nx-gw-api-key: ${KEY}\r\nx-gw-provider: openai\r\n` +
      `authorization: Bearer x\r\nx-gw-custom-host: ${upstream}\r\nx-gw-trace-id: ${traceId}\r\n` +
      'content-type: application/octet-stream\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n',
  );
  return { socket };
}

describe('a client that does not read', () => {
  const TOTAL = 50 * 1024 * 1024;
  const PIECE = Buffer.alloc(64 * 1024, 'data: {"x":"0123456789abcdef"}\n\n');

  test.for([
    { rule: 'events', type: 'text/event-stream', path: '/v1/chat/completions', stream: true },
    { rule: 'bytes', type: 'application/octet-stream', path: '/v1/files/f/content', stream: false },
  ])('slows the provider down instead of filling the memory: $rule', async ({ type, path, stream }) => {
    let sent = 0;
    let whole = false;
    await using raw = await startRawUpstream(async (reply) => {
      await reply.head(200, { 'content-type': type, 'content-length': String(TOTAL) });
      while (sent < TOTAL && !reply.socket.destroyed) {
        await reply.write(PIECE); // resolves when the kernel has taken it
        sent += PIECE.length;
      }
      whole = true;
    });
    const { response } = await open(`${world.url}${path}`, {
      headers: { ...headers, 'x-gw-provider': 'openai', authorization: 'Bearer x', 'x-gw-custom-host': raw.url },
      body: { ...body('x', stream) },
    });
    // The provider comes to a standstill once the buffers of three sockets are full.
    let last = -1;
    await waitFor(async () => {
      const standing = sent === last;
      last = sent;
      await new Promise((resolve) => setTimeout(resolve, 100)); // long enough for a piece to move if one could
      return standing;
    });
    expect(whole).toBe(false);
    expect(sent).toBeLessThan(TOTAL / 2);
    const { bytes } = await receive(response);
    expect(bytes.length).toBeGreaterThanOrEqual(TOTAL);
    expect(whole).toBe(true);
  });
});

describe('events of one client', () => {
  test('are not held back by another that does not read', async () => {
    await using raw = await startRawUpstream(async (reply) => {
      await reply.head(200, { 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' });
      if (reply.request.target.endsWith('/stuck'))
        for (let i = 0; i < 200; i += 1) void reply.chunk(Buffer.alloc(65_536, 'x\n'));
      else await reply.chunk('data: quick\n\n').then(() => reply.chunk(''));
    });
    const direct = { ...headers, 'x-gw-provider': 'openai', 'x-gw-custom-host': raw.url };
    const { request, response } = await open(`${world.url}/v1/stuck`, { headers: direct, body: {} });
    response.on('error', () => {}); // we leave at the end
    const { response: quick } = await open(`${world.url}/v1/quick`, { headers: direct, body: {} });
    expect((await receive(quick)).text).toContain('data: quick');
    request.destroy();
  });
});
