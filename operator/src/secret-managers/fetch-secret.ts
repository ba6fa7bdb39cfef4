/** One fetch, by the manager that the SecretReference names. */
import { err } from '@gatehouse/crds';
import type { SecretManager } from '@gatehouse/crds/kinds';
import type { FetchSecret } from './contract.ts';
import { fetchFromAws } from './managers/aws.ts';
import { fetchFromAzure } from './managers/azure.ts';
import { fetchFromGcp } from './managers/gcp.ts';
import { fetchFromVault } from './managers/vault.ts';

/** Secrets of Kubernetes are not fetched: translations read them. */
const MANAGERS: Readonly<Record<Exclude<SecretManager, 'Kubernetes'>, FetchSecret>> = {
  Vault: fetchFromVault,
  AwsSecretsManager: fetchFromAws,
  AzureKeyVault: fetchFromAzure,
  GcpSecretManager: fetchFromGcp,
};

/** Never rejects: whatever a manager answers or credentials contain is a problem of this SecretReference alone. */
export const fetchSecret: FetchSecret = async (fetch, context) => {
  const { manager } = fetch.spec;
  if (manager === 'Kubernetes') return err('Malformed');
  try {
    return await MANAGERS[manager](fetch, context);
  } catch {
    // The error could quote a credential or an answer.
    return err('Failed');
  }
};
