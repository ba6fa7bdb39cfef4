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
      content: true,
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
      OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
    };
    for (const [name, value] of Object.entries(values)) expect(given.get(name)?.value, name).toBe(value);
  });

  test('says where the request log is', () => {
    const urlSecretRef = { name: 'logs', key: 'url' };
    const given = variablesOf({ records: { clickhouse: { urlSecretRef }, retentionDays: 7, queueMebibytes: 2 } });
    expect(given.get('GATEHOUSE_LOGS_CLICKHOUSE_URL')?.valueFrom).toEqual({ secretKeyRef: urlSecretRef });
    expect(given.get('GATEHOUSE_LOGS_RETENTION_DAYS')?.value).toBe('7');
    expect(given.get('GATEHOUSE_LOGS_QUEUE_BYTES')?.value).toBe('2097152');
    expect(given.has('GATEHOUSE_LOGS_DATABASE_URL')).toBe(false);
    expect(given.has('GATEHOUSE_LOGS_DATABASE_BYTES')).toBe(false);
    const inPostgres = variablesOf({ records: { postgres: { urlSecretRef, maxMebibytes: 64 } } });
    expect(inPostgres.get('GATEHOUSE_LOGS_DATABASE_BYTES')?.value).toBe('67108864');
    expect(inPostgres.get('GATEHOUSE_LOGS_DATABASE_URL')?.valueFrom).toEqual({ secretKeyRef: urlSecretRef });
    expect(inPostgres.get('GATEHOUSE_LOGS_RETENTION_DAYS')?.value).toBe('30');
  });

  test('says where documents of the request log are', () => {
    const postgres = { urlSecretRef: { name: 'logs', key: 'url' } };
    const ofAws = variablesOf({ records: { postgres, s3: { bucket: 'logs', region: 'eu-central-1' } } });
    expect(ofAws.get('LOG_STORE')?.value).toBe('s3');
    for (const name of [
      'LOG_STORE_BASEPATH',
      'LOG_STORE_ACCESS_KEY',
      'LOG_STORE_CA',
      'SSE_ENCRYPTION_TYPE',
      'KMS_KEY_ID',
    ]) {
      expect(ofAws.has(name), name).toBe(false);
    }
    const s3 = {
      ...{ bucket: 'logs', region: 'eu-central-1', endpoint: 'http://minio:9000', pathFormat: 'V2' as const },
      ...{ encryption: 'KMS' as const, kmsKeyId: 'alias/logs', objectLock: true, secretRef: { name: 'minio' } },
      caSecretRef: { name: 'minio', key: 'ca.crt' },
      ...{ roleArn: 'arn:aws:iam::123456789012:role/logs', externalId: 'gateway' },
    };
    const given = variablesOf({ records: { postgres, s3 } });
    const values = {
      ...{ LOG_STORE: 's3_custom', LOG_STORE_GENERATIONS_BUCKET: 'logs', LOG_STORE_REGION: 'eu-central-1' },
      ...{ LOG_STORE_BASEPATH: 'http://minio:9000', LOG_STORE_FILE_PATH_FORMAT: 'v2' },
      ...{ LOG_STORE_AWS_ROLE_ARN: s3.roleArn, LOG_STORE_AWS_EXTERNAL_ID: 'gateway' },
      ...{ LOG_STORE_OBJECT_LOCK_RETENTION_ENABLED: 'true', SSE_ENCRYPTION_TYPE: 'aws:kms', KMS_KEY_ID: 'alias/logs' },
    };
    for (const [name, value] of Object.entries(values)) expect(given.get(name)?.value, name).toBe(value);
    expect(given.get('LOG_STORE_SECRET_KEY')?.valueFrom).toEqual({
      secretKeyRef: { name: 'minio', key: 'secretAccessKey' },
    });
    expect(given.get('LOG_STORE_CA')?.valueFrom).toEqual({ secretKeyRef: s3.caSecretRef });
  });

  test('says where files and batches are', () => {
    const s3 = {
      ...{
        bucket: 'batches',
        region: 'eu-central-1',
        endpoint: 'http://minio:9000',
        prefix: 'p/',
        forcePathStyle: true,
        roleArn: 'arn:aws:iam::123456789012:role/batches',
        externalId: 'gateway',
      },
      secretRef: { name: 'minio' },
    };
    const given = variablesOf({ stores: { postgres: { urlSecretRef: { name: 'sql', key: 'url' } }, s3 } });
    const ref = (name: string, key: string) => ({ valueFrom: { secretKeyRef: { name, key } } });
    expect(given.get('GATEHOUSE_BATCH_DATABASE_URL')).toMatchObject(ref('sql', 'url'));
    expect(given.get('GATEHOUSE_BATCH_S3_ACCESS_KEY_ID')).toMatchObject(ref('minio', 'accessKeyId'));
    expect(given.get('GATEHOUSE_BATCH_S3_SECRET_ACCESS_KEY')).toMatchObject(ref('minio', 'secretAccessKey'));
    const texts = {
      BUCKET: 'batches',
      REGION: 'eu-central-1',
      ENDPOINT: 'http://minio:9000',
      PREFIX: 'p/',
      PATH_STYLE: 'true',
      ROLE_ARN: s3.roleArn,
      EXTERNAL_ID: 'gateway',
    };
    for (const [name, value] of Object.entries(texts))
      expect(given.get(`GATEHOUSE_BATCH_S3_${name}`)?.value).toBe(value);
    expect([...variablesOf({}).keys()].filter((name) => name.includes('BATCH'))).toEqual([]);
  });

  test('leaves clients and providers out of it where the fleet says so', () => {
    const given = variablesOf({ tracing: { endpoint: 'http://collector:4318', parentBased: false, propagate: false } });
    expect(given.has('OTEL_EXPORTER_OTLP_PROTOCOL')).toBe(false);
    const overGrpc = variablesOf({ tracing: { endpoint: 'http://collector:4317', protocol: 'GRPC' } });
    expect(overGrpc.get('OTEL_EXPORTER_OTLP_PROTOCOL')?.value).toBe('grpc');
    expect(given.get('OTEL_TRACES_SAMPLER')?.value).toBe('traceidratio');
    expect(given.get('OTEL_TRACES_SAMPLER_ARG')?.value).toBe('1');
    expect(given.get('OTEL_PROPAGATORS')?.value).toBe('none');
    expect(given.has('OTEL_EXPORTER_OTLP_HEADERS')).toBe(false);
  });
});
