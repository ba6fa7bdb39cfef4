/** Spans at the OTLP receiver of the OpenTelemetry Collector, over both of its protocols. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Collector, startCollector } from '../../cluster/index.ts';
import { startWorld } from '../../kit/gateway.ts';

const PARENT = '00f067aa0ba902b7';
const SERVER = 2;
const CLIENT = 3;

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
      env: {
        OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? collector.grpc : collector.http,
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_COMPRESSION: compression,
        OTEL_BSP_SCHEDULE_DELAY: '1',
      },
    });
    const { status } = await world.send('/v1/chat/completions', {
      headers: { 'x-gw-provider': '@openai', traceparent: `00-${trace}-${PARENT}-01`, tracestate: 'vendor=1' },
      body: { model: 'mock-small', messages: [{ role: 'user', content: 'hi' }] },
    });
    expect(status).toBe(200);
    const spans = await collector.trace(trace, 2);
    const request = spans.find(({ kind }) => kind === SERVER);
    const attempt = spans.find(({ kind }) => kind === CLIENT);
    expect(request).toMatchObject({
      name: 'POST /v1/chat/completions',
      ...{ parentSpanId: PARENT, traceState: 'vendor=1' },
    });
    expect(attempt).toMatchObject({ name: 'chat mock-small', parentSpanId: request?.spanId });
    expect(attempt?.attributes).toContainEqual({ key: 'gen_ai.provider.name', value: { stringValue: 'openai' } });
    const [start = 0n, end = 0n] = [attempt?.startTimeUnixNano, attempt?.endTimeUnixNano].map((ns = '0') => BigInt(ns));
    expect(start).toBeGreaterThan(0n);
    expect(end).toBeGreaterThanOrEqual(start);
  });
});
