/** Rules that several Kinds share. */
export { accountBody, accountCredential, hasSecrets } from './account.ts';
export { configRefFindings } from './config-ref.ts';
export { foreignSecret, givenFields, readCredential, type SecretFields } from './credential.ts';
export { type HostRules, hostIssues, parseHostPattern, staysWithin } from './custom-hosts.ts';
export { externalIdFor, identityGrantOf } from './identity-grants.ts';
export { ALL_WORKSPACES, createIntegrationGrants } from './integration-grants.ts';
export { issuerEntries, issuerFindings } from './jwt-issuers.ts';
export { claimWinner, type KeyClaims, keySecretOf, losesClaim, NO_KEY_CLAIMS, updateKeyClaims } from './key-claims.ts';
export { accessesOf, limitsOf, selectionOf, usageLimitOf } from './limits.ts';
export { createNamespaceOwners, previousEntries, requestedNamespace } from './namespace-owners.ts';
export { newObjectIssues, policyFindings, policyIn } from './new-object-policy.ts';
export { brokenBounds, EMPTY_LEDGER, type Ledger, quotaRowOf, type RowChange, updateLedger } from './quota.ts';
export { reachOf, type ServiceName, serviceOfHost, toHostList, withCurrentReach } from './reach.ts';
export { permitsSecret, type SecretReference } from './reference-grants.ts';
export { createSecretHasher, type SecretHasher } from './secret-text.ts';
export { isManagedSlug, slugConflict, virtualKeyGrants } from './slug.ts';
export { stillPermitted } from './still-permitted.ts';
export { defaultConfigs, snapshotForWorkspaces, tenantSnapshot, visibleToTenants } from './workspace-snapshot.ts';
