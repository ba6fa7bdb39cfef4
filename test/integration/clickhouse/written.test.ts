/** What gateways write into ClickHouse besides rows of requests. */
import { clickHouseStatements } from '@gatehouse/crds/logs';
import { waitFor } from '@gatehouse/test/kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClickHouseStore, createRequestLog } from '../../../gateway/src/request-log/index.ts';
import { createLogger, createMetrics } from '../../../gateway/src/telemetry/index.ts';
import { type ClickHouseServer, startClickHouse } from '../../clickhouse/index.ts';
import { startWorld } from '../../kit/gateway.ts';
import { logRow } from '../../kit/log-row.ts';
import { guardrail, TEAM, workspace } from '../../kit/snapshot.ts';

let server: ClickHouseServer;

beforeAll(async () => {
  server = await startClickHouse();
  for (const statement of clickHouseStatements()) await server.rows(statement);
});

afterAll(async () => {
  await server[Symbol.asyncDispose]();
});

test('feedback of guardrails is kept for the trace', async () => {
  await using world = await startWorld({
    env: { GATEHOUSE_LOGS_CLICKHOUSE_URL: server.url },
    entries: () => [
      workspace(TEAM, { defaults: { inputGuardrails: ['polite'] } }),
      guardrail('polite', [{ id: 'default.contains', parameters: { words: ['please'], operator: 'any' } }], {
        ...{ deny: false, onFail: { value: -5, weight: 0.5 } },
      }),
    ],
  });
  await world.send('/v1/chat/completions', {
    headers: { 'x-gw-provider': '@openai', 'x-gw-trace-id': 'judged' },
    body: { model: 'mock-small', messages: [{ role: 'user', content: 'hello' }] },
  });
  await waitFor(async () => (await world.metric('gatehouse_guardrail_feedback_written_total')) === 1, {
    what: 'a feedback',
  });
  expect(
    await server.rows(`select workspace, trace_id, value, weight, metadata, api_key, guardrail, updated_at = created_at as is_new
      from gateway_logs.feedback`),
  ).toEqual([
    {
      ...{ workspace: TEAM, trace_id: 'judged', value: -5, weight: 0.5, api_key: `key/${TEAM}/main`, is_new: 1 },
      ...{
        guardrail: 'polite',
        metadata: { successfulChecks: '', failedChecks: 'default.contains', erroredChecks: '' },
      },
    },
  ]);
});

test('records of clients that ask too much at once are written in smaller batches', async () => {
  const store = createClickHouseStore({ url: server.url });
  const log = createRequestLog({
    ...{ store, maxBytes: 64 * 1024 * 1024, retentionMs: () => undefined, now: Date.now },
    metrics: createMetrics({ service: 'test', environment: 'test', runtime: false, bufferedBytes: () => 0 }),
    logger: createLogger({ level: 'silent', service: 'test', destination: process.stderr }),
  });
  // Their names together are longer than a parameter may be; those of workspaces are shorter.
  const names = Array.from({ length: 300 }, (_, at) => `${at}-${'x'.repeat(600)}`);
  const counted = async () =>
    Number((await server.rows("select count() as n from gateway_logs.logs where source = 'log'"))[0]?.['n']);
  try {
    for (const name of names) log.add({ row: logRow({ workspace: name, source: 'log' }), content: undefined });
    await waitFor(async () => (await counted()) === names.length, { what: 'all rows' });
  } finally {
    await log.close(1_000);
  }
});
