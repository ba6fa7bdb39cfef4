import { hash } from 'node:crypto';
import fc from 'fast-check';
import { Registry } from 'prom-client';
import { describe, expect, test, vi } from 'vitest';
import { AppError } from '../errors/index.ts';
import { Secret } from '../lib/secret.ts';
import { createCounter, createGauge, createHistogram, MAX_SERIES } from './capped.ts';
import { createLogger, createMetrics, GAUGES, METRICS, maskHeaders, maskValue } from './index.ts';

describe('a metric', () => {
  const lines = async (registry: Registry, name: string) =>
    (await registry.metrics()).split('\n').filter((line) => line.startsWith(`${name}{`));

  test('has a bound; what is beyond it is counted under other', async () => {
    const registry = new Registry();
    const counter = createCounter({ name: 'c', help: 'h', labels: ['a', 'b'], registry, maxSeries: 3 });
    for (let i = 0; i < 100; i += 1) counter.add({ a: `v${i}`, b: 'x' });
    counter.add({ a: 'v0', b: 'x' }, 5);
    expect((await lines(registry, 'c')).sort()).toEqual([
      'c{a="other",b="other"} 97',
      'c{a="v0",b="x"} 6',
      'c{a="v1",b="x"} 1',
      'c{a="v2",b="x"} 1',
    ]);
  });

  test('that is a gauge goes up and down', async () => {
    const registry = new Registry();
    const level = createGauge({ name: 'l', help: 'h', registry });
    for (const change of [level.inc, level.inc, level.dec]) change();
    expect(await registry.metrics()).toContain('\n# TYPE l gauge\nl 1\n');
  });

  test('that is a histogram has it, too', async () => {
    const registry = new Registry();
    const histogram = createHistogram({ name: 'h', help: 'h', labels: ['a'], registry, buckets: [1], maxSeries: 1 });
    for (const a of ['x', 'y', 'z']) histogram.observe({ a }, 0.5);
    expect(await lines(registry, 'h_count')).toEqual(['h_count{a="x"} 1', 'h_count{a="other"} 2']);
  });

  test('that is a histogram counts what lies at or below each bound', async () => {
    const registry = new Registry();
    const histogram = createHistogram({ name: 'h', help: 'h', labels: ['a'], registry, buckets: [0.1, 1] });
    for (const value of [0.05, 0.1, 0.5, 1, 2, Number.NaN]) histogram.observe({ a: 'x' }, value);
    expect(await lines(registry, 'h_bucket')).toEqual([
      'h_bucket{le="0.1",a="x"} 2',
      'h_bucket{le="1",a="x"} 4',
      'h_bucket{le="+Inf",a="x"} 5',
    ]);
    expect(await lines(registry, 'h_sum')).toEqual(['h_sum{a="x"} 3.65']);
  });

  test.for([-1, Number.NaN, Number.POSITIVE_INFINITY])('is not counted by %d', async (amount) => {
    const registry = new Registry();
    const counter = createCounter({ name: 'c', help: 'h', labels: ['a'], registry });
    counter.add({ a: 'x' }, 2);
    counter.add({ a: 'x' }, amount);
    expect(await lines(registry, 'c')).toEqual(['c{a="x"} 2']);
  });

  test('does not mix up label sets that read alike', async () => {
    const registry = new Registry();
    const counter = createCounter({ name: 'c', help: 'h', labels: ['a', 'b'], registry, maxSeries: 2 });
    counter.add({ a: 'xy', b: '' });
    counter.add({ a: 'x', b: 'y' });
    expect(await lines(registry, 'c')).toHaveLength(2);
  });

  test('counts each label set apart up to the bound, and the rest together', async () => {
    const label = fc.constantFrom('', 'x', 'y', 'xy', 'other', '__proto__');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(label, label), { maxLength: 100 }), async (sets) => {
        const registry = new Registry();
        const counter = createCounter({ name: 'c', help: 'h', labels: ['a', 'b'], registry, maxSeries: 8 });
        const want = new Map<string, number>();
        for (const [a, b] of sets) {
          counter.add({ a, b });
          const set = `${a}|${b}`;
          const series = want.has(set) || want.size < 8 ? set : 'the rest';
          want.set(series, (want.get(series) ?? 0) + 1);
        }
        const values = (await registry.getMetricsAsJSON())[0]?.values ?? [];
        expect(values.map(({ value }) => value)).toEqual([...want.values()]);
      }),
    );
  });

  test('never has more series than the bound and one, whatever is counted', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(fc.string(), fc.string()), { maxLength: 200 }), async (sets) => {
        const registry = new Registry();
        const counter = createCounter({ name: 'c', help: 'h', labels: ['a', 'b'], registry, maxSeries: 5 });
        for (const [a, b] of sets) counter.add({ a, b });
        expect((await registry.getMetricsAsJSON())[0]?.values.length).toBeLessThanOrEqual(6);
      }),
    );
    expect(MAX_SERIES).toBeLessThanOrEqual(10_000);
  });

  test('of the gateway is named in the Prometheus way and exists once', async () => {
    const metrics = createMetrics({ service: 's', environment: 'e', runtime: true });
    metrics.requests.add({ operation: 'o', provider: 'p', status: '200' });
    metrics.snapshotVersion.set(7);
    const text = await metrics.text();
    expect(text).toContain('gatehouse_requests_total{operation="o",provider="p",status="200",app="s",env="e"} 1');
    expect(text).toContain('gatehouse_snapshot_version{app="s",env="e"} 7');
    expect(text).toContain('gatehouse_process_cpu_user_seconds_total');
    const names = [...Object.values(METRICS), ...Object.values(GAUGES)].map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^gatehouse_[a-z_]+$/);
    for (const { name } of Object.values(METRICS)) expect(name).toMatch(/(_total|_seconds)$/);
  });

  test('of two gateways in one process do not meet', async () => {
    const [first, second] = ['a', 'b'].map((service) => createMetrics({ service, environment: 'e', runtime: false }));
    first?.errors.add({ code: 'INTERNAL' });
    expect(await second?.text()).not.toContain('INTERNAL');
  });
});

