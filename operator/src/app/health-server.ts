/** Health and metrics over HTTP. */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { gatewaysOf, VIA_HEADER } from '@gatehouse/crds/hosts';
import type { Registry } from 'prom-client';
import type { Health, HealthReport } from '../runtime/index.ts';

export interface HealthServerOptions {
  readonly health: Health;
  readonly registry: Registry;
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
}

export interface HealthServer extends AsyncDisposable {
  readonly port: number;
}

const REQUEST_MS = 10_000;

/**
 * Serves `/livez`, `/healthz`, `/readyz` and `/metrics`. Requests that came through a gateway are refused with 403. Rejects
 * when the port is taken.
 */
export async function startHealthServer({ health, registry, host, port }: HealthServerOptions): Promise<HealthServer> {
  const reports: ReadonlyMap<string, () => HealthReport> = new Map([
    ['/livez', health.live],
    ['/healthz', health.live],
    ['/readyz', health.ready],
  ]);
  const server = createServer({ requestTimeout: REQUEST_MS }, (request, response) => {
    const [path = ''] = (request.url ?? '').split('?', 1);
    const report = reports.get(path);
    if (gatewaysOf(request.headers[VIA_HEADER]).length > 0) response.writeHead(403).end();
    else if (report !== undefined) tell(response, report());
    else if (path === '/metrics') expose(response, registry);
    else response.writeHead(404).end();
  });
  await listen(server, port, host);
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : port,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function tell(response: ServerResponse, { ok, checks }: HealthReport): void {
  const lines = checks.map(({ name, problem }) => (problem === undefined ? `${name}: ok` : `${name}: ${problem}`));
  response.writeHead(ok ? 200 : 503, { 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${[...lines, ok ? 'ok' : 'not ok'].join('\n')}\n`);
}

function expose(response: ServerResponse, registry: Registry): void {
  registry.metrics().then(
    (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
    () => response.writeHead(500).end(),
  );
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}
