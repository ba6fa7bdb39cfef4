/**
 * The questions a translator may ask about the rest of the world. Arguments are texts and answers are compared by
 * identity: that is how a translation knows whether what it once read still holds.
 */
import type { KindName, ResourceOf, Workspace } from '@gatehouse/crds/kinds';
import { createGrantBook } from './grants.ts';
import { type Holdings, holderOf } from './holders.ts';
import { type Items, resourceOf, resourcesOf } from './items.ts';
import { CONSENT_LABEL, objectKey, type SecretData, type World } from './world.ts';

export interface Lookups {
  /** Whose namespace it is: a workspace by name, null for the organisation, undefined for nobody. */
  ownerOf(namespace: string): string | null | undefined;
  /** Whether the namespace agrees to be used by the Workspace. */
  consents(namespace: string, workspace: string): boolean;
  /** The resource that counts under a name, also if its latest edit is not valid. */
  find<K extends KindName>(kind: K, namespace: string, name: string): ResourceOf<K> | undefined;
  /** Whether there is one: unlike `find`, the same answer whatever it says. */
  exists(kind: KindName, namespace: string, name: string): boolean;
  secret(namespace: string, name: string): SecretData | undefined;
  /** Id of the credential entry of an Integration: null if it has none, undefined if it cannot be used. */
  credentialOf(integrationKey: string): string | null | undefined;
  /**
   * Whether an IntegrationAccess covers the workspace; a grant of its own goes before one for all. The one place where a
   * reference leaves its namespace; other kinds of grants belong beside it.
   */
  isGranted(integration: string, workspace: string): boolean;
  /** All workspaces an Integration is granted to, sorted; `*` alone for every one. */
  grantsOf(integration: string): readonly string[];
  /** Key of the IntegrationAccess that counts for the workspace (`*`: for those without one of their own). */
  accessOf(integration: string, workspace: string): string | undefined;
  /** Whether more than one ApiKey has the hash. Not written down: who it is about is told by `updateHoldings`. */
  isContested(sha256: string): boolean;
  /** Key of the oldest ApiKey with the hash. */
  holderOf(sha256: string): string | undefined;
  /** SHA-256 of the text of a Secret entry. */
  hashOf(namespace: string, secret: string, entry: string): string | undefined;
  /** The first workspace by name. */
  firstWorkspace(): string | undefined;
}

export interface LookupInput extends Pick<Lookups, 'hashOf' | 'credentialOf'> {
  readonly world: World;
  readonly items: Items;
  readonly holdings: Holdings;
  /** Lists given before: an equal answer is the same list. */
  readonly grantLists: Map<string, readonly string[]>;
}

export function createLookups(input: LookupInput): Lookups {
  const { world, items, holdings, grantLists, hashOf, credentialOf } = input;
  const { organisationNamespace, consent } = world.settings;
  const consents = (namespace: string, workspace: string): boolean =>
    consent === 'implied' || world.namespaces.get(namespace)?.get(CONSENT_LABEL) === workspace;
  const owners = ownersOf(resourcesOf(items, 'Workspace'), { organisationNamespace, consents });
  const workspaces = [...owners.values()].sort();
  const ownerOf = (namespace: string): string | null | undefined =>
    namespace === organisationNamespace ? null : owners.get(namespace);
  // Grants count only where the organisation itself made them.
  const accesses = resourcesOf(items, 'IntegrationAccess').filter(
    ({ metadata }) => metadata.namespace === organisationNamespace,
  );
  const find: Lookups['find'] = (kind, namespace, name) =>
    resourceOf(items, kind, objectKey(namespace === '' ? undefined : namespace, name));
  return {
    ownerOf,
    consents,
    find,
    exists: (kind, namespace, name) => find(kind, namespace, name) !== undefined,
    hashOf,
    credentialOf,
    ...createGrantBook(accesses, { workspaces, known: grantLists }),
    secret: (namespace, name) => world.secrets.get(objectKey(namespace, name)),
    isContested: (sha256) => holdings.contested.has(sha256),
    holderOf: (sha256) =>
      holderOf(holdings, sha256, {
        resourceOf: (key) => resourceOf(items, 'ApiKey', key),
        isOwned: (namespace) => ownerOf(namespace) !== undefined,
      }),
    firstWorkspace: () => workspaces[0],
  };
}

interface OwnerRules {
  readonly organisationNamespace: string;
  readonly consents: Lookups['consents'];
}

/** Workspaces by namespace: the oldest that the namespace agrees to. */
function ownersOf(
  workspaces: readonly Workspace[],
  { organisationNamespace, consents }: OwnerRules,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { metadata, spec } of workspaces) {
    const { namespace } = spec;
    if (namespace === organisationNamespace || owners.has(namespace)) continue;
    if (consents(namespace, metadata.name)) owners.set(namespace, metadata.name);
  }
  return owners;
}
