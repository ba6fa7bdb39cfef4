/** Resolves the signing credentials from a target's fields and the environment. */
import { createHash } from 'node:crypto';
import { Secret } from '../../../lib/secret.ts';
import type { AuthorizerContext, Call, ProviderServices } from '../../contract.ts';
import { unavailable } from '../unavailable.ts';
import type { AwsCredentials } from './credentials.ts';
import { containerCredentials, instanceCredentials, webIdentityCredentials } from './machine.ts';
import { stsRegion } from './region.ts';
import { sharedFileCredentials } from './shared-files.ts';
import { assumeRole, type RoleRequest, type StsContext } from './sts.ts';

/** Longest use of credentials, and the margin before their expiry. */
const MAX_AGE_MS = 300_000;
const EXPIRY_MARGIN_MS = 60_000;
const MIN_AGE_MS = 1_000;

/** Settings of the environment that select the step of the chain; part of its cache key. */
const CHAIN_SETTINGS = [
  'AWS_ACCESS_KEY_ID',
  'AWS_SECRET_ACCESS_KEY',
  'AWS_SESSION_TOKEN',
  'AWS_SHARED_CREDENTIALS_FILE',
  'AWS_CONFIG_FILE',
  'AWS_PROFILE',
  'AWS_WEB_IDENTITY_TOKEN_FILE',
  'AWS_ROLE_ARN',
  'AWS_CONTAINER_CREDENTIALS_FULL_URI',
  'AWS_CONTAINER_CREDENTIALS_RELATIVE_URI',
  'AWS_EC2_METADATA_SERVICE_ENDPOINT',
];

/**
 * Credentials of the machine's identity, or of the role that it or a key pair may assume. Throws AppError `CREDENTIAL_UNAVAILABLE`.
 * Rules: docs/behaviour/cloud-identities.md.
 */
export async function resolveCredentials(
  call: Call,
  context: AuthorizerContext,
  role?: RoleRequest & { readonly base: AwsCredentials | undefined },
): Promise<AwsCredentials> {
  const services = withoutEmptySettings(context.services);
  const sts: StsContext = { services, region: stsRegion(call, services.env) };
  const base = role?.base ?? (await baseCredentials(sts));
  if (role === undefined || role.roleArn === base.roleArn) return base;
  return roleCredentials(base, role, sts);
}

export interface StoreIdentity {
  /** Undefined: the machine's identity. */
  readonly keys: AwsCredentials | undefined;
  /** Undefined: none is assumed. */
  readonly role: RoleRequest | undefined;
}

/**
 * Credentials for a store of the gateway's own, without the key pair `AWS_ASSUME_ROLE_…` of accounts, which the management API does
 * not have. Throws AppError `CREDENTIAL_UNAVAILABLE`.
 */
export async function storeCredentials(
  { keys, role }: StoreIdentity,
  { services, region }: StsContext,
): Promise<AwsCredentials> {
  const sts: StsContext = { services: withoutEmptySettings(services), region };
  const base = keys ?? (await chainCredentials(sts));
  return role === undefined || role.roleArn === base.roleArn ? base : roleCredentials(base, role, sts);
}

/** Templates of manifests often set variables to empty text. */
function withoutEmptySettings(services: ProviderServices): ProviderServices {
  return { ...services, env: (name) => services.env(name) || undefined };
}

async function baseCredentials(sts: StsContext): Promise<AwsCredentials> {
  const { env } = sts.services;
  const configured = envKeyPair(env, 'AWS_ASSUME_ROLE_');
  if (configured === undefined) return chainCredentials(sts);
  const roleArn = env('AWS_ASSUME_ROLE_SOURCE_ARN');
  if (roleArn === undefined) return configured;
  return roleCredentials(configured, { roleArn, externalId: env('AWS_ASSUME_ROLE_SOURCE_EXTERNAL_ID') }, sts);
}

function roleCredentials(base: AwsCredentials, role: RoleRequest, sts: StsContext): Promise<AwsCredentials> {
  const identity = [base.accessKeyId, base.secretAccessKey.reveal(), role.roleArn, role.externalId ?? '', sts.region];
  return keep('role', identity, sts.services, () => assumeRole(base, role, sts));
}

/** The standard chain: the first step with credentials is used. */
function chainCredentials(sts: StsContext): Promise<AwsCredentials> {
  const { services } = sts;
  const identity = [...CHAIN_SETTINGS.map((name) => services.env(name) ?? ''), sts.region];
  return keep('chain', identity, services, async () => {
    const found =
      envKeyPair(services.env, 'AWS_') ??
      (await sharedFileCredentials(services.env)) ??
      (await webIdentityCredentials(sts)) ??
      (await containerCredentials(sts)) ??
      (await instanceCredentials(sts));
    if (found === undefined) throw unavailable('No AWS credentials were found in the environment of the gateway');
    return found;
  });
}

function envKeyPair(env: ProviderServices['env'], prefix: string): AwsCredentials | undefined {
  const accessKeyId = env(`${prefix}ACCESS_KEY_ID`);
  const secretAccessKey = env(`${prefix}SECRET_ACCESS_KEY`);
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const token = prefix === 'AWS_' ? env('AWS_SESSION_TOKEN') : undefined;
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: token === undefined ? undefined : new Secret(token),
  };
}

function keep(
  kind: string,
  identity: readonly string[],
  services: ProviderServices,
  make: () => Promise<AwsCredentials>,
): Promise<AwsCredentials> {
  const digest = createHash('sha256').update(JSON.stringify(identity)).digest('hex');
  return services.cached(`aws:${kind}:${digest}`, async () => {
    const value = await make();
    const leftMs = value.expiresAtMs === undefined ? MAX_AGE_MS : value.expiresAtMs - EXPIRY_MARGIN_MS - services.now();
    return { value, ttlMs: Math.max(Math.min(leftMs, MAX_AGE_MS), MIN_AGE_MS) };
  });
}
