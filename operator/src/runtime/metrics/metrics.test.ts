import { Registry } from 'prom-client';
import { expect, test } from 'vitest';
import { createRuntimeMetrics, RUNTIME_METRICS } from './metrics.ts';

const health = (resource: string, ageMs: number | undefined, synced = true) => ({
  ...{ resource, namespace: undefined, synced, ageMs, failure: undefined },
});

test('counters exist before their first event', async () => {
  const registry = new Registry();
  const metrics = createRuntimeMetrics(registry);
  metrics.controllers.observeQueue('c', { depth: 3 });
  metrics.observeCache({
    health: () => [health('pods', 1_000), health('pods', 5_000, false), health('nodes', undefined)],
  });
  const text = await registry.metrics();
  for (const { name } of Object.values(RUNTIME_METRICS)) expect(text).toContain(`# TYPE ${name} `);
  for (const line of [
    'gatehouse_operator_reconciles_total{controller="c",outcome="stall"} 0',
    'gatehouse_operator_reconcile_duration_seconds_count{controller="c"} 0',
    'gatehouse_operator_queue_depth{controller="c"} 3',
    'gatehouse_operator_status_writes_total{outcome="written"} 0',
    'gatehouse_operator_events_total{outcome="dropped"} 0',
    'gatehouse_operator_lease_held 0',
    'gatehouse_operator_cache_age_seconds{resource="pods"} 5',
    'gatehouse_operator_cache_synced{resource="pods"} 0',
    'gatehouse_operator_cache_synced{resource="nodes"} 1',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});

test('reports of the runtime are counted', async () => {
  const registry = new Registry();
  const metrics = createRuntimeMetrics(registry);
  const run = { controller: 'c', seconds: 1, waitedSeconds: 1 };
  metrics.controllers.reconciled({ ...run, outcome: 'done', failure: undefined });
  metrics.controllers.reconciled({ ...run, outcome: 'retry', failure: 'Forbidden' });
  metrics.onCall({ verb: 'get', code: 200, seconds: 0.1 });
  metrics.onLease(true);
  metrics.onStatus('written');
  metrics.onEvent('written');
  const lines = (await registry.metrics()).split('\n');
  for (const line of [
    'gatehouse_operator_reconciles_total{controller="c",outcome="done"} 1',
    'gatehouse_operator_reconcile_errors_total{controller="c",reason="Forbidden"} 1',
    'gatehouse_operator_queue_wait_seconds_count{controller="c"} 2',
    'gatehouse_operator_api_calls_total{verb="get",code="200"} 1',
    'gatehouse_operator_api_call_duration_seconds_count{verb="get"} 1',
    'gatehouse_operator_lease_held 1',
    'gatehouse_operator_status_writes_total{outcome="written"} 1',
    'gatehouse_operator_events_total{outcome="written"} 1',
  ]) {
    expect(lines).toContain(line);
  }
});
