/** An egress proxy that records the host of every call and lets none through. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Egress extends AsyncDisposable {
  /** Settings of the gateway that lead every call here. */
  readonly env: Readonly<Record<string, string>>;
  /** `HOST:PORT` of every call that came, in order. */
  readonly hosts: readonly string[];
}

export async function startEgress(): Promise<Egress> {
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    hosts.push(new URL(request.url ?? '').host);
    response.writeHead(502).end();
  });
  server.on('connect', (request, socket) => {
    hosts.push(request.url ?? '');
    socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listening on TCP
  return {
    env: { HTTP_PROXY: url, HTTPS_PROXY: url, NO_PROXY: '127.0.0.1' },
    hosts,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
