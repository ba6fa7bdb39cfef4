/** Variables of the store of documents of the request log: docs/behaviour/request-logs.md#a-store-of-documents. */
import { LOG_STORES, PATH_FORMATS } from '@gatehouse/crds/logs';
import { z } from 'zod';

const text = (description: string) => z.string().max(4_096).optional().meta({ description });
const ms = (fallback: number, description: string) =>
  z.coerce.number().int().min(1).max(86_400_000).default(fallback).meta({ description });

/** Longest list of certificates, in characters. */
const MAX_CA: number = 256 * 1024;

export const LOG_STORE_VARIABLES = {
  LOG_STORE: z.enum(LOG_STORES).default('control_plane').meta({
    description:
      'where documents of the request log are: in its database (control_plane), in a bucket of AWS (s3, or s3_assume, which needs LOG_STORE_AWS_ROLE_ARN), in one behind LOG_STORE_BASEPATH (s3_custom, netapp) or of Wasabi (wasabi), or in a folder of the machine (folder)',
  }),
  LOG_STORE_GENERATIONS_BUCKET: text('name of the bucket with documents of the request log'),
  LOG_STORE_REGION: text('region of the bucket; us-east-1 when unset'),
  LOG_STORE_BASEPATH: text(
    'address of the store with the API of S3, http:// or https://; the bucket is put into the path',
  ),
  LOG_STORE_ACCESS_KEY: text('key id for the bucket; the identity of the pod when unset'),
  LOG_STORE_SECRET_KEY: text('secret key for the bucket'),
  LOG_STORE_AWS_ROLE_ARN: text(
    'ARN of the role that is assumed for the bucket, with the key pair or the identity of the pod; none is when unset',
  ),
  LOG_STORE_AWS_EXTERNAL_ID: text('external id that this role asks for'),
  LOG_STORE_CA: z
    .string()
    .max(MAX_CA)
    .regex(/-----BEGIN CERTIFICATE-----/, 'expected certificates as PEM')
    .optional()
    .meta({ description: 'certificate authorities of the store as PEM; those for providers when unset' }),
  LOG_STORE_FILE_PATH_FORMAT: z.enum(PATH_FORMATS).default('v1').meta({
    description: 'names of documents: DAYS/ORGANISATION/ID.json (v1), or with workspace and hour before the id (v2)',
  }),
  LOG_STORE_OBJECT_LOCK_RETENTION_ENABLED: z.enum(['true', 'false']).default('false').meta({
    description:
      'true locks documents in the bucket, in governance mode, for GATEHOUSE_LOGS_RETENTION_DAYS; the bucket needs Object Lock',
  }),
  LOG_STORE_CONNECTION_FAILURE_THRESHOLD: z.coerce.number().int().min(1).max(10_000).default(5).meta({
    description: 'consecutive failures after which documents are no longer sent to the store',
  }),
  LOG_STORE_CONNECTION_BACKOFF_MS: ms(
    60_000,
    'how long no document is sent then, in ms; the next one probes the store',
  ),
  LOG_STORE_CONNECTION_TIMEOUT_MS: ms(15_000, 'longest call of the store, in ms'),
  GATEHOUSE_LOGS_DIR: text('folder of documents with LOG_STORE=folder, which gateways of one machine may share'),
  SSE_ENCRYPTION_TYPE: z.enum(['AES256', 'aws:kms']).optional().meta({
    description: 'how the bucket encrypts documents; as it does by itself when unset',
  }),
  KMS_KEY_ID: text('id or ARN of the key with SSE_ENCRYPTION_TYPE=aws:kms; that of the account when unset'),
} as const;
