/** The identity of the machine or pod: steps of the standard credential chain of AWS SDKs. */

import { isObject } from '@gatehouse/crds';
import { cancelAfter } from '../../../lib/cancellation.ts';
import { readJson } from '../../../lib/json/index.ts';
import { Secret } from '../../../lib/secret.ts';
import type { SideAnswer, SideRequest } from '../../contract.ts';
import { unavailable } from '../unavailable.ts';
import { type AwsCredentials, parseTime } from './credentials.ts';
import { readSmallFile } from './small-file.ts';
import { assumeRoleWithWebIdentity, type StsContext } from './sts.ts';

const CONTAINER_ORIGIN = 'http://169.254.170.2';
const INSTANCE_ORIGIN = 'http://169.254.169.254';
/** Metadata services answer within milliseconds: a longer wait means there is none. */
const METADATA_TIMEOUT_MS = 2_000;
const MAX_ANSWER_BYTES = 64 * 1024;
/** Lifetime of an instance metadata token, in seconds; it is used at once. */
const METADATA_TOKEN_SECONDS = '60';

/** Credentials of a role for a projected service account token (IRSA). */
export async function webIdentityCredentials(context: StsContext): Promise<AwsCredentials | undefined> {
  const { env } = context.services;
  const file = env('AWS_WEB_IDENTITY_TOKEN_FILE');
  const roleArn = env('AWS_ROLE_ARN');
  if (file === undefined || roleArn === undefined) return undefined;
  const token = await readSmallFile(file);
  if (token === undefined || token === '') throw unavailable('The web identity token file cannot be read');
  return assumeRoleWithWebIdentity({ roleArn, token, sessionName: env('AWS_ROLE_SESSION_NAME') }, context);
}

/** Credentials from the endpoint of EKS pod identity or a container runtime. */
export async function containerCredentials(context: StsContext): Promise<AwsCredentials | undefined> {
  const { env } = context.services;
  const relative = env('AWS_CONTAINER_CREDENTIALS_RELATIVE_URI');
  const url =
    env('AWS_CONTAINER_CREDENTIALS_FULL_URI') ?? (relative === undefined ? undefined : CONTAINER_ORIGIN + relative);
  if (url === undefined) return undefined;
  const file = env('AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE');
  const token = file === undefined ? env('AWS_CONTAINER_AUTHORIZATION_TOKEN') : await readSmallFile(file);
  if (file !== undefined && token === undefined) throw unavailable('The container token file cannot be read');
  const headers = token === undefined ? {} : { authorization: token };
  const answer = await askMetadata({ method: 'GET', url, headers }, context);
  if (answer?.status !== 200) throw unavailable('The container credentials endpoint gave no credentials');
  return readCredentials(answer);
}

/** The role of the virtual machine, with a session token unless the older version is allowed. */
export async function instanceCredentials(context: StsContext): Promise<AwsCredentials | undefined> {
  const { env } = context.services;
  if (env('AWS_EC2_METADATA_DISABLED') === 'true') return undefined;
  const origin = env('AWS_EC2_METADATA_SERVICE_ENDPOINT') ?? INSTANCE_ORIGIN;
  const token = await instanceToken(origin, context);
  if (token === undefined && env('AWS_IMDS_V1') !== 'true') return undefined;
  const headers = token === undefined ? {} : { 'x-aws-ec2-metadata-token': token };
  const url = `${origin}/latest/meta-data/iam/security-credentials/`;
  const roles = await askMetadata({ method: 'GET', url, headers }, context);
  const role = roles?.status === 200 ? roles.body.toString('utf8').split('\n', 1)[0]?.trim() : undefined;
  if (role === undefined || role === '') return undefined;
  const answer = await askMetadata({ method: 'GET', url: url + encodeURIComponent(role), headers }, context);
  return answer?.status === 200 ? readCredentials(answer) : undefined;
}

async function instanceToken(origin: string, context: StsContext): Promise<string | undefined> {
  const headers = { 'x-aws-ec2-metadata-token-ttl-seconds': METADATA_TOKEN_SECONDS };
  const answer = await askMetadata({ method: 'PUT', url: `${origin}/latest/api/token`, headers }, context);
  return answer?.status === 200 ? answer.body.toString('utf8').trim() : undefined;
}

interface MetadataRequest {
  readonly method: 'GET' | 'PUT';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Undefined without an answer: the process does not run there. */
async function askMetadata(request: MetadataRequest, { services }: StsContext): Promise<SideAnswer | undefined> {
  const side: SideRequest = { ...request, metadata: true, maxBytes: MAX_ANSWER_BYTES };
  const signal = cancelAfter(METADATA_TIMEOUT_MS);
  return services.fetch(side, { signal }).catch(() => undefined);
}

/** The shape common to all metadata services. */
function readCredentials(answer: SideAnswer): AwsCredentials | undefined {
  const body = parseBody(answer);
  const text = (key: string): string | undefined => (typeof body[key] === 'string' ? body[key] : undefined);
  const accessKeyId = text('AccessKeyId');
  const secretAccessKey = text('SecretAccessKey');
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const token = text('Token');
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: token === undefined ? undefined : new Secret(token),
    expiresAtMs: parseTime(text('Expiration')),
    roleArn: text('RoleArn'),
  };
}

function parseBody(answer: SideAnswer): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = readJson(answer.body);
    return isObject(body) ? body : {};
  } catch {
    return {};
  }
}
