/** Alert rules and dashboard ask for what gateways and operators expose. */
import { PROCESS_METRICS } from '@gatehouse/crds';
import { GAUGES, METRICS, PROCESS_PREFIX, WORKER_METRICS } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { OPERATOR_METRICS, PROCESS_PREFIX as OPERATOR_PROCESS_PREFIX } from '../../operator/src/metrics.ts';
import { dashboard, queries } from '../chart/monitoring.ts';

/** Labels that every series has once Prometheus has scraped it by our monitors. */
const SCRAPED = ['namespace', 'pod', 'gatehouse_dev_fleet', 'le'];

/** Every metric of the product with its labels; a histogram has its three series. */
const metrics = new Map<string, readonly string[]>(
  [
    ...Object.values(METRICS).map(({ name, labels }) => [name, labels] as const),
    ...Object.values(GAUGES).map((gauge) => [gauge.name, 'labels' in gauge ? gauge.labels : []] as const),
    ...Object.values(WORKER_METRICS).map(({ name }) => [name, []] as const),
    ...OPERATOR_METRICS.map(({ name, labelNames }) => [name, labelNames] as const),
    ...[PROCESS_PREFIX, OPERATOR_PROCESS_PREFIX].flatMap((prefix) =>
      PROCESS_METRICS.map(({ name }) => [prefix + name, []] as const),
    ),
  ].flatMap(([name, labels]) =>
    ['', ...(name.endsWith('_seconds') ? ['_bucket', '_count', '_sum'] : [])].map(
      (suffix) => [name + suffix, labels] as const,
    ),
  ),
);

const namesIn = (expr: string): string[] => [...new Set(expr.match(/\bgatehouse_[a-z0-9_]+/g) ?? [])];
const labelsIn = (expr: string): string[] =>
  [
    ...[...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels = '']) => labels.split(',')),
    ...[...expr.matchAll(/([a-z_]+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label),
  ].map((label) => label.trim());

describe('a query', () => {
  test.for(queries)('of $where asks for metrics and labels that exist', ({ expr }) => {
    const asked = namesIn(expr).filter((name) => !SCRAPED.includes(name));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((name) => !metrics.has(name))).toEqual([]);
    const known = [...SCRAPED, ...asked.flatMap((name) => metrics.get(name) ?? [])];
    expect(labelsIn(expr).filter((label) => !known.includes(label))).toEqual([]);
  });
});

describe('the dashboard', () => {
  test('has panels that do not overlap', () => {
    const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
      Array.from({ length: w * h }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`),
    );
    expect(new Set(cells).size).toBe(cells.length);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  test('lets its user choose the data source, in every panel and query', () => {
    expect(dashboard.templating.list).toContainEqual(
      expect.objectContaining({ name: 'datasource', type: 'datasource' }),
    );
    const asking = dashboard.panels.filter(({ type }) => type !== 'row');
    const sources = asking.flatMap((panel) => [panel, ...panel.targets]).map(({ datasource }) => datasource?.uid);
    expect(new Set(sources)).toEqual(new Set(['$datasource']));
  });

  test('names in its queries only variables that it has', () => {
    const known = new Set(dashboard.templating.list.map(({ name }) => name));
    const named = queries.flatMap(({ expr }) => [...expr.matchAll(/\$([a-z]\w*)/g)].map(([, name = '']) => name));
    expect(named.filter((name) => !known.has(name))).toEqual([]);
  });
});
