/** Where files and batches of the gateway's own are: a bucket and a database for a fleet, a folder for one gateway. */
import { join } from 'node:path';
import { createJobFolder, createPostgresJobs, type JobStore } from '../batches/index.ts';
import type { GatewaySettings, Variables } from '../config/index.ts';
import { createObjectBucket, createObjectFolder, type ObjectStore } from '../object-storage/index.ts';
import { openBucketPorts } from './bucket.ts';

interface BatchStores {
  readonly objects: ObjectStore;
  readonly jobs: JobStore;
}

/** A text: what is missing, and how to get it. */
export function openBatchStores(settings: GatewaySettings, variables: Variables): BatchStores | string {
  const { batches, sidecarProfile, ca } = settings;
  if (sidecarProfile !== undefined) return 'sidecars have no store for them, their fleet may: send the request there';
  const { folder, database, bucket } = batches;
  if (bucket !== undefined && database !== undefined) {
    return {
      objects: createObjectBucket(bucket, openBucketPorts(bucket, settings, variables)),
      jobs: createPostgresJobs({ url: database.reveal(), ca }),
    };
  }
  if (bucket !== undefined) return missing('a database', 'stores.postgres', 'GATEHOUSE_BATCH_DATABASE_URL');
  if (database !== undefined) return missing('a bucket', 'stores.s3', 'GATEHOUSE_BATCH_S3_BUCKET');
  if (folder === undefined)
    return 'it has no store for them (GatewayFleet.spec.stores.s3 and postgres, or GATEHOUSE_BATCH_DIR)';
  return { objects: createObjectFolder(join(folder, 'objects')), jobs: createJobFolder(join(folder, 'jobs')) };
}

const missing = (what: string, field: string, variable: string): string =>
  `it lacks ${what} for them (GatewayFleet.spec.${field}, ${variable})`;
