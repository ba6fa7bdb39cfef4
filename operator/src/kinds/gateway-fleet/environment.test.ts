import { describe, expect, test } from 'vitest';
import { environmentOf } from './environment.ts';
import { aFleet } from './testing.ts';

const variablesOf = (spec: object) =>
  new Map(
    environmentOf(aFleet(spec), { fleetNamespaces: new Set(['gatehouse-gateways']) }).map((each) => [each.name, each]),
  );

describe('the environment of a fleet', () => {
  test('names no collector where the fleet has none', () => {
    expect([...variablesOf({}).keys()].filter((name) => name.includes('OTEL'))).toEqual([]);
  });

  test('names its collector, with headers from a Secret', () => {
    const tracing = {
      endpoint: 'https://collector:4318',
      headersSecretRef: { name: 'otlp', key: 'headers' },
      samplingRatePerMillion: 1_000,
      guardrails: true,
    };
    const given = variablesOf({ tracing });
    expect(given.get('OTEL_EXPORTER_OTLP_HEADERS')).toEqual({
      name: 'OTEL_EXPORTER_OTLP_HEADERS',
      valueFrom: { secretKeyRef: { name: 'otlp', key: 'headers' } },
    });
    const values = {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector:4318',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.001',
      OTEL_PROPAGATORS: 'tracecontext',
      EXPERIMENTAL_GEN_AI_OTEL_TRACES_ENABLED: 'true',
    };
    for (const [name, value] of Object.entries(values)) expect(given.get(name)?.value, name).toBe(value);
  });

  test('leaves clients and providers out of it where the fleet says so', () => {
    const given = variablesOf({ tracing: { endpoint: 'http://collector:4318', parentBased: false, propagate: false } });
    expect(given.get('OTEL_TRACES_SAMPLER')?.value).toBe('traceidratio');
    expect(given.get('OTEL_TRACES_SAMPLER_ARG')?.value).toBe('1');
    expect(given.get('OTEL_PROPAGATORS')?.value).toBe('none');
    expect(given.has('OTEL_EXPORTER_OTLP_HEADERS')).toBe(false);
  });
});
