/** Outbound calls through a proxy: names are checked here, the proxy resolves them. */
import { once } from 'node:events';
import { createServer, request as startRequest } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { startWorld } from '../kit/gateway.ts';
import { provider } from '../kit/snapshot.ts';

interface Proxy extends AsyncDisposable {
  readonly url: string;
  /** The host of every request that came. */
  readonly hosts: readonly string[];
}

/** A proxy that leads every request to the same port of this machine. */
async function startProxy(target: number): Promise<Proxy> {
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    const { host, pathname } = new URL(request.url ?? '');
    hosts.push(host);
    const onward = startRequest({
      port: target,
      path: pathname,
      method: request.method ?? 'GET',
      headers: { ...request.headers, host },
      agent: false,
    });
    onward.on('response', (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, // listening on TCP
    hosts,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const body = { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] };

test('a provider is reached through the proxy, which resolves its name', async () => {
  await using outer = await startWorld();
  await using proxy = await startProxy(outer.mock.port);
  await using world = await startWorld({
    env: { HTTP_PROXY: proxy.url, NO_PROXY: '127.0.0.1' },
    entries: () => [
      provider('far', { customHost: 'http://provider.example:8080/v1', secret: 'sk-far' }),
      provider('kube', { customHost: 'http://kubernetes.default.svc/v1' }),
    ],
  });
  const ask = (slug: string) => world.send('/v1/chat/completions', { headers: { 'x-gw-provider': slug }, body });
  expect((await ask('@far')).status).toBe(200);
  expect(proxy.hosts).toEqual(['provider.example:8080']);
  expect(outer.mock.requests.at(-1)?.headers).toMatchObject({
    host: 'provider.example:8080',
    authorization: 'Bearer sk-far',
  });
  expect((await ask('@openai')).status).toBe(200); // NO_PROXY
  expect(world.mock.requests).toHaveLength(1);
  expect((await ask('@kube')).json()).toMatchObject({ error: { code: 'custom_host_refused' } });
  expect(proxy.hosts).toHaveLength(1);
});

test('a proxy that is away is an unreachable provider', async () => {
  await using world = await startWorld({
    env: { HTTP_PROXY: 'http://127.0.0.1:1' },
    entries: () => [provider('far', { customHost: 'http://provider.example/v1' })],
  });
  const answer = await world.send('/v1/chat/completions', { headers: { 'x-gw-provider': '@far' }, body });
  expect(answer.status).toBe(502);
  expect(answer.json()).toMatchObject({ error: { type: 'upstream_connection_error' } });
});
