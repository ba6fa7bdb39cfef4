/** Providers that offer HTTP/2 are called over HTTP/1.1: docs/adr/0010-http1-to-providers.md. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { type AddressInfo, connect, type Server } from 'node:net';
import type { Duplex } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { unlimitedAccount } from '../../../gateway/src/lib/testing.ts';
import { LOOPBACK_PEM } from '../../kit/tls.ts';
import { MAX_BYTES, open, VARIANTS } from './support.ts';

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port; // listening on TCP
}

describe.for(VARIANTS)('an upstream client: $name', (variant) => {
  test.for(['itself', 'an egress proxy'])(
    'speaks HTTP/1.1 with a host that prefers HTTP/2, through %s',
    async (through) => {
      const host = createSecureServer(
        { key: LOOPBACK_PEM, cert: LOOPBACK_PEM, allowHTTP1: true },
        (request, response) => {
          request.resume();
          response.end(request.httpVersion);
        },
      );
      const proxy = createServer();
      proxy.on('connect', ({ url = '' }, client: Duplex) => {
        const to = connect(Number(url.split(':')[1]), '127.0.0.1', () => {
          client.write('HTTP/1.1 200 OK\r\n\r\n');
          client.pipe(to).pipe(client);
        });
        for (const socket of [client, to]) socket.on('error', () => {});
      });
      const [port, proxyPort] = await Promise.all([host, proxy].map(listen));
      const https = through === 'itself' ? undefined : `http://127.0.0.1:${proxyPort}`;
      const bench = await open(variant, () => {}, {
        ca: LOOPBACK_PEM,
        proxy: { http: undefined, https, no: undefined },
      });
      const answer = await bench.send({ origin: `https://localhost:${port}` });
      expect(String(await answer.body.collect(MAX_BYTES, unlimitedAccount()))).toBe('1.1');
      await bench[Symbol.asyncDispose]();
      for (const server of [host, proxy]) server.close();
    },
  );
});
