/** What every upstream client does with a request for another protocol, over real sockets. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { AppError } from '../../../gateway/src/errors/index.ts';
import { Cancellation } from '../../../gateway/src/lib/cancellation.ts';
import { unlimitedAccount } from '../../../gateway/src/lib/testing.ts';
import type { UpgradeAnswer, UpstreamConnection } from '../../../gateway/src/upstream/index.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { waitFor } from '../../kit/wait-for.ts';
import { code, MAX_BYTES, open, VARIANTS } from './support.ts';

const LIMITS = { headersTimeoutMs: 10_000, idleTimeoutMs: 10_000 };
const SWITCHED = 'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: websocket\r\nx-one: two\r\n\r\n';

type Bench = Awaited<ReturnType<typeof open>>;

const upgrade = (
  { client, request }: Bench,
  { signal = new Cancellation(), headersTimeoutMs = LIMITS.headersTimeoutMs, origin = request.origin } = {},
): Promise<UpgradeAnswer> =>
  client.upgrade(
    { ...request, method: 'GET', body: undefined, origin },
    { protocol: 'websocket', signal, limits: { ...LIMITS, headersTimeoutMs } },
  );

async function connected(answer: Promise<UpgradeAnswer>): Promise<UpstreamConnection> {
  const settled = await answer;
  if (settled.kind !== 'connection') throw new Error(`status ${settled.response.status}`);
  return settled.connection;
}

function textOf(socket: Duplex): () => string {
  let text = '';
  socket.on('data', (bytes: Buffer) => {
    text += bytes.toString();
  });
  return () => text;
}

describe.for(VARIANTS)('an upgrade by an upstream client: $name', (variant) => {
  test('asks for the protocol and hands over the connection, with the bytes that came early', async () => {
    await using bench = await open(variant, async ({ request, socket, write }) => {
      await write(`${SWITCHED}early ${request.headers.get('upgrade')} ${request.headers.get('connection')} `);
      socket.on('data', (bytes) => void socket.write(bytes));
    });
    const { socket, headers } = await connected(upgrade(bench));
    expect(headers['x-one']).toBe('two');
    const received = textOf(socket);
    socket.write('late');
    await waitFor(() => received() === 'early websocket upgrade late');
    socket.destroy();
  });

  test('leaves the connection to its owner: cancelling later does nothing, and other calls use others', async () => {
    await using bench = await open(variant, async ({ request, socket, write, answer }) => {
      if (request.headers.get('upgrade') === undefined) return answer(200, 'pong');
      await write(SWITCHED);
      socket.on('data', (bytes) => void socket.write(bytes));
    });
    const signal = new Cancellation();
    const { socket } = await connected(upgrade(bench, { signal }));
    signal.cancel(new AppError('CLIENT_CLOSED'));
    const received = textOf(socket);
    const other = await bench.send();
    expect(String(await other.body.collect(MAX_BYTES, unlimitedAccount()))).toBe('pong');
    socket.write('still open');
    await waitFor(() => received() === 'still open');
    socket.destroy();
    await waitFor(() => bench.server.connections.size === 1);
  });

  test.for([200, 401, 404, 503])('that is refused with %s is an answer of HTTP', async (status) => {
    await using bench = await open(variant, ({ answer }) => answer(status, 'no'));
    const answer = await upgrade(bench);
    if (answer.kind === 'connection') throw new Error('connected');
    expect(answer.response.status).toBe(status);
    expect(String(await answer.response.body.collect(MAX_BYTES, unlimitedAccount()))).toBe('no');
  });

  test('rejects when nobody answers in time, when the connection is lost, and when its request is over', async () => {
    await using bench = await open(variant, ({ request, reset }) => {
      if (request.target.includes('a=1') && bench.server.requests.length > 1) reset();
    });
    expect(await code(upgrade(bench, { headersTimeoutMs: 50 }))).toBe('UPSTREAM_TIMEOUT');
    expect(await code(upgrade(bench))).toBe('UPSTREAM_UNREACHABLE');
    const signal = new Cancellation();
    signal.cancel(new AppError('CLIENT_CLOSED'));
    expect(await code(upgrade(bench, { signal }))).toBe('CLIENT_CLOSED');
  });

  test('goes to no address that is refused', async () => {
    await using bench = await open(variant, ({ answer }) => answer(200, 'no'));
    expect(await code(upgrade(bench, { origin: 'http://169.254.169.254' }))).toBe('UPSTREAM_ADDRESS_REFUSED');
  });

  test.for(['http', 'https'] as const)('goes through a tunnel of the egress proxy to %s', async (scheme) => {
    const asked: string[] = [];
    const proxy = createServer((_request, response) => void response.writeHead(400).end('a tunnel is wanted'));
    proxy.on('connect', ({ url = '' }, client: Duplex) => {
      asked.push(url);
      const to = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        client.pipe(to).pipe(client);
      });
      for (const socket of [client, to]) socket.on('error', () => {});
    });
    const host = scheme === 'https' ? createHttpsServer({ key: LOOPBACK_PEM, cert: LOOPBACK_PEM }) : createServer();
    host.on('upgrade', ({ headers }, socket) => void socket.write(`${SWITCHED}through ${headers.host}`));
    const [proxyPort, port] = await Promise.all([proxy, host].map(listen));
    const egress = { http: undefined, https: undefined, no: undefined, [scheme]: `http://127.0.0.1:${proxyPort}` };
    await using bench = await open(variant, () => {}, { proxy: egress, ca: LOOPBACK_PEM });
    const { socket } = await connected(upgrade(bench, { origin: `${scheme}://localhost:${port}` }));
    const received = textOf(socket);
    await waitFor(() => received() === `through localhost:${port}`);
    expect(asked).toEqual([`localhost:${port}`]);
    expect(await code(upgrade(bench, { origin: `${scheme}://169.254.169.254` }))).toBe('UPSTREAM_ADDRESS_REFUSED');
    expect(asked).toHaveLength(1);
    socket.destroy();
    for (const server of [proxy, host]) server.close();
  });

  test('fails where the egress proxy lets no tunnel through', async () => {
    const proxy = createServer();
    proxy.on('connect', (_request, client: Duplex) => void client.end('HTTP/1.1 403 Forbidden\r\n\r\n'));
    const http = `http://127.0.0.1:${await listen(proxy)}`;
    await using bench = await open(variant, () => {}, { proxy: { http, https: undefined, no: undefined } });
    expect(await code(upgrade(bench, { origin: 'http://localhost:1' }))).toBe('UPSTREAM_UNREACHABLE');
    proxy.close();
  });
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // listening on TCP
}
