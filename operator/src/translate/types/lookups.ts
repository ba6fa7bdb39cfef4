import type { KindName, ResourceOf } from '@gatehouse/crds/kinds';
import type { SecretData, SecretReading, ServiceReading } from './world.ts';

export interface NamespaceOwners {
  /** A workspace by name, null for the organisation, undefined for nobody. */
  ownerOf(namespace: string): string | null | undefined;
  consents(namespace: string, workspace: string): boolean;
  /** Every workspace that has a namespace, sorted. */
  readonly workspaces: readonly string[];
}

export interface Lookups {
  ownerOf: NamespaceOwners['ownerOf'];
  /** Whether the namespace agrees to be used by the Workspace. */
  consents: NamespaceOwners['consents'];
  /** The resource that counts under a name, also if its latest edit is not valid. */
  find<K extends KindName>(kind: K, namespace: string, name: string): ResourceOf<K> | undefined;
  /** Whether there is one: unlike `find`, the same answer whatever it says. */
  exists(kind: KindName, namespace: string, name: string): boolean;
  /** Whether there is an object of which nothing counts: it says nothing valid and has not since the program started. */
  isBroken(kind: KindName, namespace: string, name: string): boolean;
  /** Whether a config of the organisation has credentials of its own; see `isOrganisationOnly` of the contract. */
  isOrganisationOnly(config: string): boolean;
  secret(namespace: string, name: string): SecretData | undefined;
  /** How far reading the Secret has come: what is not known to be absent may well be there. */
  readingOf(namespace: string, name: string): SecretReading | undefined;
  /** What the platform runs to let the operator read Secrets of the namespace. */
  grantCommand(namespace: string): string;
  /** Whether a ReferenceGrant lets objects of the kind in `namespace` use a Secret of another one. */
  isSecretGranted(kind: string, namespace: string, from: string, secret: string): boolean;
  /** Id of the credential entry of an Integration: null if it has none, undefined if it cannot be used. */
  credentialOf(integrationKey: string): string | null | undefined;
  /** Whether an IntegrationAccess covers the workspace; a grant of its own goes before one for all. */
  isGranted(integration: string, workspace: string): boolean;
  /** All workspaces an Integration is granted to, sorted; `*` alone for every one. */
  grantsOf(integration: string): readonly string[];
  /** Key of the IntegrationAccess that counts for the workspace (`*`: for those without one of their own). */
  accessOf(integration: string, workspace: string): string | undefined;
  /** Whether more than one ApiKey has the hash. Not written down: who it is about is told by `updateHoldings`. */
  isContested(sha256: string): boolean;
  /** Key of the ApiKey that the hash is served for. */
  claimWinner(sha256: string): string | undefined;
  /** The hash that is served for an ApiKey, or would be if it were its holder. */
  claimedHash(apiKey: string): string | undefined;
  /** SHA-256 of the text of a Secret entry; where an owner is given, of a Secret that is his. */
  hashOf(namespace: string, secret: string, entry: string, owner?: string): string | undefined;
  /** Undefined: not read yet. */
  serviceOf(namespace: string, name: string): ServiceReading | undefined;
  /** Hosts that the organisation opens to the workspace although they are private; see `hostList`. */
  openedHosts(workspace: string): string;
  /** Hosts that some fleet of the organisation trusts. */
  trustedHosts(): string;
  /** The first workspace by name. */
  firstWorkspace(): string | undefined;
  /** Whether the Organisation lends the cloud's identity of its gateway pods to accounts of the workspace. */
  isIdentityGranted(workspace: string, cloud: string): boolean;
  /** The external id of roles that accounts of the workspace take with that identity. */
  externalIdOf(workspace: string): string;
}
