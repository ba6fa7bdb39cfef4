import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createHealth } from '../runtime/index.ts';
import { startHealthServer } from './health-server.ts';

test('health and metrics are served to probes and scrapers, and refused to gateways', async () => {
  const options = { health: createHealth(), registry: new Registry(), host: '127.0.0.1', port: 0 };
  await using server = await startHealthServer(options);
  const ask = async (path: string, headers = {}) =>
    (await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })).status;
  for (const path of ['/livez', '/readyz', '/metrics']) {
    expect(await ask(path)).toBe(200);
    expect(await ask(path, { via: '1.1 proxy, 1.1 gatehouse-some-fleet' })).toBe(403);
  }
  expect(await ask('/v1/metrics')).toBe(404);
});
