/** How buckets of the deployment are reached. */
import { createLastingCredentials } from '@gatehouse/crds';
import { type BucketSettings, createEnvReader, type GatewaySettings, type Variables } from '../config/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import type { S3Ports } from '../object-storage/index.ts';
import { type AwsCredentials, storeCredentials } from '../providers/clouds/aws/index.ts';
import { createProviderServices } from '../providers/services.ts';
import { createHostPolicy, type HostPolicy } from '../upstream/host-guard/index.ts';
import { openClient } from './upstream-client.ts';

interface Bucket extends Pick<BucketSettings, 'keys' | 'role' | 'region' | 'endpoint'> {
  /** Certificate authorities as PEM; absent: those for providers. */
  readonly ca?: string | undefined;
}

/** With clients of its own. */
export function openBucketPorts(bucket: Bucket, settings: GatewaySettings, variables: Variables): S3Ports {
  const { keys, role, endpoint, ca } = bucket;
  const policy = bucketPolicy(settings, endpoint);
  const client = openClient(ca === undefined ? settings : { ...settings, ca }, policy);
  if (keys !== undefined && role === undefined) return { credentials: async () => keys, client, now: Date.now };
  // Whoever gives out identities is known by another authority.
  const forIdentity = ca === undefined ? client : openClient(settings, policy);
  const env = createEnvReader(variables);
  const servicesFor = createProviderServices({ client: forIdentity, limits: settings.limits, env, now: Date.now });
  return { credentials: credentialsOf(bucket, servicesFor), client, now: Date.now };
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

function credentialsOf(
  { keys, role, region }: Bucket,
  servicesFor: ReturnType<typeof createProviderServices>,
): () => Promise<AwsCredentials> {
  const identity = { keys, role: role && { roleArn: role.arn, externalId: role.externalId } };
  return createLastingCredentials({
    find: () => {
      const services = servicesFor('resource', createByteBudget(TOKEN_BYTES).open());
      return storeCredentials(identity, { services, region });
    },
    now: Date.now,
  });
}

/** Room for the answers of token services to one look-up. */
const TOKEN_BYTES = 4 * 1024 * 1024;
