/** Variables of files and batches that the gateway keeps itself: docs/behaviour/managed-batches.md. */
import { z } from 'zod';

const count = (
  fallback: number,
  { min = 1, max }: { readonly min?: number; readonly max: number },
  description: string,
) => z.coerce.number().int().min(min).max(max).default(fallback).meta({ description });

const text = (description: string) => z.string().max(4_096).optional().meta({ description });

const MIB = 1024 * 1024;

export const BATCH_VARIABLES = {
  GATEHOUSE_BATCH_DIR: z.string().max(4_096).optional().meta({
    description:
      "folder of files and batches of the gateway's own, which one gateway uses alone; `gatehouse standalone` has them in its data folder",
  }),
  GATEHOUSE_BATCH_DATABASE_URL: text(
    "PostgreSQL with the jobs of files and batches of the gateway's own, for several gateways, postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=verify-full; the bucket is then required",
  ),
  GATEHOUSE_BATCH_S3_BUCKET: text("bucket with the bytes of files of the gateway's own; the database is then required"),
  GATEHOUSE_BATCH_S3_REGION: text('region of the bucket; us-east-1 when unset'),
  GATEHOUSE_BATCH_S3_ENDPOINT: text('address of a store with the API of S3 other than AWS, http:// or https://'),
  GATEHOUSE_BATCH_S3_PREFIX: text('text before the names of all objects in the bucket'),
  GATEHOUSE_BATCH_S3_PATH_STYLE: z
    .enum(['true', 'false'])
    .default('false')
    .meta({ description: 'true puts the bucket into the path instead of the host name' }),
  GATEHOUSE_BATCH_S3_ACCESS_KEY_ID: text('key id for the bucket; the identity of the pod when unset'),
  GATEHOUSE_BATCH_S3_SECRET_ACCESS_KEY: text('secret key for the bucket'),
  GATEHOUSE_BATCH_S3_ROLE_ARN: text(
    'ARN of the role of AWS that is assumed for the bucket, with the key pair or the identity of the pod; none is when unset',
  ),
  GATEHOUSE_BATCH_S3_EXTERNAL_ID: text('external id that this role asks for'),
  GATEHOUSE_BATCH_MAX_FILE_BYTES: count(
    512 * MIB,
    { max: 68_719_476_736 },
    "largest file of the gateway's own; larger ones get 413",
  ),
  GATEHOUSE_BATCH_MAX_FILES: count(1_000, { max: 100_000 }, "files of the gateway's own that a workspace may have"),
  GATEHOUSE_BATCH_MAX_ROWS: count(50_000, { max: 1_000_000 }, "rows of a batch of the gateway's own"),
  GATEHOUSE_BATCH_MAX_ROW_BYTES: count(4 * MIB, { min: 1_024, max: 64 * MIB }, 'longest row of a batch, in bytes'),
  GATEHOUSE_BATCH_MAX_OPEN: count(100, { max: 10_000 }, 'batches of a workspace that may be under way'),
  GATEHOUSE_BATCH_RETENTION_DAYS: count(
    30,
    { max: 3_650 },
    "files and batches of the gateway's own are deleted after so many days",
  ),
  GATEHOUSE_BATCH_AT_PROVIDERS: z.enum(['true', 'false']).default('true').meta({
    description:
      'false: the gateway asks for all rows itself, at the usual price; else providers run batches with the window 24h whose rows have one account',
  }),
  GATEHOUSE_BATCH_ROWS_AT_ONCE: count(8, { max: 1_000 }, 'rows of one batch that are asked for at the same time'),
  GATEHOUSE_BATCH_ROWS_PER_PROCESS: count(
    32,
    { min: 0, max: 10_000 },
    'rows of all batches that one process asks for at the same time; 0: it works on no batch',
  ),
} as const;
