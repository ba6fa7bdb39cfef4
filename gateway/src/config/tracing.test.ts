import { describe, expect, test } from 'vitest';
import { readEnvironment, toSettings, unservedVariables } from './index.ts';

const tracing = (env: Record<string, string>) => toSettings(readEnvironment(env)).tracing;
const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';

describe('spans', () => {
  test('are made where a collector is named, and only there', () => {
    expect(tracing({})).toBeUndefined();
    expect(tracing({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' })).toBeUndefined();
    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT })).toMatchObject({
      url: 'http://collector:4318/v1/traces',
      timeoutMs: 10_000,
      compression: 'none',
      sampler: { name: 'parentbased_always_on', ratio: 1 },
      propagates: true,
      guardrails: false,
      queue: { maxSpans: 2_048, batchSpans: 512, delayMs: 5_000 },
    });
  });

  test.for([
    {
      rule: 'below a base with a path',
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'https://c/otlp/' },
      url: 'https://c/otlp/v1/traces',
    },
    {
      rule: 'over gRPC to the address as it is',
      env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' },
      url: 'http://c:4317',
    },
    {
      rule: 'over gRPC on the same machine',
      env: { OTEL_TRACES_EXPORTER: 'otlp', OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'grpc' },
      url: 'http://localhost:4317',
    },
    {
      rule: 'to the whole address',
      env: { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://t/x' },
      url: 'http://t/x',
    },
    { rule: 'on the same machine', env: { OTEL_TRACES_EXPORTER: 'otlp' }, url: 'http://localhost:4318/v1/traces' },
    {
      rule: 'as the variables of GenAI say',
      env: {
        EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: 'true',
        EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_ENDPOINT: 'http://g/v1/traces',
      },
      url: 'http://g/v1/traces',
    },
    {
      rule: 'nowhere without the flag of GenAI',
      env: { EXPERIMENTAL_GEN_AI_OTEL_EXPORTER_OTLP_ENDPOINT: 'http://g' },
      url: undefined,
    },
  ])('go $rule', ({ env, url }) => {
    expect(tracing(env)?.url).toBe(url);
  });

  test('of guardrails have a flag', () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT, EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: 'TRUE' };
    expect(tracing(env)?.guardrails).toBe(true);
  });

  test('show prompts and answers, bounded, only where that is asked for', () => {
    const asked = { OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true' };
    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT })?.contentChars).toBeUndefined();
    expect(tracing(asked)?.contentChars).toBe(32_768);
    expect(tracing({ ...asked, OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '500' })?.contentChars).toBe(500);
    expect(() => tracing({ ...asked, OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT: '0' })).toThrow(
      'OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT',
    );
  });

  test('have headers that print as redacted, values decoded, those for traces first', () => {
    const headers = tracing({
      OTEL_EXPORTER_OTLP_ENDPOINT,
      OTEL_EXPORTER_OTLP_HEADERS: 'Authorization=Bearer%20one, x-a = 1 ',
      OTEL_EXPORTER_OTLP_TRACES_HEADERS: 'x-a=2=2',
    })?.headers;
    expect([...(headers ?? [])].map(([name, value]) => [name, value.reveal()])).toEqual([
      ['authorization', 'Bearer one'],
      ['x-a', '2=2'],
    ]);
    expect(JSON.stringify([...(headers ?? [])])).not.toContain('one');
  });

  test('say which process they are from; OTEL_ variables win', () => {
    expect(
      tracing({ OTEL_EXPORTER_OTLP_ENDPOINT, SERVICE_NAME: 'own', GATEHOUSE_POD_NAME: 'pod-1' })?.resource,
    ).toEqual({
      'service.name': 'own',
      'deployment.environment.name': 'development',
      'k8s.pod.name': 'pod-1',
    });
    const more = { OTEL_SERVICE_NAME: 'otel', OTEL_RESOURCE_ATTRIBUTES: 'service.name=no,team=a%2Cb' };
    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT, ...more })?.resource).toMatchObject({
      'service.name': 'otel',
      team: 'a,b',
    });
  });

  test.for([
    { rule: 'none', propagators: 'none', want: false },
    { rule: 'baggage alone', propagators: 'baggage', want: false },
    { rule: 'the usual two', propagators: 'tracecontext,baggage', want: true },
  ])('are told to providers as the propagators say: $rule', ({ propagators, want }) => {
    expect(tracing({ OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_PROPAGATORS: propagators })?.propagates).toBe(want);
  });

  test.for([
    { name: 'OTEL_EXPORTER_OTLP_HEADERS', value: 'secret-without-name' },
    { name: 'OTEL_EXPORTER_OTLP_HEADERS', value: 'bad name=secret' },
    { name: 'OTEL_EXPORTER_OTLP_HEADERS', value: 'a=secret%0a' },
    { name: 'OTEL_EXPORTER_OTLP_HEADERS', value: 'a=secret%zz' },
    { name: 'OTEL_EXPORTER_OTLP_ENDPOINT', value: 'collector:4317' },
    { name: 'OTEL_EXPORTER_OTLP_PROTOCOL', value: 'http/json' },
    { name: 'OTEL_TRACES_SAMPLER', value: 'jaeger_remote' },
    { name: 'OTEL_TRACES_SAMPLER_ARG', value: '2' },
  ])('with $name=$value end the start, and the message has no secret', ({ name, value }) => {
    const start = () => tracing({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: value });
    expect(start).toThrow(`Invalid environment: ${name}`);
    expect(start).not.toThrow('secret');
  });

  test('by other ways are named as not served', () => {
    expect(
      unservedVariables({ OTEL_PUSH_ENABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT, OTEL_LOGS_EXPORTER: 'otlp' }),
    ).toEqual(['OTEL_LOGS_EXPORTER', 'OTEL_PUSH_ENABLED']);
  });
});
