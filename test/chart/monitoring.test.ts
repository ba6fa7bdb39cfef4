import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import { capture, run } from '../../scripts/machine/index.ts';
import { render } from './helm.ts';
import { ALERTS, DASHBOARD, queries, rules } from './monitoring.ts';
import { EVERYTHING } from './values.ts';

const UNIT_TESTS = join(import.meta.dirname, 'testdata/alerts.test.yaml');

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

describe('in the chart', () => {
  test('rules and dashboard are the files as they are', async () => {
    const objects = await render(EVERYTHING);
    const rendered = objects.find(({ kind }) => kind === 'PrometheusRule');
    expect(rendered?.['spec']).toEqual(parse(readFileSync(ALERTS, 'utf8')));
    const config = objects.find(({ metadata }) => metadata.name === 'gatehouse-dashboard');
    const { 'gatehouse.json': text } = z.record(z.string(), z.string()).parse(config?.['data']);
    expect(JSON.parse(text ?? '')).toEqual(JSON.parse(readFileSync(DASHBOARD, 'utf8')));
  });
});