describe('a masked value', () => {
  const FORM = /^hash:[0-9a-f]{16}$/;

  test.for(['sk-0123456789', 'short', '', 'ü'.repeat(10_000)])('%s has the length of all others', (value) => {
    expect(maskValue(value)).toMatch(FORM);
  });

  test('is the same for the same value, with its scheme or without, and another one for another value', () => {
    for (const value of ['sk-0123456789', '1']) {
      expect(maskValue(value)).toBe(maskValue(value));
      expect(maskValue(`Bearer ${value}`)).toBe(maskValue(value));
      expect(maskValue(`bearer   ${value}`)).toBe(maskValue(value));
    }
    const values = Array.from({ length: 1_000 }, (_, at) => String(at));
    expect(new Set(values.map(maskValue)).size).toBe(1_000);
  });

  test('cannot be told from the value: each process has its own', async () => {
    vi.resetModules();
    const other = await import('./mask.ts');
    expect(other.maskValue('1234')).toMatch(FORM);
    expect(other.maskValue('1234')).not.toBe(maskValue('1234'));
    expect(maskValue('1234')).not.toContain(hash('sha256', '1234', 'hex').slice(0, 16));
  });
});

describe('headers in a log', () => {
  const LONG = 'a-value-that-is-long-enough';
  const logged = (name: string, more: readonly string[] = []) => maskHeaders([[name, LONG]], new Set(more))[name];

  test.for([
    'authorization',
    'proxy-authorization',
    'cookie',
    'set-cookie',
    'api-key',
    'x-api-key',
    'x-gw-api-key',
    'x-gw-config',
    'x-gw-aws-secret-access-key',
    'x-gw-aws-access-key-id',
    'x-gw-aws-session-token',
    'x-gw-aws-external-id',
    'x-gw-aws-role-arn',
    'x-gw-cloud-c-secret-access-key',
    'x-gw-vertex-service-account-json',
    'x-gw-azure-entra-client-secret',
    'x-gw-azure-ad-token',
    'x-gw-oracle-private-key',
    'x-gw-oracle-key-passphrase',
    'modal-key',
    'modal-secret',
  ])('%s is masked', (name) => {
    expect(logged(name)).not.toContain('value');
  });

  test('others are masked when they are named', () => {
    expect(logged('x-custom')).toBe(LONG);
    expect(logged('x-custom', ['x-custom'])).not.toContain('value');
  });

  test('have any name and no prototype', () => {
    const headers = maskHeaders([['__proto__', LONG]], new Set());
    expect(Object.keys(headers)).toEqual(['__proto__']);
  });
});

describe('a log line', () => {
  function capture(level = 'debug') {
    const lines: string[] = [];
    const logger = createLogger({ level, service: 'test', destination: { write: (line) => void lines.push(line) } });
    return { logger, last: () => JSON.parse(lines.at(-1) ?? '{}') };
  }

  test('is JSON with service, level and time', () => {
    const { logger, last } = capture();
    logger.warn({ a: 1 }, 'Something happened');
    expect(last()).toEqual({
      level: 'warn',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      service: 'test',
      a: 1,
      msg: 'Something happened',
    });
  });

  test('never holds a secret: by type, by name, or in an error', () => {
    const { logger, last } = capture();
    const SECRET = 'sk-do-not-log';
    logger.info({ value: new Secret(SECRET), nested: { deep: [new Secret(SECRET)] } });
    expect(JSON.stringify(last())).not.toContain(SECRET);
    for (const name of ['apiKey', 'api_key', 'authorization', 'secret', 'token', 'password', 'credential', 'fields']) {
      logger.info({ [name]: SECRET, target: { [name]: SECRET } });
      expect(JSON.stringify(last()), name).not.toContain(SECRET);
    }
  });

  test('keeps the record that was given', () => {
    const { logger, last } = capture();
    const record = { list: [{ token: 'x', a: 1 }], other: { b: 2 } };
    logger.info(record);
    expect(last()).toMatchObject({ list: [{ token: '[redacted]', a: 1 }], other: { b: 2 } });
    expect(record.list[0]?.token).toBe('x');
  });

  test('describes errors by code, with their causes; stacks are for our own faults', () => {
    const { logger, last } = capture();
    const cause = Object.assign(new Error('lost'), { code: 'ECONNRESET' });
    logger.error({ err: new AppError('UPSTREAM_UNREACHABLE', { cause }) });
    expect(last().err).toEqual({
      code: 'UPSTREAM_UNREACHABLE',
      message: expect.any(String),
      cause: { code: 'ECONNRESET', message: 'lost' },
    });
    logger.error({ err: new AppError('INTERNAL', { cause: new TypeError('bug') }) });
    expect(last().err).toMatchObject({ stack: expect.any(String), cause: { stack: expect.any(String) } });
    logger.error({ err: 'a text' });
    expect(last().err).toEqual({ message: 'a text' });
  });

  test('below the level is not written', () => {
    const { logger, last } = capture('error');
    logger.info({ a: 1 });
    expect(last()).toEqual({});
  });
});
