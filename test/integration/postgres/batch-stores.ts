import { CREDENTIALS, REGION, type S3Server } from '../../conformance/batches/s3-server.ts';

/** The variables of a gateway over a database and a bucket. */
export const storesOf = (url: string, { endpoint }: S3Server): Readonly<Record<string, string>> => ({
  GATEHOUSE_BATCH_DATABASE_URL: url,
  GATEHOUSE_BATCH_S3_BUCKET: 'bucket',
  GATEHOUSE_BATCH_S3_REGION: REGION,
  GATEHOUSE_BATCH_S3_ENDPOINT: endpoint,
  GATEHOUSE_BATCH_S3_PATH_STYLE: 'true',
  GATEHOUSE_BATCH_S3_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
  GATEHOUSE_BATCH_S3_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  ...{ GATEHOUSE_BATCH_ROWS_AT_ONCE: '2', GATEHOUSE_BATCH_AT_PROVIDERS: 'false' },
});
