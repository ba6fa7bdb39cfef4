/** Where files and batches of the gateway's own are: a bucket and a database for a fleet, a folder for one gateway. */
import { join } from 'node:path';
import {
  createJobFolder,
  createObjectBucket,
  createObjectFolder,
  createPostgresJobs,
  type JobStore,
  type ObjectStore,
} from '../batches/index.ts';
import { createEnvReader, type GatewaySettings, type Variables } from '../config/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import { type AwsCredentials, machineCredentials } from '../providers/clouds/aws/index.ts';
import { createProviderServices } from '../providers/services.ts';
import { createHostPolicy, type HostPolicy } from '../upstream/host-guard/index.ts';
import type { UpstreamClient } from '../upstream/index.ts';
import { openClient } from './upstream-client.ts';

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
      objects: openBucket(bucket, settings, variables),
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

function openBucket(
  { keys, ...bucket }: NonNullable<GatewaySettings['batches']['bucket']>,
  settings: GatewaySettings,
  variables: Variables,
): ObjectStore {
  const client = openClient(settings, bucketPolicy(settings, bucket.endpoint));
  const { region } = bucket;
  const credentials = keys === undefined ? podIdentity(client, settings, { variables, region }) : async () => keys;
  return createObjectBucket(bucket, { credentials, client, now: Date.now });
}

/** The address of the bucket is the deployment's own, in the cluster or not: nothing in a call chooses it. */
function bucketPolicy({ apiServer }: GatewaySettings, endpoint: string | undefined): HostPolicy {
  const host = endpoint === undefined ? undefined : new URL(endpoint).hostname;
  return createHostPolicy({
    trustedCustomHosts: host ?? '',
    production: true,
    ...(apiServer === undefined ? {} : { apiServer }),
  });
}

function podIdentity(
  client: UpstreamClient,
  { limits }: GatewaySettings,
  { variables, region }: { readonly variables: Variables; readonly region: string },
): () => Promise<AwsCredentials> {
  const env = createEnvReader(variables);
  const servicesFor = createProviderServices({ client, limits, env, now: Date.now });
  const services = () => servicesFor('resource', createByteBudget(TOKEN_BYTES).open());
  return () => machineCredentials({ services: services(), region });
}

/** Room for the answers of token services to one look-up. */
const TOKEN_BYTES = 4 * 1024 * 1024;
