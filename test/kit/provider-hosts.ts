/**
 * The hosts of real providers, answered by a server of this machine: an egress proxy that ends the TLS of every call with a
 * certificate for the host it is for.
 */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer as createProxy, request as forward, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAuthority, issueLeaf } from '../../operator/src/certificates/issue.ts';

export interface ProviderCall {
  readonly host: string;
  readonly path: string;
  /** Of `authorization`, without the scheme, or of `x-api-key`. */
  readonly credential: string | undefined;
}

export interface ProviderHosts extends AsyncDisposable {
  /** Settings of a process that lead its calls here. */
  readonly env: Readonly<Record<string, string>>;
  /** The calls that came, in order. */
  readonly calls: readonly ProviderCall[];
}

const HOUR_MS = 3_600_000;

/** Calls to one of the hosts are answered by the server at `target`; others are refused. */
export async function startProviderHosts(hosts: readonly string[], target: string): Promise<ProviderHosts> {
  const validity = { fromMs: Date.now() - HOUR_MS, untilMs: Date.now() + HOUR_MS };
  const authority = await createAuthority('Provider hosts of tests', validity);
  const { certPem, keyPem } = await issueLeaf(authority, hosts, validity);
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-hosts-'));
  const authorityFile = join(folder, 'ca.pem');
  await writeFile(authorityFile, authority.certPem);

  const calls: ProviderCall[] = [];
  const origin = createServer({ cert: certPem, key: keyPem }, (request, response) => {
    calls.push(toCall(request));
    relay(request, response, target);
  });
  const proxy = createProxy((_, response) => response.writeHead(502).end());
  proxy.on('connect', (request, socket) => {
    const [host = ''] = (request.url ?? '').split(':');
    if (!hosts.includes(host)) {
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\n\r\n');
      return;
    }
    socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
    origin.emit('connection', socket);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`; // listening on TCP
  return {
    env: { HTTPS_PROXY: url, NO_PROXY: '127.0.0.1', NODE_EXTRA_CA_CERTS: authorityFile },
    calls,
    [Symbol.asyncDispose]: async () => {
      origin.closeAllConnections();
      proxy.closeAllConnections();
      proxy.close();
      await once(proxy, 'close');
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function toCall({ headers, url = '' }: IncomingMessage): ProviderCall {
  const { host = '', authorization } = headers;
  const key = headers['x-api-key'];
  return { host, path: url, credential: authorization?.replace(/^Bearer /, '') ?? (Array.isArray(key) ? key[0] : key) };
}

function relay(request: IncomingMessage, response: ServerResponse, target: string): void {
  const { method, url, headers } = request;
  const onward = forward(new URL(url ?? '/', target), { method, headers: { ...headers, host: new URL(target).host } });
  onward.on('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(response);
  });
  onward.on('error', () => response.destroy());
  response.on('close', () => onward.destroy());
  request.pipe(onward);
}
