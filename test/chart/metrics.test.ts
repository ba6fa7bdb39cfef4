/** The endpoints that Prometheus scrapes, judged by promtool. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROCESS_METRICS } from '@gatehouse/crds';
import { createMetrics, createMetricsSum, GAUGES, METRICS, PROCESS_PREFIX, WORKER_METRICS } from '@gatehouse/gateway';
import { OPERATOR_METRICS, PROCESS_PREFIX as OPERATOR_PROCESS_PREFIX } from '@gatehouse/operator/metrics';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { MANAGEMENT_METRICS } from '../../operator/src/app/management/metrics.ts';
import { capture } from '../../scripts/machine/index.ts';
import { startGateway } from '../kit/gateway.ts';
import { LOOPBACK_PEM } from '../kit/tls.ts';
import { startOperator } from '../operator/operator/support.ts';

const SAMPLES: Readonly<Record<string, (name: string) => string>> = {
  counter: (name) => `${name} 0\n`,
  gauge: (name) => `${name} 0\n`,
  histogram: (name) => `${name}_bucket{le="+Inf"} 0\n${name}_sum 0\n${name}_count 0\n`,
};

/** A sample for every metric that has none yet: promtool does not look at those. */
const withSamples = (text: string): string =>
  text.replaceAll(/^# TYPE (\S+) (\S+)\n(?=#|\n|$)/gm, (line, name, type) => line + (SAMPLES[type]?.(name) ?? ''));

const readMetrics = async (url: string): Promise<string> => (await fetch(`${url}/metrics`)).text();

/** What promtool finds wrong. */
async function faultsIn(text: string): Promise<string> {
  const { code, stdout, stderr } = await capture(['promtool', 'check', 'metrics'], { input: withSamples(text) });
  return code === 0 ? '' : stdout + stderr;
}

async function expectSound(text: string, names: readonly string[]): Promise<void> {
  const served = new Set([...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name = '']) => name));
  expect(names.filter((name) => !served.has(name))).toEqual([]);
  expect(await faultsIn(text)).toBe('');
}

const namesOf = (...tables: readonly Readonly<Record<string, { readonly name: string }>>[]): string[] =>
  tables.flatMap((table) => Object.values(table).map(({ name }) => name));
const processNames = (prefix: string): string[] => PROCESS_METRICS.map(({ name }) => prefix + name);

describe('promtool finds sound', () => {
  test('the metrics of a gateway, all of its process included', async () => {
    // A Redis and a PostgreSQL are configured, which need not be there.
    const stores = { REDIS_URL: 'redis://127.0.0.1:1', GATEHOUSE_LOGS_DATABASE_URL: 'postgres://a:b@127.0.0.1:1/logs' };
    const documents = { LOG_STORE: 'folder', GATEHOUSE_LOGS_DIR: join(tmpdir(), 'gatehouse-no-documents') };
    const env = { TLS_KEY: LOOPBACK_PEM, TLS_CERT: LOOPBACK_PEM, ...stores, ...documents };
    await using gateway = await startGateway({ entries: [], env });
    const text = await readMetrics(gateway.adminUrl);
    await expectSound(text, [...namesOf(METRICS, GAUGES), ...processNames(PROCESS_PREFIX)]);
  });

  test('the sum over the workers of a machine', async () => {
    const labels = { service: 'test', environment: 'test', runtime: true };
    const sum = createMetricsSum(labels);
    for (const id of [1, 2]) {
      const metrics = createMetrics(labels);
      metrics.setCertificateExpiry(2_000_000_000);
      metrics.observeRequestLog({ bytes: () => 1, oldestSeconds: () => 1 });
      metrics.observeLogStore(() => false);
      metrics.limitsShared.set(1);
      metrics.budgetsShared.set(1);
      metrics.observeBudgets(() => []);
      sum.put(id, await metrics.report());
    }
    const names = [...namesOf(METRICS, GAUGES, WORKER_METRICS), ...processNames(PROCESS_PREFIX)];
    await expectSound(await sum.text(), names);
  });

  test('the metrics of an operator, which are there before its API server is', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-metrics-'));
    try {
      const kubeconfigPath = join(folder, 'kubeconfig');
      await writeFile(kubeconfigPath, stringify(NOWHERE));
      await using operator = await startOperator({ kubeconfigPath, args: ['--no-webhooks'] });
      const text = await readMetrics(operator.healthUrl);
      const others = new Set(namesOf(MANAGEMENT_METRICS));
      const names = OPERATOR_METRICS.map(({ name }) => name).filter((name) => !others.has(name));
      await expectSound(text, [...names, ...processNames(OPERATOR_PROCESS_PREFIX)]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('no gauge that is named like a counter', async () => {
    const text = '# HELP sockets_total Open sockets\n# TYPE sockets_total gauge\n';
    expect(await faultsIn(text)).toContain('sockets_total');
  });
});

/** Nothing listens at its server. */
const NOWHERE = {
  apiVersion: 'v1',
  kind: 'Config',
  'current-context': 'main',
  clusters: [{ name: 'cluster', cluster: { server: 'https://127.0.0.1:9' } }],
  users: [{ name: 'user', user: { token: 'none' } }],
  contexts: [{ name: 'main', context: { cluster: 'cluster', user: 'user' } }],
};
