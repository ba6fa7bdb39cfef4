import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { snapshot, waitFor, workspace } from '@gatehouse/test/kit';
import { expect, test } from 'vitest';
import { createByteBudget } from '../lib/byte-budget.ts';
import type { Cancellation } from '../lib/cancellation.ts';
import { DEFAULT_JSON_LIMITS } from '../lib/json/index.ts';
import { type Answer, type Exchange, OPERATIONS } from '../pipeline/index.ts';
import { createSnapshotHolder } from '../snapshot/index.ts';
import { createLogger, createMetrics } from '../telemetry/index.ts';
import { serve } from './serve.ts';

test('an answer that cannot be written becomes 500, and its request is over', async () => {
  const snapshots = createSnapshotHolder({ providers: new Map() });
  await snapshots.load(1, snapshot(workspace()));
  const inFlight = new Set<Cancellation>();
  let seen: Exchange | undefined;
  const broken = {
    status: 200,
    headers: { 'x-bad': 'a\nb' },
    body: { kind: 'bytes', bytes: Buffer.from('{}') },
    facts: {},
  };
  const server = createServer((message, response) =>
    serve(
      {
        pipeline: {
          handle: async (exchange) => {
            seen = exchange;
            return broken as unknown as Answer; // a header that no server can send
          },
        },
        snapshots,
        connections: { isLast: () => false },
        inFlight: { add: (one) => inFlight.add(one), remove: (one) => inFlight.delete(one) },
        budget: createByteBudget(1_000),
        limits: {
          maxJsonBytes: 1,
          maxFormBytes: 1_000_000,
          formModelBytes: 1_000_000,
          json: DEFAULT_JSON_LIMITS,
          replayBytes: 1,
          keepAliveMs: 0,
          progress: { idleMs: 0, minBytesPerSecond: 0 },
        },
        cors: undefined,
        batch: (task) => task(),
        metrics: createMetrics({ service: 's', environment: 'e', runtime: false }),
        logger: createLogger({ level: 'silent', service: 's' }),
        recorder: { finish: () => {} },
      },
      { message, response, operation: OPERATIONS.listModels, route: {} },
    ),
  );
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/models`);
  expect(answer.status).toBe(500);
  expect(await answer.json()).toMatchObject({ error: { code: 'internal' } });
  expect(answer.headers.get('x-gw-trace-id')).toBe(seen?.trace.traceId);
  expect(seen?.signal.cancelled).toBe(true); // lets go of whatever the answer holds
  await waitFor(() => inFlight.size === 0);
  server.closeAllConnections();
  server.close();
});
