/** Files and batches of the gateway's own: their bounds, and where they are kept. */
import { type AwsRole, awsRoleOf } from '@gatehouse/crds';
import { parsePostgresUrl } from '@gatehouse/crds/sql';
import type { BatchSettings } from '../batches/index.ts';
import { Secret } from '../lib/secret.ts';
import type { S3Settings } from '../object-storage/index.ts';
import type { Environment } from './env.ts';

/** Where files and batches are; undefined parts are not set. */
export interface BatchStoreSettings {
  readonly folder: string | undefined;
  /** URL of PostgreSQL. */
  readonly database: Secret | undefined;
  readonly bucket: BucketSettings | undefined;
}

export interface BucketSettings extends S3Settings {
  readonly keys: BucketKeys | undefined;
  /** Assumed with the key pair or the identity of the pod; undefined: these are used themselves. */
  readonly role: AwsRole | undefined;
}

/** A key pair; absent: the identity of the pod. */
export interface BucketKeys {
  readonly accessKeyId: string;
  readonly secretAccessKey: Secret;
}

const DAY_MS = 86_400_000;

/** Throws an Error that names the variable. */
export const batchesOf = (env: Environment): BatchSettings & BatchStoreSettings => ({
  folder: env.GATEHOUSE_BATCH_DIR,
  database: databaseOf(env),
  bucket: bucketOf(env),
  maxFileBytes: env.GATEHOUSE_BATCH_MAX_FILE_BYTES,
  maxFiles: env.GATEHOUSE_BATCH_MAX_FILES,
  maxRows: env.GATEHOUSE_BATCH_MAX_ROWS,
  maxRowBytes: env.GATEHOUSE_BATCH_MAX_ROW_BYTES,
  maxOpenBatches: env.GATEHOUSE_BATCH_MAX_OPEN,
  retentionMs: env.GATEHOUSE_BATCH_RETENTION_DAYS * DAY_MS,
  atProviders: env.GATEHOUSE_BATCH_AT_PROVIDERS === 'true',
  rowsPerBatch: env.GATEHOUSE_BATCH_ROWS_AT_ONCE,
  rowsPerProcess: env.GATEHOUSE_BATCH_ROWS_PER_PROCESS,
});

function databaseOf({ GATEHOUSE_BATCH_DATABASE_URL: url, TLS_CA: ca }: Environment): Secret | undefined {
  if (url === undefined) return undefined;
  const parsed = parsePostgresUrl({ url, ca });
  if (!parsed.ok) throw new Error(`Invalid environment: GATEHOUSE_BATCH_DATABASE_URL: ${parsed.error}`);
  return new Secret(url);
}

function bucketOf(env: Environment): BatchStoreSettings['bucket'] {
  const { GATEHOUSE_BATCH_S3_BUCKET: bucket, GATEHOUSE_BATCH_S3_ENDPOINT: endpoint } = env;
  if (bucket === undefined) return undefined;
  if (endpoint !== undefined && !/^https?:$/.test(URL.canParse(endpoint) ? new URL(endpoint).protocol : '')) {
    throw new Error('Invalid environment: GATEHOUSE_BATCH_S3_ENDPOINT: expected http:// or https:// and a host');
  }
  return {
    bucket,
    endpoint,
    region: env.GATEHOUSE_BATCH_S3_REGION ?? 'us-east-1',
    prefix: env.GATEHOUSE_BATCH_S3_PREFIX,
    forcePathStyle: env.GATEHOUSE_BATCH_S3_PATH_STYLE === 'true',
    keys: keysOf(env),
    role: roleOf(env),
  };
}

function roleOf(env: Environment): AwsRole | undefined {
  const names = { arn: 'GATEHOUSE_BATCH_S3_ROLE_ARN', externalId: 'GATEHOUSE_BATCH_S3_EXTERNAL_ID' } as const;
  const role = awsRoleOf({ arn: env[names.arn], externalId: env[names.externalId] }, names);
  if (!role.ok) throw new Error(`Invalid environment: ${role.error}`);
  return role.value;
}

function keysOf(env: Environment): BucketKeys | undefined {
  const { GATEHOUSE_BATCH_S3_ACCESS_KEY_ID: id, GATEHOUSE_BATCH_S3_SECRET_ACCESS_KEY: secret } = env;
  if (id === undefined && secret === undefined) return undefined;
  if (id !== undefined && secret !== undefined) return { accessKeyId: id, secretAccessKey: new Secret(secret) };
  throw new Error(
    'Invalid environment: GATEHOUSE_BATCH_S3_ACCESS_KEY_ID and GATEHOUSE_BATCH_S3_SECRET_ACCESS_KEY go together',
  );
}
