/** Bodies that make no progress must not hold a connection, a request or memory. */
import { connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { startWorld, type World } from '../../kit/gateway.ts';
import { KEY } from '../../kit/snapshot.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { waitFor } from '../../kit/wait-for.ts';

const SHORT_IDLE = { GATEHOUSE_BODY_IDLE_TIMEOUT_MS: '200' };

interface HalfRequest {
  readonly path: string;
  readonly headers: readonly string[];
  readonly begin?: string;
}

const JSON_BODY: HalfRequest = {
  path: '/v1/chat/completions',
  headers: [`x-gw-api-key: ${KEY}`, 'x-gw-provider: @openai', 'content-type: application/json', 'content-length: 5000'],
  begin: '{"model":"m",',
};
const UPLOAD: HalfRequest = {
  path: '/v1/echo',
  headers: [`x-gw-api-key: ${KEY}`, 'x-gw-provider: @openai', 'content-type: text/plain', 'content-length: 5000'],
  begin: 'the first bytes',
};

/** A connection with a request whose body stops in the middle, and what came back on it. */
function sendHalf(port: number, { path, headers, begin = '' }: HalfRequest) {
  let answer = '';
  let closed = false;
  const socket: Socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('data', (bytes) => {
    answer += bytes;
  });
  socket.on('error', () => {}); // a reset ends it as well
  socket.on('end', () => {
    closed = true;
  });
  socket.on('close', () => {
    closed = true;
  });
  socket.write(`POST ${path} HTTP/1.1\r\nhost: x\r\n${headers.join('\r\n')}\r\n\r\n${begin}`);
  return {
    socket,
    get answer() {
      return answer;
    },
    get closed() {
      return closed;
    },
  };
}

const nothingInFlight = (world: World) =>
  waitFor(async () => (await world.metric('gatehouse_requests_in_flight')) === 0, { what: 'no request in flight' });

describe('a body that stops in the middle', () => {
  test.for([
    { rule: 'of JSON', request: JSON_BODY },
    { rule: 'that is sent on to a provider', request: UPLOAD },
    {
      rule: 'of JSON in chunks',
      request: {
        ...JSON_BODY,
        headers: [...JSON_BODY.headers.slice(0, 3), 'transfer-encoding: chunked'],
        begin: '5\r\n{"a":\r\n',
      },
    },
  ])('$rule gets 408 and ends its connection', async ({ request }) => {
    await using world = await startWorld({ env: SHORT_IDLE });
    const half = sendHalf(world.port, request);
    await waitFor(() => half.closed, { what: 'the end of the connection' });
    expect(half.answer).toMatch(/^HTTP\/1\.1 408 /);
    expect(half.answer).toContain('"code":"body_stalled"');
    expect(half.answer.toLowerCase()).toContain('connection: close');
    await nothingInFlight(world);
    expect(await world.metric('gatehouse_buffered_bytes')).toBe(0);
    half.socket.destroy();
  });

  test.for([
    { rule: 'JSON', headers: { 'content-type': 'application/json' }, path: '/v1/chat/completions' },
    { rule: 'an upload', headers: { 'content-type': 'text/plain' }, path: '/v1/echo' },
  ])('gets 408 over HTTP/2 for $rule, and its stream ends', async ({ headers, path }) => {
    await using world = await startWorld({ env: { ...SHORT_IDLE, TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM } });
    const session = connectHttp2(world.url, { ca: LOOPBACK_PEM });
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'x-gw-api-key': KEY,
      'x-gw-provider': '@openai',
      ...headers,
    });
    stream.write('{"model":');
    let status: number | undefined;
    stream.on('response', (given) => {
      status = given[':status'];
    });
    stream.resume();
    await waitFor(() => stream.closed, { what: 'the end of the stream' });
    expect(status).toBe(408);
    await nothingInFlight(world);
    session.destroy();
  });

  test('that comes byte by byte gets 408', async () => {
    await using world = await startWorld({ env: { ...SHORT_IDLE, GATEHOUSE_BODY_MIN_BYTES_PER_SECOND: '100000' } });
    const half = sendHalf(world.port, JSON_BODY);
    const drip = setInterval(() => half.socket.write('a'), 20);
    await waitFor(() => half.closed, { what: 'the end of the connection' });
    clearInterval(drip);
    expect(half.answer).toMatch(/^HTTP\/1\.1 408 /);
    half.socket.destroy();
  });

  test.for([
    { rule: 'an unknown key', path: '/v1/chat/completions', key: 'gwk_wrong', status: 401 },
    { rule: 'an unknown path', path: '/nowhere', key: KEY, status: 404 },
    { rule: 'a management path', path: '/v1/configs', key: KEY, status: 404 },
  ])('ends its connection with the answer to $rule', async ({ path, key, status }) => {
    await using world = await startWorld({ env: { GATEHOUSE_BODY_IDLE_TIMEOUT_MS: '600000' } });
    const headers = [`x-gw-api-key: ${key}`, 'content-type: application/json', 'content-length: 5000'];
    const half = sendHalf(world.port, { path, headers, begin: '{' });
    await waitFor(() => half.closed, { what: 'the end of the connection' });
    expect(half.answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    half.socket.destroy();
  });
});
