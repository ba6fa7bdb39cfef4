import { Gauge, Histogram, Registry } from 'prom-client';
import { describe, expect, test } from 'vitest';
import { createCounter, createHistogram } from './capped.ts';
import { openMetricsText, wantsOpenMetrics } from './open-metrics.ts';

describe('the format', () => {
  test('has families without the suffix of counters, exemplars on buckets, and an end', async () => {
    const registry = new Registry();
    registry.setDefaultLabels({ app: 'a "b"\\' });
    createCounter({ name: 'c_total', help: 'counted\n"so"', labels: ['l'], registry }).add({ l: 'x\ny' }, 2);
    const seconds = createHistogram({ name: 'h', help: 'h', labels: [], registry, buckets: [0.1, 1] });
    seconds.observe({}, 0.05);
    seconds.observe({}, 0.5, { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), atMs: 1_500 });
    new Gauge({ name: 'g', help: 'g', registers: [registry] }).set(Number.POSITIVE_INFINITY);
    const app = 'app="a \\"b\\"\\\\"';
    expect(openMetricsText(await registry.getMetricsAsJSON()).split('\n')).toEqual([
      '# TYPE c counter',
      '# HELP c counted\\n\\"so\\"',
      `c_total{l="x\\ny",${app}} 2`,
      '# TYPE h histogram',
      '# HELP h h',
      `h_bucket{le="0.1",${app}} 1`,
      `h_bucket{le="1",${app}} 2 # {trace_id="${'a'.repeat(32)}",span_id="${'b'.repeat(16)}"} 0.5 1.500`,
      `h_bucket{le="+Inf",${app}} 2`,
      `h_sum{${app}} 0.55`,
      `h_count{${app}} 2`,
      '# TYPE g gauge',
      '# HELP g g',
      `g{${app}} +Inf`,
      '# EOF',
      '',
    ]);
  });

  test('takes histograms of the registry, which have no exemplars', async () => {
    const registry = new Registry();
    new Histogram({ name: 'own', help: 'h', buckets: [1], registers: [registry] }).observe(0.5);
    expect(openMetricsText(await registry.getMetricsAsJSON())).toContain('own_bucket{le="1"} 1\n');
  });

  test('has the last exemplar of a bucket', async () => {
    const registry = new Registry();
    const seconds = createHistogram({ name: 'h', help: 'h', labels: [], registry, buckets: [1] });
    for (const id of ['a', 'b', 'c'])
      seconds.observe({}, 0.5, { traceId: id.repeat(32), spanId: id.repeat(16), atMs: 1 });
    seconds.observe({}, 0.5);
    const text = openMetricsText(await registry.getMetricsAsJSON());
    expect(text.match(/trace_id="(.)/g)).toEqual(['trace_id="c']);
    expect(await registry.metrics()).not.toContain('trace_id');
  });
});

test.for([
  { accept: undefined, wants: false },
  { accept: '*/*', wants: false },
  { accept: 'text/plain', wants: false },
  { accept: 'application/openmetrics-text', wants: true },
  { accept: 'application/openmetrics-text; version=0.0.1', wants: false },
  { accept: 'application/openmetrics-text;version=1.0.0;q=0', wants: false },
  { accept: 'application/openmetrics-text;version=1.0.0;q=0.2,text/plain;q=0.9', wants: false },
  {
    accept:
      'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.6,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.4,text/plain;version=0.0.4;q=0.3,*/*;q=0.2',
    wants: true,
  },
])('who accepts $accept wants it: $wants', ({ accept, wants }) => {
  expect(wantsOpenMetrics(accept)).toBe(wants);
});
