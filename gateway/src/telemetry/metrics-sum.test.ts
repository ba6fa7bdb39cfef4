import { PROCESS_METRICS } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import { createMetrics, createMetricsSum, PROCESS_PREFIX } from './index.ts';

const PROCESS = { service: 'test', environment: 'test', runtime: false };
const processMetrics = () => createMetrics(PROCESS);
const LABELS = 'app="test",env="test"';

describe('the sum of several processes', () => {
  test('adds counters, histograms and gauges, and takes the oldest version', async () => {
    const sum = createMetricsSum(PROCESS);
    const processes = [processMetrics(), processMetrics()];
    for (const [id, metrics] of processes.entries()) {
      metrics.errors.add({ code: 'A' }, id + 1);
      metrics.overhead.observe({ operation: 'chat' }, 0.3);
      metrics.inFlight.inc();
      metrics.snapshotVersion.set(id + 7);
      sum.put(id, await metrics.report());
    }
    const text = await sum.text();
    expect(text).toContain(`gatehouse_errors_total{code="A",${LABELS}} 3`);
    expect(text).toContain(`gatehouse_overhead_duration_seconds_count{operation="chat",${LABELS}} 2`);
    expect(text).toContain(`gatehouse_overhead_duration_seconds_bucket{le="0.5",operation="chat",${LABELS}} 2`);
    expect(text).toContain(`gatehouse_requests_in_flight{${LABELS}} 2`);
    expect(text).toContain(`gatehouse_snapshot_version{${LABELS}} 7`);
  });

  test('keeps what a process counted after its end, not its gauges', async () => {
    const sum = createMetricsSum(PROCESS);
    for (const id of [1, 2, 3]) {
      const metrics = processMetrics();
      metrics.errors.add({ code: 'A' });
      metrics.overhead.observe({ operation: 'chat' }, 0.3);
      metrics.inFlight.inc();
      sum.put(id, await metrics.report());
      if (id < 3) sum.end(id);
    }
    const text = await sum.text();
    expect(text).toContain(`gatehouse_errors_total{code="A",${LABELS}} 3`);
    expect(text).toContain(`gatehouse_overhead_duration_seconds_sum{operation="chat",${LABELS}} 0.8999999999999999`);
    expect(text).toContain(`gatehouse_requests_in_flight{${LABELS}} 1`);
  });

  test('forgets nothing when a process ends that never reported', async () => {
    const sum = createMetricsSum(PROCESS);
    const metrics = processMetrics();
    metrics.errors.add({ code: 'A' });
    sum.put(1, await metrics.report());
    sum.end(2);
    expect(await sum.text()).toContain(`gatehouse_errors_total{code="A",${LABELS}} 1`);
  });

  test('has the metrics of the processes, with the start of the first', async () => {
    const withProcess = { ...PROCESS, runtime: true };
    const sum = createMetricsSum(withProcess);
    const report = await createMetrics(withProcess).report();
    const later = report.map((metric) =>
      metric.name === 'gatehouse_process_start_time_seconds'
        ? { ...metric, values: metric.values.map((given) => ({ ...given, value: given.value + 3_600 })) }
        : metric,
    );
    sum.put(1, later);
    const text = await sum.text();
    const missing = PROCESS_METRICS.filter(({ name }) => !text.includes(`# TYPE ${PROCESS_PREFIX}${name} `));
    expect(missing.map(({ name }) => name)).toEqual([]);
    const [, start] = /^gatehouse_process_start_time_seconds\{.*\} (.*)$/m.exec(text) ?? [];
    expect(Number(start)).toBeCloseTo(Date.now() / 1_000 - process.uptime(), -1);
  });
});
