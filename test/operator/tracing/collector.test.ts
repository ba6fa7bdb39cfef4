/** Spans at the OTLP receiver of the OpenTelemetry Collector, over both of its protocols. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Collector, startCollector } from '../../cluster/index.ts';
import { startWorld } from '../../kit/gateway.ts';
import { key } from '../../kit/snapshot.ts';

const PARENT = '00f067aa0ba902b7';
const SERVER = 2;
const CLIENT = 3;
const CONFIG = {
  provider: '@openai',
  cache: { mode: 'simple', max_age: 60 },
  input_guardrails: [{ 'default.wordCount': { minWords: 1, maxWords: 9 } }],
};

let collector: Collector;

beforeAll(async () => {
  collector = await startCollector();
});

afterAll(async () => {
  await collector?.[Symbol.asyncDispose]();
});

describe.for(['http/protobuf', 'grpc'] as const)('over %s', (protocol) => {
  test.for(['none', 'gzip'])('with compression %s the collector has the spans of a request', async (compression) => {
    const trace = randomBytes(16).toString('hex');
    await using world = await startWorld({
      entries: () => [key({ rateLimits: [{ type: 'requests', unit: 'rpm', value: 9 }] })],
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? collector.grpc : collector.http,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: compression,
        OTEL_BSP_SCHEDULE_DELAY: '1',
        EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: 'true',
        OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
      },
    });
    const { status } = await world.send('/v1/chat/completions', {
      headers: {
        ...{ 'x-gw-config': JSON.stringify(CONFIG), traceparent: `00-${trace}-${PARENT}-01`, tracestate: 'vendor=1' },
      },
      body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
    });
    expect(status).toBe(200);
    const spans = await collector.trace(trace, 5);
    const request = spans.find(({ kind }) => kind === SERVER);
    const attempt = spans.find(({ kind }) => kind === CLIENT);
    expect(request).toMatchObject({
      name: 'POST /v1/chat/completions',
      ...{ parentSpanId: PARENT, traceState: 'vendor=1' },
    });
    expect(attempt).toMatchObject({ name: 'chat mock-small', parentSpanId: request?.spanId });
    const steps = ['gw.guardrail.input', 'gatehouse.limits.check', 'gatehouse.cache.lookup'];
    for (const step of steps) expect(spans.map(({ name }) => name)).toContain(step);
    expect(attempt?.attributes).toContainEqual({ key: 'gen_ai.provider.name', value: { stringValue: 'openai' } });
    expect(attempt?.attributes).toContainEqual({
      key: 'gen_ai.response.finish_reasons',
      value: { arrayValue: { values: [{ stringValue: 'stop' }] } },
    });
    expect(attempt?.attributes).toContainEqual({
      key: 'gen_ai.input.messages',
      value: { stringValue: '[{"role":"user","parts":[{"type":"text","content":"hi"}]}]' },
    });
    const [start = 0n, end = 0n] = [attempt?.startTimeUnixNano, attempt?.endTimeUnixNano].map((ns = '0') => BigInt(ns));
    expect(start).toBeGreaterThan(0n);
    expect(end).toBeGreaterThanOrEqual(start);
  });
});
