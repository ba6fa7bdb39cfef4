/** Fetches the secrets of SecretReferences from secret managers. Loads without the Kubernetes client. */
export { FETCH_OUTCOMES, type FetchOutcome, type SecretFetcher } from './fetcher.ts';
export { createOwnIdentity } from './own-identity.ts';
export { createSecretManagers, type SecretManagersOptions } from './secret-managers.ts';
export { createStoreIdentity } from './store-identity.ts';
