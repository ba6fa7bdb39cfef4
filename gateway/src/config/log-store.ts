/** Where documents of the request log are, if not in its database. */
import { logBucketOf, type PathFormat, unusedRoleOf } from '@gatehouse/crds/logs';
import { Secret } from '../lib/secret.ts';
import type { BucketOptions, UploadSettings } from '../request-log/index.ts';
import type { BucketKeys, BucketSettings } from './batches.ts';
import type { Environment } from './env.ts';

export interface DocumentBucket extends BucketSettings, BucketOptions {
  /** Certificate authorities of the store as PEM; undefined: those for providers. */
  readonly ca: string | undefined;
}

export interface DocumentSettings {
  readonly place:
    | { readonly kind: 'bucket'; readonly bucket: DocumentBucket }
    | { readonly kind: 'folder'; readonly folder: string };
  readonly format: PathFormat;
  /** 0: for ever. */
  readonly retentionDays: number;
  readonly uploads: UploadSettings;
}

/** Undefined: they are in the database. Throws an Error that names the variable. */
export function documentsOf(env: Environment): DocumentSettings | undefined {
  const place = placeOf(env);
  return (
    place && {
      place,
      format: env.LOG_STORE_FILE_PATH_FORMAT,
      retentionDays: env.GATEHOUSE_LOGS_RETENTION_DAYS,
      uploads: {
        failures: env.LOG_STORE_CONNECTION_FAILURE_THRESHOLD,
        pauseMs: env.LOG_STORE_CONNECTION_BACKOFF_MS,
        timeoutMs: env.LOG_STORE_CONNECTION_TIMEOUT_MS,
      },
    }
  );
}

function placeOf(env: Environment): DocumentSettings['place'] | undefined {
  const { LOG_STORE: kind, GATEHOUSE_LOGS_DIR: folder } = env;
  if (kind !== 'control_plane' && kind !== 'folder') return { kind: 'bucket', bucket: bucketOf(env, kind) };
  const unused = unusedRoleOf({ roleArn: env.LOG_STORE_AWS_ROLE_ARN, externalId: env.LOG_STORE_AWS_EXTERNAL_ID });
  if (unused !== undefined) throw invalid(unused);
  if (kind === 'control_plane') return undefined;
  if (folder === undefined) throw invalid('GATEHOUSE_LOGS_DIR: is required with LOG_STORE=folder');
  return { kind: 'folder', folder };
}

function bucketOf(env: Environment, kind: Parameters<typeof logBucketOf>[0]['kind']): DocumentBucket {
  const bucket = logBucketOf({
    kind,
    bucket: env.LOG_STORE_GENERATIONS_BUCKET,
    region: env.LOG_STORE_REGION,
    basePath: env.LOG_STORE_BASEPATH,
    roleArn: env.LOG_STORE_AWS_ROLE_ARN,
    externalId: env.LOG_STORE_AWS_EXTERNAL_ID,
  });
  if (!bucket.ok) throw invalid(bucket.error);
  const { SSE_ENCRYPTION_TYPE: encryption, KMS_KEY_ID: kmsKeyId } = env;
  if (kmsKeyId !== undefined && (encryption !== 'aws:kms' || !/^[\x21-\x7e]+$/.test(kmsKeyId))) {
    throw invalid('KMS_KEY_ID: expected the id of a key, together with SSE_ENCRYPTION_TYPE=aws:kms');
  }
  const isLocked = env.LOG_STORE_OBJECT_LOCK_RETENTION_ENABLED === 'true';
  if (isLocked && env.GATEHOUSE_LOGS_RETENTION_DAYS === 0) {
    throw invalid('LOG_STORE_OBJECT_LOCK_RETENTION_ENABLED: needs GATEHOUSE_LOGS_RETENTION_DAYS of a day at least');
  }
  return { ...bucket.value, keys: keysOf(env), ca: env.LOG_STORE_CA, encryption, kmsKeyId, isLocked };
}

function keysOf({ LOG_STORE_ACCESS_KEY: id, LOG_STORE_SECRET_KEY: secret }: Environment): BucketKeys | undefined {
  if (id === undefined && secret === undefined) return undefined;
  if (id !== undefined && secret !== undefined) return { accessKeyId: id, secretAccessKey: new Secret(secret) };
  throw invalid('LOG_STORE_ACCESS_KEY and LOG_STORE_SECRET_KEY go together');
}

const invalid = (problem: string): Error => new Error(`Invalid environment: ${problem}`);
