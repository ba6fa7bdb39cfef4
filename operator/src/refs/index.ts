/** Which Secrets and ServiceAccounts resources name, and which of them may be read. */
export { abandonedSecret, REFERRING_KINDS, type SecretName, secretRefsOf } from './secret-refs.ts';
export { type ServedNamespaces, type ServedNamespacesOptions, servedNamespaces } from './served-namespaces.ts';
export { type WantedAccountsOptions, wantServiceAccounts } from './wanted-accounts.ts';
export { type WantedSecretsOptions, wantSecrets } from './wanted-secrets.ts';
