/** Clients that wait to be asked for a body (`Expect: 100-continue`): docs/behaviour/requests.md#bodies. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { KEY, key } from '../kit/snapshot.ts';
import { waitFor } from '../kit/wait-for.ts';

const FULL = 'gwk_full_0123456789abcdef0123456789abcdef';
const READER = 'gwk_read_0123456789abcdef0123456789abcdef';

let world: World;

beforeAll(async () => {
  world = await startWorld({
    entries: () => [
      key({ name: 'full', secret: FULL, rateLimits: [{ type: 'requests', unit: 'rpd', value: 1 }] }),
      key({ name: 'reader', secret: READER, scopes: ['logs.view'] }),
    ],
  });
});
afterAll(() => world[Symbol.asyncDispose]());

interface Sent {
  readonly path?: string;
  readonly key?: string;
  readonly type?: string;
  readonly length?: number | 'chunked';
  readonly headers?: string;
}

async function ask({
  path = '/v1/chat/completions',
  type = 'application/json',
  length = 100,
  headers = '',
  ...sent
}: Sent) {
  const socket = connect(world.port, '127.0.0.1');
  let received = '';
  socket.on('data', (bytes) => {
    received += bytes.toString('latin1');
  });
  socket.on('error', () => {}); // a reset is an answer, too
  await once(socket, 'connect');
  const framing = length === 'chunked' ? 'transfer-encoding: chunked' : `content-length: ${length}`;
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\nx-gw-provider: @openai\r\n` +
      `x-gw-api-key: ${sent.key ?? KEY}\r\ncontent-type: ${type}\r\n${headers}${framing}\r\n\r\n`,
  );
  return { socket, received: () => received, closed: once(socket, 'close') };
}

const statuses = (received: string): string[] => received.match(/(?<=HTTP\/1\.1 )\d{3}/g) ?? [];

test.for<[what: string, sent: Sent, status: string]>([
  ['with a wrong key', { key: 'gwk_wrong' }, '401'],
  ['without the scope', { key: READER }, '403'],
  ['that is too large', { length: 1_000_000_000 }, '413'],
  ['of another media type', { type: 'text/plain' }, '400'],
  ['with a header that is not served', { headers: 'x-gw-ignore-service-log: true\r\n' }, '400'],
])('a request %s is refused, and its body not asked for', async ([, sent, status]) => {
  const requests = world.mock.requests.length;
  const { received, closed } = await ask(sent);
  await closed;
  expect(statuses(received())).toEqual([status]);
  expect(world.mock.requests).toHaveLength(requests);
});

test('a request above a limit is refused, and its body not asked for', async () => {
  const first = await world.send('/v1/chat/completions', {
    headers: { 'x-gw-api-key': FULL, 'x-gw-provider': '@openai' },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
  });
  expect(first.status, first.text).toBe(200);
  const { received, closed } = await ask({ key: FULL });
  await closed;
  expect(statuses(received())).toEqual(['429']);
});

test.for<[what: string, sent: Sent, body: string]>([
  ['JSON', { length: 59 }, '{"model":"mock-small","messages":[{"role":"user","content":'.padEnd(59)],
  ['JSON in chunks', { length: 'chunked' }, ''],
  ['bytes that are passed on', { path: '/v1/echo', type: 'text/plain', length: 5 }, 'hello'],
])('a body of %s is asked for', async ([what, sent, body]) => {
  const { socket, received } = await ask(sent);
  await waitFor(() => received().includes('100 Continue\r\n\r\n'));
  const json = '{"model":"mock-small","messages":[{"role":"user","content":"hi"}]}';
  socket.write(what === 'JSON in chunks' ? `${json.length.toString(16)}\r\n${json}\r\n0\r\n\r\n` : body);
  await waitFor(() => statuses(received()).length === 2);
  expect(statuses(received())).toEqual(['100', what === 'JSON' ? '400' : '200']); // the JSON is cut
  socket.destroy();
});
