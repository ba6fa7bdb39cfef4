/** The end of a process: docs/behaviour/requests.md#shutdown. */
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { open, receive, send } from '../kit/http.ts';
import { KEY } from '../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';
import { waitFor } from '../kit/wait-for.ts';

const headers = { 'x-gw-api-key': KEY, 'x-gw-provider': '@openai' };
const body = (model: string) => ({ model, stream: true, messages: [{ role: 'user', content: 'hi' }] });
const start = (acceptMs: number, deadlineMs: number, env: Record<string, string> = {}): Promise<World> =>
  startWorld({
    env: { GATEHOUSE_DRAIN_ACCEPT_MS: String(acceptMs), GATEHOUSE_DRAIN_DEADLINE_MS: String(deadlineMs), ...env },
  });

/** Whether connections are accepted there. */
async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return outcome;
}

describe('a drain', () => {
  test('is unready at once, goes on accepting, and asks connections to close', async () => {
    await using world = await start(1_500, 240_000);
    expect((await send(`${world.adminUrl}/readyz`)).status).toBe(200);
    const drained = world.gateway.drain();
    expect((await send(`${world.adminUrl}/readyz`)).status).toBe(503);
    const answer = await send(`${world.url}/v1/chat/completions`, {
      headers: { ...headers, connection: 'keep-alive' },
      body: body('mock-small'),
    });
    expect(answer.status).toBe(200);
    expect(answer.headers.connection).toBe('close');
    await drained;
    expect(await accepts(world.port)).toBe(false);
  });

  test('finishes the stream in flight and takes no further connections after the window', async () => {
    await using world = await start(50, 240_000);
    const { response } = await open(`${world.url}/v1/chat/completions`, { headers, body: body('mock-slow-60') });
    const drained = world.gateway.drain();
    await waitFor(async () => !(await accepts(world.port)), { what: 'the listener is closed' });
    const answer = await receive(response);
    expect(answer.text).toContain('data: [DONE]');
    await drained;
  });

  test('waits for a client that is still reading its answer', async () => {
    await using world = await start(10, 240_000);
    const { response } = await open(`${world.url}/v1/chat/completions`, {
      headers: { ...headers, 'x-gw-forward-headers': 'x-mock-response-bytes', 'x-mock-response-bytes': '12000000' },
      body: { ...body('mock-small'), stream: false },
    });
    const drained = world.gateway.drain();
    await waitFor(async () => !(await accepts(world.port)), { what: 'the listener is closed' });
    expect((await receive(response)).json().choices).toHaveLength(1);
    await drained;
  });

  test('ends what is still in flight at the deadline, with an error event', async () => {
    await using world = await start(10, 100);
    const { response } = await open(`${world.url}/v1/chat/completions`, { headers, body: body('mock-stall-900') });
    const [answer] = await Promise.all([receive(response), world.gateway.drain()]);
    expect(answer.text).toMatch(/data: \{"error":\{.*"type":"service_error"/);
    expect(answer.text).not.toContain('[DONE]');
    await waitFor(() => world.mock.requests.at(-1)?.outcome === 'broken');
  });

  test('answers a call that waits for its provider at the deadline', async () => {
    await using world = await start(10, 100);
    const waiting = send(`${world.url}/v1/chat/completions`, { headers, body: body('mock-delay-60000') });
    await waitFor(() => world.mock.requests.length === 1);
    await world.gateway.drain();
    const answer = await waiting;
    expect(answer.status).toBe(503);
    expect(answer.json()).toMatchObject({ error: { code: 'draining' } });
  });

  test('does not wait for idle connections', async () => {
    await using world = await start(10, 60_000);
    const socket = connect(world.port, '127.0.0.1');
    await once(socket, 'connect');
    const closed = once(socket, 'close');
    await world.gateway.drain();
    await closed;
  });

  test('of HTTP/2 sends GOAWAY, finishes the stream and closes', async () => {
    await using world = await start(50, 240_000, { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM });
    const idle = connectHttp2(world.url, { ca: LOOPBACK_PEM });
    await once(idle, 'connect');
    const session = connectHttp2(world.url, { ca: LOOPBACK_PEM });
    const stream = session.request({ ':method': 'POST', ':path': '/v1/chat/completions', ...headers });
    stream.end(JSON.stringify(body('mock-slow-60')));
    await once(stream, 'response');
    const goaway = once(session, 'goaway');
    const drained = world.gateway.drain();
    await goaway;
    expect((await Array.fromAsync(stream)).join('')).toContain('data: [DONE]');
    await drained;
    if (!idle.closed) await once(idle, 'close');
  });
});

describe('close', () => {
  test.for([
    { rule: 'HTTP/1.1', env: {} },
    { rule: 'HTTP/2', env: { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM } },
  ])('cuts a client of $rule that does not read', async ({ env }) => {
    await using world = await start(10, 60_000, env);
    const large = { ...body('mock-small'), messages: [{ role: 'user', content: 'hi' }] };
    const more = { ...headers, 'x-gw-forward-headers': 'x-mock-response-bytes', 'x-mock-response-bytes': '16000000' };
    if (world.url.startsWith('https')) {
      const session = connectHttp2(world.url, { ca: LOOPBACK_PEM });
      session.on('error', () => {}); // the end of the test
      const stream = session.request({ ':method': 'POST', ':path': '/v1/chat/completions', ...more });
      stream.on('error', () => {}); // as above
      stream.end(JSON.stringify(large));
      await once(stream, 'response');
    } else {
      const { response } = await open(`${world.url}/v1/chat/completions`, { headers: more, body: large });
      response.on('error', () => {}); // as above
    }
    await world.gateway.close();
    expect(await accepts(world.port)).toBe(false);
  });
});
