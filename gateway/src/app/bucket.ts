/** How buckets of the deployment are reached. */
import { type BucketSettings, createEnvReader, type GatewaySettings, type Variables } from '../config/index.ts';
import { createByteBudget } from '../lib/byte-budget.ts';
import type { S3Ports } from '../object-storage/index.ts';
import { type AwsCredentials, machineCredentials } from '../providers/clouds/aws/index.ts';
import { createProviderServices } from '../providers/services.ts';
import { createHostPolicy, type HostPolicy } from '../upstream/host-guard/index.ts';
import type { UpstreamClient } from '../upstream/index.ts';
import { openClient } from './upstream-client.ts';

interface Bucket extends Pick<BucketSettings, 'keys' | 'region' | 'endpoint'> {
  /** Certificate authorities as PEM; absent: those for providers. */
  readonly ca?: string | undefined;
}

/** With a client of its own. */
export function openBucketPorts(
  { keys, region, endpoint, ca }: Bucket,
  settings: GatewaySettings,
  variables: Variables,
): S3Ports {
  const policy = bucketPolicy(settings, endpoint);
  const client = openClient(ca === undefined ? settings : { ...settings, ca }, policy);
  // Whoever gives out identities is known by another authority.
  const forIdentity = () => (ca === undefined ? client : openClient(settings, policy));
  const credentials =
    keys === undefined ? podIdentity(forIdentity(), settings, { variables, region }) : async () => keys;
  return { credentials, client, now: Date.now };
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
