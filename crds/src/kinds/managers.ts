/** What may keep the secret of a SecretReference. */
export const SECRET_MANAGERS = [
  'Kubernetes',
  'Vault',
  'AwsSecretsManager',
  'AzureKeyVault',
  'GcpSecretManager',
] as const;

export type SecretManager = (typeof SECRET_MANAGERS)[number];

/** Those that the operator may call with an identity of its own. */
export const OWN_IDENTITY_MANAGERS = ['Vault', 'AwsSecretsManager', 'AzureKeyVault', 'GcpSecretManager'] as const;

/** A vault in one of the clouds of Azure: tokens go nowhere else. */
export const AZURE_VAULT_URL =
  /^https:\/\/[a-zA-Z][a-zA-Z0-9-]{1,22}[a-zA-Z0-9]\.vault\.(azure\.net|azure\.cn|usgovcloudapi\.net)\/?$/;
