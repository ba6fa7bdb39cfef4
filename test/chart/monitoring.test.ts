import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GAUGES, METRICS } from '@gatehouse/gateway';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { OPERATOR_METRICS } from '../../operator/src/metrics.ts';
import { capture, run } from '../../scripts/machine/index.ts';
import { CHART, render } from './helm.ts';
import { EVERYTHING } from './values.ts';

const FILES = join(CHART, 'files');
const ALERTS = join(FILES, 'alerts.yaml');
const UNIT_TESTS = join(import.meta.dirname, 'testdata/alerts.test.yaml');

const rule = z.looseObject({ alert: z.string(), expr: z.string(), for: z.string() });
const ruleFile = z.looseObject({ groups: z.array(z.looseObject({ name: z.string(), rules: z.array(rule) })) });
const rules = ruleFile.parse(parse(readFileSync(ALERTS, 'utf8'))).groups.flatMap((group) => group.rules);

const dashboard = z
  .looseObject({
    panels: z.array(
      z.looseObject({
        id: z.number(),
        title: z.string(),
        gridPos: z.looseObject({ x: z.number(), y: z.number(), w: z.number(), h: z.number() }),
        targets: z.array(z.looseObject({ expr: z.string() })).default([]),
      }),
    ),
  })
  .parse(JSON.parse(readFileSync(join(FILES, 'dashboard.json'), 'utf8')));

interface Query {
  readonly where: string;
  readonly expr: string;
}

const queries: readonly Query[] = [
  ...rules.map(({ alert, expr }) => ({ where: `alert ${alert}`, expr })),
  ...dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => ({ where: `panel ${title}`, expr }))),
];

/** Labels that every series has once Prometheus has scraped it by our monitors. */
const SCRAPED = ['namespace', 'pod', 'gatehouse_dev_fleet', 'le'];

/** Every metric of the product with its labels; a histogram has its three series. */
const metrics = new Map<string, readonly string[]>(
  [
    ...Object.values(METRICS).map(({ name, labels }) => [name, labels] as const),
    ...Object.values(GAUGES).map(({ name }) => [name, []] as const),
    ...OPERATOR_METRICS.map(({ name, labelNames }) => [name, labelNames] as const),
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
  test.for(queries)('of $where asks for metrics and labels there are', ({ expr }) => {
    const asked = namesIn(expr).filter((name) => !SCRAPED.includes(name));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((name) => !metrics.has(name))).toEqual([]);
    const known = [...SCRAPED, ...asked.flatMap((name) => metrics.get(name) ?? [])];
    expect(labelsIn(expr).filter((label) => !known.includes(label))).toEqual([]);
  });
});

describe('promtool', () => {
  test('finds every alert rule sound', async () => {
    await run(['promtool', 'check', 'rules', '--lint-fatal', ALERTS]);
    expect(rules.length).toBeGreaterThan(5);
  });

  test('parses every query of the dashboard', async () => {
    const panels = queries.filter(({ where }) => where.startsWith('panel'));
    // What Grafana fills in before it asks.
    const filled = panels.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m'));
    const records = filled.map((expr, i) => ({ record: `panel:query:${i}`, expr }));
    const folder = await mkdtemp(join(tmpdir(), 'gatehouse-queries-'));
    try {
      const file = join(folder, 'queries.yaml');
      await writeFile(file, stringify({ groups: [{ name: 'queries', rules: records }] }));
      await run(['promtool', 'check', 'rules', file]);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('sees alerts come and stay away', async () => {
    const { code, stdout, stderr } = await capture(['promtool', 'test', 'rules', UNIT_TESTS]);
    expect(code, stdout + stderr).toBe(0);
    const tested = readFileSync(UNIT_TESTS, 'utf8');
    expect(rules.filter(({ alert }) => !tested.includes(`alertname="${alert}"`)).map(({ alert }) => alert)).toEqual([]);
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
});

describe('in the chart', () => {
  test('rules and dashboard are the files as they are', async () => {
    const objects = await render(EVERYTHING);
    const rendered = objects.find(({ kind }) => kind === 'PrometheusRule');
    expect(rendered?.['spec']).toEqual(parse(readFileSync(ALERTS, 'utf8')));
    const config = objects.find(({ metadata }) => metadata.name === 'gatehouse-dashboard');
    const { 'gatehouse.json': text } = z.record(z.string(), z.string()).parse(config?.['data']);
    expect(JSON.parse(text ?? '')).toEqual(JSON.parse(readFileSync(join(FILES, 'dashboard.json'), 'utf8')));
  });
});
