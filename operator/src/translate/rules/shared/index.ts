/** Rules that the rules of several Kinds follow. */
export { accountBody, connect, hasSecrets } from './account.ts';
export { configRefFindings } from './config-ref.ts';
export { foreignPlace, givenFields, readCredential, type SecretFields } from './credential.ts';
export { type HostRules, hostIssues, parseHostPattern, staysWithin } from './custom-hosts.ts';
export { externalIdFor, lendingOf } from './identity-lending.ts';
export { createGrantBook, EVERYONE } from './integration-grants.ts';
export { type Holdings, holderOf, isOutranked, NO_HOLDINGS, secretOf, updateHoldings } from './key-claims.ts';
export { createOwners, namespaceOf, servedSoFar } from './namespace-owners.ts';
export { brokenBounds, type Ledger, NO_LEDGER, type RowChange, rowOf, updateLedger } from './quota.ts';
export { hostList, reachOf, type ServiceName, serviceNamed, withReachOfNow } from './reach.ts';
export { permitsSecret, type SecretReference } from './reference-grants.ts';
export { createSecretHasher, type SecretHasher } from './secret-text.ts';
export { isManagedSlug, slugConflict, virtualKeyGrants } from './slug.ts';
export { stillPermitted } from './still-permitted.ts';
export { defaultConfigs, forTenants, servedBy, tenantSnapshot } from './workspace-snapshot.ts';
