/** Spans of the cache and of limits, as a collector gets them: docs/behaviour/tracing.md#spans. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startWorld, type World } from '../kit/gateway.ts';
import { type OtlpReceiver, startOtlpReceiver } from '../kit/otlp-receiver.ts';
import { key, TEAM, workspace } from '../kit/snapshot.ts';

const CANARY = 'canary-71aa';
const CONFIG = JSON.stringify({ cache: { mode: 'simple', max_age: 60 }, provider: '@openai' });
let collector: OtlpReceiver;
let world: World;

beforeAll(async () => {
  collector = await startOtlpReceiver();
  world = await startWorld({
    env: { OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url },
    entries: () => [
      key({ rateLimits: [{ type: 'requests', unit: 'rpd', value: 3 }] }),
      workspace(TEAM, { usageLimits: [{ name: 'main', type: 'requests', limit: 100 }] }),
    ],
  });
});

afterAll(async () => {
  await world[Symbol.asyncDispose]();
  await collector[Symbol.asyncDispose]();
});

const chat = (trace: string, flags = '01') =>
  world.send('/v1/chat/completions', {
    headers: { 'x-gw-config': CONFIG, traceparent: `00-${trace}-00f067aa0ba902b7-${flags}` },
    body: { model: 'mock-small', messages: [{ role: 'user', content: CANARY }] },
  });

test('a request has spans of what it waited for, below the attempt or the request that waited', async () => {
  const [first, second, quiet, refused] = ['a1', 'a2', 'a3', 'a4'].map((id) => id.padStart(32, 'b')) as [
    string,
    string,
    string,
    string,
  ];
  expect((await chat(first)).status).toBe(200);
  const spans = await collector.trace(first, 5);
  const request = spans.find(({ kind }) => kind === 'server');
  const attempt = spans.find(({ kind }) => kind === 'client');
  const steps = spans.filter(({ kind }) => kind === 'internal');
  expect(steps.map(({ name, parentId, failed }) => ({ name, parentId, failed }))).toEqual([
    { name: 'gatehouse.limits.check', parentId: request?.spanId, failed: false },
    { name: 'gatehouse.cache.lookup', parentId: attempt?.spanId, failed: false },
    { name: 'gatehouse.limits.check', parentId: attempt?.spanId, failed: false },
  ]);
  expect(steps.map(({ attributes }) => attributes)).toEqual([
    { 'gatehouse.limits.passed': true },
    { 'gatehouse.target': 'config', 'gatehouse.cache.status': 'MISS' },
    { 'gatehouse.target': 'config', 'gatehouse.limits.passed': true },
  ]);
  for (const { startNs, endNs } of steps) {
    expect(startNs).toBeGreaterThanOrEqual(request?.startNs ?? 0n);
    expect(endNs).toBeGreaterThanOrEqual(startNs);
    expect(endNs).toBeLessThanOrEqual(request?.endNs ?? 0n);
  }

  expect((await chat(second)).status).toBe(200);
  const hit = await collector.trace(second, 4);
  const answered = hit.find(({ attributes }) => attributes['gatehouse.calls'] === 0);
  expect(hit.find(({ name }) => name === 'gatehouse.cache.lookup')).toMatchObject({
    parentId: answered?.spanId,
    attributes: { 'gatehouse.cache.status': 'HIT' },
  });
  expect(hit.filter(({ name }) => name === 'gatehouse.limits.check')).toHaveLength(1);

  expect((await chat(quiet, '00')).status).toBe(200);
  expect((await chat(refused)).status).toBe(429);
  const [, denied] = await collector.trace(refused, 2);
  expect(denied).toMatchObject({
    name: 'gatehouse.limits.check',
    failed: true,
    attributes: {
      'gatehouse.limits.passed': false,
      'gatehouse.limits.refused_by': expect.stringMatching(/requests rpd$/),
      'error.type': expect.any(String),
    },
  });
  expect(collector.spans.filter(({ traceId }) => traceId === quiet)).toEqual([]);
  expect(collector.requests.some(({ body }) => body.includes(CANARY))).toBe(false);
});
