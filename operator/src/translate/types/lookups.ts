/**
 * The lookups through which a rule reads other objects. Arguments are texts and results are compared by identity, so that a
 * translation can tell whether a result is still the same.
 */
import type { KindName, Organisation, ResourceOf, WorkspaceRole } from '@gatehouse/crds/kinds';
import type { ManagedReading } from './managed.ts';
import type { AccountReading, SecretData, SecretReading, ServiceReading } from './world.ts';

export interface NamespaceOwners {
  /** A workspace by name, null for the organisation, undefined without an owner. */
  ownerOf(namespace: string): string | null | undefined;
  consents(namespace: string, workspace: string): boolean;
  /** Every workspace that owns a namespace, sorted. */
  readonly workspaces: readonly string[];
}

/** One of `operatorIdentityGrants`. */
export type OperatorIdentityGrant = NonNullable<Organisation['spec']['operatorIdentityGrants']>[number];

export interface Lookups {
  ownerOf: NamespaceOwners['ownerOf'];
  /** Whether the namespace is labelled for the Workspace. */
  consents: NamespaceOwners['consents'];
  /** The served resource of a name, also if its latest edit is not valid. */
  find<K extends KindName>(kind: K, namespace: string, name: string): ResourceOf<K> | undefined;
  /** Whether the object exists: unlike with `find`, its content makes no difference. */
  exists(kind: KindName, namespace: string, name: string): boolean;
  /** Whether the object exists and has never been valid since the start. */
  isBroken(kind: KindName, namespace: string, name: string): boolean;
  /** Whether a config of the organisation has credentials; see `isOrganisationOnly` in crds/src/snapshot. */
  isOrganisationOnly(config: string): boolean;
  secret(namespace: string, name: string): SecretData | undefined;
  /** How far reading the Secret has come: one that is not known to be absent may exist. */
  readingOf(namespace: string, name: string): SecretReading | undefined;
  /** The command that lets the operator read Secrets of the namespace. */
  grantCommand(namespace: string): string;
  /** Whether a ReferenceGrant lets objects of the kind in `namespace` use a Secret of another namespace. */
  isSecretGranted(kind: string, namespace: string, from: string, secret: string): boolean;
  /** Id of the credential entry of an Integration: null if it has none, undefined if it cannot be used. */
  credentialOf(integrationKey: string): string | null | undefined;
  /**
   * Name of the oldest Integration of a guardrail service in a namespace. With `grantedTo`, the name of a workspace: of those
   * that are granted to it.
   */
  serviceIntegration(namespace: string, plugin: string, grantedTo: string): string | undefined;
  /** Whether the namespace has an Integration that has never been valid since the start. */
  hasUnreadIntegration(namespace: string): boolean;
  /** Whether the guardrails of the organisation leave the workspace out. */
  isExemptFromGuardrails(workspace: string, phase: 'input' | 'output'): boolean;
  /** Whether an IntegrationAccess covers the workspace; a grant for the workspace wins over one for all. */
  isGranted(integration: string, workspace: string): boolean;
  /** All workspaces that an Integration is granted to, sorted; `*` alone for every one. */
  grantsOf(integration: string): readonly string[];
  /** Name of the IntegrationAccess by which the workspace may use the Integration. */
  grantFor(integration: string, workspace: string): string | undefined;
  /** Names of those by which workspaces may use the Integration, oldest first, each followed by a space. */
  accessesOf(integration: string): string;
  /** Key of the IntegrationAccess that applies to the workspace (`*`: to those without a grant of their own). */
  accessOf(integration: string, workspace: string): string | undefined;
  /** Name of the ModelPricing that sets the price of a model. */
  pricingFor(provider: string, model: string): string | undefined;
  /** Whether several ApiKeys claim the hash. Not recorded: `updateKeyClaims` tells which ApiKeys are affected. */
  isContested(sha256: string): boolean;
  /** Key of the ApiKey that the hash is served for. */
  claimWinner(sha256: string): string | undefined;
  /** The hash that an ApiKey claims. */
  claimedHash(apiKey: string): string | undefined;
  /** SHA-256 of the text of a Secret entry; with `owner`, only of a Secret that this UID controls. */
  hashOf(namespace: string, secret: string, entry: string, owner?: string): string | undefined;
  /** Undefined: not fetched yet. */
  managedSecret(namespace: string, name: string): ManagedReading | undefined;
  /** What the Organisation grants to the workspace of the operator's identity for a secret manager. */
  operatorIdentityGrant(workspace: string, manager: string): OperatorIdentityGrant | undefined;
  /** Undefined: not read yet. */
  serviceOf(namespace: string, name: string): ServiceReading | undefined;
  /** Undefined: not read yet. Null: there is no cluster. */
  accountOf(namespace: string, name: string): AccountReading | undefined | null;
  /** The command that lets the operator read ServiceAccounts of the namespace. */
  accountsCommand(namespace: string): string;
  /** The oldest Workspace with a namespace whose `workloadIdentities` name the ServiceAccount. */
  workspaceNaming(namespace: string, serviceAccount: string): string | undefined;
  /**
   * Whether the namespace is labelled for injection and has a SidecarProfile with a fleet of the organisation. While the profile
   * or the fleet has never been valid since the start: as it is served up to now.
   */
  passesToFleet(namespace: string): boolean;
  /** Private hosts that the organisation opens to the workspace; see `toHostList`. */
  openedHosts(workspace: string): string;
  /** Hosts that any fleet of the organisation trusts. */
  trustedHosts(): string;
  /** The first workspace by name. */
  firstWorkspace(): string | undefined;
  /** Whether the Organisation grants the cloud identity of its gateway pods to accounts of the workspace. */
  isIdentityGranted(workspace: string, cloud: string): boolean;
  /** The external id of roles that accounts of the workspace assume with that identity. */
  externalIdOf(workspace: string): string;
  /** Name of the oldest WorkspaceMember of a person in a namespace. */
  memberOf(namespace: string, user: string): string | undefined;
  /** Name of the oldest ScimMapping of a group of the directory to a workspace. The group is an id or a name. */
  mappingFor(group: string, workspace: string): string | undefined;
  /** The role of the oldest ScimMapping of the group, which all others have, too. */
  mappedRole(group: string): WorkspaceRole | undefined;
  /** What the person is in the workspace; `any`: the workspace does not ask, undefined: no member. */
  roleOf(workspace: string, namespace: string, user: string): WorkspaceRole | 'any' | undefined;
}
