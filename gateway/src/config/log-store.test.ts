import { expect, test } from 'vitest';
import { readEnvironment, toSettings } from './index.ts';

const BASE = { GATEHOUSE_LOGS_DATABASE_URL: 'postgres://ada:secret@db/logs' };
const PEM = '-----BEGIN CERTIFICATE-----';
const ROLE = 'arn:aws:iam::123456789012:role/logs';
const BUCKET = { LOG_STORE: 's3', LOG_STORE_GENERATIONS_BUCKET: 'logs' };
const documentsOf = (variables: Readonly<Record<string, string>>) =>
  toSettings(readEnvironment({ ...BASE, ...variables })).requestLog?.documents;

test('documents are in the database unless another store is named', () => {
  expect(documentsOf({})).toBeUndefined();
  expect(documentsOf({ LOG_STORE: 'control_plane' })).toBeUndefined();
});

test('a bucket of AWS, with the bounds of the specification', () => {
  expect(documentsOf(BUCKET)).toEqual({
    place: {
      kind: 'bucket',
      bucket: { bucket: 'logs', region: 'us-east-1', forcePathStyle: false, isLocked: false },
    },
    ...{ format: 'v1', retentionDays: 30, uploads: { failures: 5, pauseMs: 60_000, timeoutMs: 15_000 } },
  });
});

test('a bucket of another store, encrypted and locked; its secret is in no text', () => {
  const documents = documentsOf({
    ...{ ...BUCKET, LOG_STORE: 's3_custom', LOG_STORE_BASEPATH: 'http://minio:9000', LOG_STORE_FILE_PATH_FORMAT: 'v2' },
    ...{ LOG_STORE_ACCESS_KEY: 'AKID', LOG_STORE_SECRET_KEY: 'very-secret', LOG_STORE_CA: PEM },
    ...{ SSE_ENCRYPTION_TYPE: 'aws:kms', KMS_KEY_ID: 'alias/logs', LOG_STORE_OBJECT_LOCK_RETENTION_ENABLED: 'true' },
  });
  expect(documents).toMatchObject({
    place: {
      bucket: {
        ...{ endpoint: 'http://minio:9000', forcePathStyle: true, keys: { accessKeyId: 'AKID' }, ca: PEM },
        ...{ encryption: 'aws:kms', kmsKeyId: 'alias/logs', isLocked: true },
      },
    },
    format: 'v2',
  });
  expect(JSON.stringify(documents)).not.toContain('very-secret');
});

test.for(['s3', 's3_assume'])('a role for a bucket of %s', (kind) => {
  const given = { ...BUCKET, LOG_STORE: kind, LOG_STORE_AWS_ROLE_ARN: ROLE, LOG_STORE_AWS_EXTERNAL_ID: 'gateway' };
  expect(documentsOf(given)).toMatchObject({
    place: { bucket: { role: { arn: ROLE, externalId: 'gateway' }, forcePathStyle: false } },
  });
});

test('a folder', () => {
  expect(documentsOf({ LOG_STORE: 'folder', GATEHOUSE_LOGS_DIR: '/logs' })?.place).toEqual({
    ...{ kind: 'folder', folder: '/logs' },
  });
});

test.for<{ readonly name: string; readonly given: Readonly<Record<string, string>> }>([
  { name: 'LOG_STORE', given: { LOG_STORE: 'mongo' } },
  { name: 'LOG_STORE_GENERATIONS_BUCKET', given: { LOG_STORE: 's3' } },
  { name: 'LOG_STORE_GENERATIONS_BUCKET', given: { ...BUCKET, LOG_STORE_GENERATIONS_BUCKET: '../etc' } },
  { name: 'LOG_STORE_REGION', given: { ...BUCKET, LOG_STORE_REGION: 'evil.host/' } },
  { name: 'LOG_STORE_BASEPATH', given: { ...BUCKET, LOG_STORE: 's3_custom' } },
  { name: 'LOG_STORE_BASEPATH', given: { ...BUCKET, LOG_STORE_BASEPATH: 'https://ada:very-secret@minio' } },
  { name: 'LOG_STORE_CA', given: { ...BUCKET, LOG_STORE_CA: 'very-secret' } },
  { name: 'LOG_STORE_SECRET_KEY', given: { ...BUCKET, LOG_STORE_SECRET_KEY: 'very-secret' } },
  { name: 'LOG_STORE_AWS_ROLE_ARN', given: { ...BUCKET, LOG_STORE: 's3_assume' } },
  { name: 'LOG_STORE_AWS_ROLE_ARN', given: { ...BUCKET, LOG_STORE_AWS_ROLE_ARN: 'very-secret' } },
  { name: 'LOG_STORE_AWS_ROLE_ARN', given: { ...BUCKET, LOG_STORE: 'wasabi', LOG_STORE_AWS_ROLE_ARN: ROLE } },
  { name: 'LOG_STORE_AWS_ROLE_ARN', given: { LOG_STORE_AWS_ROLE_ARN: ROLE } },
  { name: 'LOG_STORE_AWS_EXTERNAL_ID', given: { LOG_STORE_AWS_EXTERNAL_ID: 'very-secret' } },
  {
    name: 'LOG_STORE_AWS_ROLE_ARN',
    given: { LOG_STORE: 'folder', GATEHOUSE_LOGS_DIR: '/logs', LOG_STORE_AWS_ROLE_ARN: ROLE },
  },
  { name: 'LOG_STORE_AWS_EXTERNAL_ID', given: { ...BUCKET, LOG_STORE_AWS_EXTERNAL_ID: 'very-secret' } },
  {
    name: 'LOG_STORE_AWS_EXTERNAL_ID',
    given: { ...BUCKET, LOG_STORE_AWS_ROLE_ARN: ROLE, LOG_STORE_AWS_EXTERNAL_ID: 'very-secret ' },
  },
  { name: 'GATEHOUSE_LOGS_DIR', given: { LOG_STORE: 'folder' } },
  { name: 'KMS_KEY_ID', given: { ...BUCKET, KMS_KEY_ID: 'very-secret' } },
  {
    name: 'LOG_STORE_OBJECT_LOCK_RETENTION_ENABLED',
    given: { ...BUCKET, LOG_STORE_OBJECT_LOCK_RETENTION_ENABLED: 'true', GATEHOUSE_LOGS_RETENTION_DAYS: '0' },
  },
  { name: 'LOG_STORE_CONNECTION_TIMEOUT_MS', given: { LOG_STORE_CONNECTION_TIMEOUT_MS: '0' } },
])('a bad $name is an error that names it, without its value', ({ name, given }) => {
  expect(() => documentsOf(given)).toThrow(name);
  expect(() => documentsOf(given)).not.toThrow('very-secret');
});
