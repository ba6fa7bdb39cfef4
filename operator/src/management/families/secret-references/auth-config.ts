/** How `auth_config` of bodies and answers is written in a SecretReference and its Secret. */
import type { ResourceOf } from '@gatehouse/crds/kinds';
import { invalid } from '../../http/rest-error.ts';
import { MASK } from '../masks.ts';

export type Spec = ResourceOf<'SecretReference'>['spec'];
export type AuthConfig = Readonly<Record<string, string | null | undefined>>;
export type ManagerType = 'aws_sm' | 'azure_kv' | 'hashicorp_vault';

interface Method {
  /** The member that says how to log in, and its value. */
  readonly type: string;
  readonly value: string;
  /** Entries of the Secret by the members that they are. */
  readonly secrets: Readonly<Record<string, string>>;
}

const METHODS: Readonly<Record<string, Method>> = {
  AccessKey: {
    ...{ type: 'aws_auth_type', value: 'accessKey' },
    secrets: { aws_access_key_id: 'aws_access_key_id', aws_secret_access_key: 'aws_secret_access_key' },
  },
  ClientSecret: {
    ...{ type: 'azure_auth_mode', value: 'entra' },
    secrets: { azure_entra_client_secret: 'client_secret' },
  },
  Token: { type: 'vault_auth_type', value: 'token', secrets: { vault_token: 'token' } },
  AppRole: {
    ...{ type: 'vault_auth_type', value: 'approle' },
    secrets: { vault_role_id: 'role_id', vault_secret_id: 'secret_id' },
  },
  Kubernetes: { type: 'vault_auth_type', value: 'kubernetes', secrets: {} },
};

const problem = (member: string, message: string) =>
  invalid([{ code: 'invalid', path: ['auth_config', member], message }], 'body');

const needed = (config: AuthConfig, member: string): string => {
  const value = config[member];
  if (typeof value !== 'string') throw problem(member, 'it is needed for this way to log in');
  return value;
};

const given = (config: AuthConfig, member: string): string | undefined => config[member] ?? undefined;

/** The members of the spec. Throws RestError INVALID for a member that is missing. */
export function toAuth(
  type: ManagerType,
  config: AuthConfig,
): Pick<Spec, 'manager' | 'aws' | 'azure'> & { vault?: object } {
  if (type === 'hashicorp_vault') return { manager: 'Vault', vault: toVault(config) };
  if (type === 'aws_sm') return { manager: 'AwsSecretsManager', aws: toAws(config) };
  return { manager: 'AzureKeyVault', azure: toAzure(config) };
}

function toVault(config: AuthConfig): object {
  const authMethod = { token: 'Token', approle: 'AppRole', kubernetes: 'Kubernetes' }[
    needed(config, 'vault_auth_type')
  ];
  return {
    address: needed(config, 'vault_addr'),
    authMethod,
    ...(given(config, 'vault_namespace') === undefined ? {} : { namespace: given(config, 'vault_namespace') }),
    ...(authMethod === 'Kubernetes' ? { role: needed(config, 'vault_role') } : {}),
  };
}

function toAws(config: AuthConfig): NonNullable<Spec['aws']> {
  const kind = needed(config, 'aws_auth_type');
  const externalId = given(config, 'aws_external_id');
  return {
    region: needed(config, 'aws_region'),
    authMethod: kind === 'accessKey' ? 'AccessKey' : 'OwnIdentity',
    ...(kind === 'assumedRole' ? { roleArn: needed(config, 'aws_role_arn') } : {}),
    ...(kind === 'assumedRole' && externalId !== undefined ? { externalId } : {}),
  };
}

function toAzure(config: AuthConfig): NonNullable<Spec['azure']> {
  const vaultUrl = needed(config, 'azure_vault_url');
  if (needed(config, 'azure_auth_mode') !== 'entra') return { vaultUrl, authMethod: 'OwnIdentity' };
  const tenantId = needed(config, 'azure_entra_tenant_id');
  const clientId = needed(config, 'azure_entra_client_id');
  return { vaultUrl, authMethod: 'ClientSecret', tenantId, clientId };
}

const methodOf = ({ vault, aws, azure, gcp }: Spec): Method | undefined =>
  METHODS[(vault ?? aws ?? azure ?? gcp)?.authMethod ?? ''];

/** What answers show, without credentials. */
export function showAuth(spec: Spec): Readonly<Record<string, string>> {
  const { vault, aws, azure, gcp } = spec;
  const method = methodOf(spec);
  const shown: Record<string, string | undefined> = {
    ...(method === undefined ? {} : { [method.type]: method.value }),
    ...(aws?.authMethod === 'OwnIdentity'
      ? { aws_auth_type: aws.roleArn === undefined ? 'serviceRole' : 'assumedRole' }
      : {}),
    ...(azure?.authMethod === 'OwnIdentity' ? { azure_auth_mode: 'default' } : {}),
    vault_addr: vault?.address,
    vault_namespace: vault?.namespace,
    vault_role: vault?.role,
    aws_region: aws?.region,
    aws_role_arn: aws?.roleArn,
    aws_external_id: aws?.externalId,
    azure_vault_url: azure?.vaultUrl,
    azure_entra_tenant_id: azure?.tenantId,
    azure_entra_client_id: azure?.clientId,
    gcp_project: gcp?.project,
  };
  const masks = Object.keys(method?.secrets ?? {}).map((member) => [`masked_${member}`, MASK] as const);
  const texts = Object.entries(shown).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries([...texts, ...masks]);
}

export interface GivenSecrets {
  /** Entries of the Secret that are given. */
  readonly entries: Readonly<Record<string, string>>;
  /** Members of the way to log in that are not given. */
  readonly absent: readonly string[];
}

/** The credentials of a body for the way to log in. Masks keep what is there. */
export function secretsIn(config: AuthConfig, spec: Spec): GivenSecrets {
  const members = Object.entries(methodOf(spec)?.secrets ?? {});
  const isGiven = (member: string): boolean => typeof config[member] === 'string' && config[member] !== MASK;
  return {
    entries: Object.fromEntries(
      members.filter(([member]) => isGiven(member)).map(([member, entry]) => [entry, String(config[member])]),
    ),
    absent: members.map(([member]) => member).filter((member) => !isGiven(member)),
  };
}

/** Whether the way to log in has credentials. */
export const hasSecrets = (spec: Spec): boolean => Object.keys(methodOf(spec)?.secrets ?? {}).length > 0;

/** Where credentials go, and what they are for. */
export const placeOf = ({ vault, aws, azure }: Spec): string =>
  JSON.stringify([
    vault?.address,
    vault?.namespace,
    vault?.authMethod,
    aws?.authMethod,
    azure?.authMethod,
    azure?.vaultUrl,
    azure?.tenantId,
    azure?.clientId,
  ]);

export const missingSecrets = (members: readonly string[]) =>
  invalid(
    members.map((member) => ({
      code: 'invalid' as const,
      path: ['auth_config', member],
      message: 'the credentials would go to another place, or are not there yet: send them along',
    })),
    'body',
  );
