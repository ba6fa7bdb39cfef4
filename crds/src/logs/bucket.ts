/** The bucket with the documents of the request log, as variables name it for gateways and the management API. */
import { type AwsRole, awsRoleOf } from '../lib/aws-role.ts';
import { HTTP_ADDRESS, isHttpAddress } from '../lib/http-address.ts';
import { err, ok, type Result } from '../lib/result.ts';

export const LOG_STORES = ['control_plane', 's3', 's3_assume', 's3_custom', 'wasabi', 'netapp', 'folder'] as const;
export type LogStoreKind = (typeof LOG_STORES)[number];

/** Values as they were given. */
export interface LogBucketVariables {
  readonly kind: Exclude<LogStoreKind, 'control_plane' | 'folder'>;
  readonly bucket: string | undefined;
  readonly region: string | undefined;
  readonly basePath: string | undefined;
  readonly roleArn: string | undefined;
  readonly externalId: string | undefined;
}

export interface LogBucket {
  readonly bucket: string;
  readonly region: string;
  /** Undefined: AWS. */
  readonly endpoint: string | undefined;
  /** The bucket is in the path and not in the host name. */
  readonly forcePathStyle: boolean;
  /** Assumed with the key pair or the identity of the pod; undefined: these are used themselves. */
  readonly role: AwsRole | undefined;
}

const NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const REGION = /^[a-z0-9][a-z0-9-]{0,62}$/;

/** An error begins with the variable and never repeats a value. */
export function logBucketOf({
  kind,
  bucket,
  region = 'us-east-1',
  basePath,
  ...given
}: LogBucketVariables): Result<LogBucket, string> {
  if (bucket === undefined) return err('LOG_STORE_GENERATIONS_BUCKET: is required with this LOG_STORE');
  if (!NAME.test(bucket)) return err('LOG_STORE_GENERATIONS_BUCKET: expected the name of a bucket');
  if (!REGION.test(region)) return err('LOG_STORE_REGION: expected the name of a region');
  if (basePath !== undefined && !isHttpAddress(basePath)) {
    return err(`LOG_STORE_BASEPATH: expected ${HTTP_ADDRESS}`);
  }
  const role = roleOf(kind, given);
  if (!role.ok) return role;
  const isCustom = kind === 's3_custom' || kind === 'netapp';
  if (isCustom && basePath === undefined) return err('LOG_STORE_BASEPATH: is required with this LOG_STORE');
  const endpoint = basePath ?? (kind === 'wasabi' ? `https://s3.${region}.wasabisys.com` : undefined);
  return ok({ bucket, region, endpoint, forcePathStyle: isCustom || bucket.includes('.'), role: role.value });
}

/** What is wrong where documents are in no bucket, for which a role would have no effect. */
export function unusedRoleOf({
  roleArn,
  externalId,
}: Pick<LogBucketVariables, 'roleArn' | 'externalId'>): string | undefined {
  const name = roleArn === undefined ? ROLE.externalId : ROLE.arn;
  return roleArn === undefined && externalId === undefined
    ? undefined
    : `${name}: has no effect with this LOG_STORE; it is for s3, s3_assume and s3_custom`;
}

const ROLE = { arn: 'LOG_STORE_AWS_ROLE_ARN', externalId: 'LOG_STORE_AWS_EXTERNAL_ID' } as const;
/** Stores whose identities are not those of AWS. */
const WITHOUT_ROLES: ReadonlySet<LogStoreKind> = new Set(['wasabi', 'netapp']);

function roleOf(
  kind: LogStoreKind,
  { roleArn: arn, externalId }: Pick<LogBucketVariables, 'roleArn' | 'externalId'>,
): Result<AwsRole | undefined, string> {
  const role = awsRoleOf({ arn, externalId }, ROLE);
  if (!role.ok) return role;
  if (role.value === undefined && kind === 's3_assume') return err(`${ROLE.arn}: is required with this LOG_STORE`);
  return role.value !== undefined && WITHOUT_ROLES.has(kind) ? err(`${ROLE.arn}: this LOG_STORE has no roles`) : role;
}
