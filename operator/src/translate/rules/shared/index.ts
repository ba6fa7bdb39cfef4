/** Rules that several Kinds share. */
export { accountBody, accountCredential, hasSecrets } from './account.ts';
export { configRefFindings } from './config-ref.ts';
export { foreignSecret, givenFields, readCredential, type SecretFields } from './credential.ts';
export { type HostRules, hostIssues, parseHostPattern, staysWithin } from './custom-hosts.ts';
export { checkCredential, readFields } from './guardrail-credential.ts';
export { defaultSlugs, guardrailRefs, homesOf, namedIn, namedInConfig } from './guardrail-refs.ts';
export { externalIdFor, identityGrantOf } from './identity-grants.ts';
export { ALL_WORKSPACES, createIntegrationGrants } from './integration-grants.ts';
export { issuerEntries, issuerFindings } from './jwt-issuers.ts';
export {
  claimWinner,
  type KeyClaims,
  keySecretOf,
  losesClaim,
  NO_KEY_CLAIMS,
  previousClaim,
  updateKeyClaims,
} from './key-claims.ts';
export { accessesOf, limitsOf, selectionOf, usageLimitOf } from './limits.ts';
export { loggingOf } from './logging.ts';
export { fetchOf } from './managed-secret.ts';
export { allowedByRole, remaining } from './membership.ts';
export { createNamespaceOwners, previousEntries, requestedNamespace } from './namespace-owners.ts';
export { newObjectIssues, policyFindings, policyIn } from './new-object-policy.ts';
export { collectionFindings, templateBody, templateFindings } from './prompts.ts';
export { brokenBounds, EMPTY_LEDGER, type Ledger, quotaRowOf, type RowChange, updateLedger } from './quota.ts';
export { mergeReach, reachOf, type ServiceName, serviceOfHost, toHostList, withCurrentReach } from './reach.ts';
export { permitsSecret, type SecretReference } from './reference-grants.ts';
export { kubernetesFinding, readMappings, referencesOf } from './secret-mappings.ts';
export { createSecretHasher, type SecretHasher } from './secret-text.ts';
export { createSidecarLookup, SIDECAR_SCOPES, withCurrentSidecars } from './sidecar-identity.ts';
export { isManagedSlug, slugConflict, virtualKeyGrants } from './slug.ts';
export { stillPermitted } from './still-permitted.ts';
export { workloadsOf } from './workloads.ts';
export { defaultConfigs, snapshotForWorkspaces, tenantSnapshot, visibleToTenants } from './workspace-snapshot.ts';
