/**
 * The questions a translator may ask about the rest of the world. Arguments are texts and answers are compared by
 * identity: that is how a translation knows whether what it once read still holds.
 */
import { GROUP, type KindName, type ObjectMeta, type ResourceOf } from '@gatehouse/crds/kinds';
import { byAge } from './age.ts';
import { createGrantBook } from './grants.ts';
import { type Holdings, holderOf } from './holders.ts';
import { type Item, type Items, resourceOf, resourcesOf } from './items.ts';
import { type LastGood, namespaceOf } from './last-good.ts';
import { permitsSecret } from './reference-grants.ts';
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
  /** Whether there is an object of which nothing counts: it says nothing valid and has not since the program started. */
  isBroken(kind: KindName, namespace: string, name: string): boolean;
  secret(namespace: string, name: string): SecretData | undefined;
  /** Whether nobody looks at the Secret, since too many are named. */
  isUnread(namespace: string, name: string): boolean;
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
  readonly lastGood: LastGood;
  /** Lists given before: an equal answer is the same list. */
  readonly grantLists: Map<string, readonly string[]>;
}

export function createLookups(input: LookupInput): Lookups {
  const { world, items, holdings, lastGood, grantLists, hashOf, credentialOf } = input;
  const { organisationNamespace, consent } = world.settings;
  const consents = (namespace: string, workspace: string): boolean =>
    consent === 'implied' || world.namespaces.get(namespace)?.get(CONSENT_LABEL) === workspace;
  const owners = ownersOf(claimsOf(items, lastGood), { organisationNamespace, consents });
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
    exists: (kind, namespace, name) => {
      const item = items.get(kind)?.get(objectKey(namespace === '' ? undefined : namespace, name));
      return item !== undefined && (item.source.resource !== undefined || isHeld(item, lastGood, ownerOf));
    },
    isBroken: (kind, namespace, name) => {
      const item = items.get(kind)?.get(objectKey(namespace === '' ? undefined : namespace, name));
      return item !== undefined && item.source.resource === undefined;
    },
    hashOf,
    credentialOf,
    ...createGrantBook(accesses, { workspaces, known: grantLists }),
    isSecretGranted: (kind, namespace, from, secret) =>
      permitsSecret(world.referenceGrants?.get(from) ?? [], { group: GROUP, kind, namespace, secret }),
    secret: (namespace, name) => world.secrets.get(objectKey(namespace, name)),
    isUnread: (namespace, name) => world.unreadSecrets?.has(objectKey(namespace, name)) ?? false,
    isContested: (sha256) => holdings.contested.has(sha256),
    holderOf: (sha256) =>
      holderOf(holdings, sha256, {
        resourceOf: (key) => resourceOf(items, 'ApiKey', key),
        isOwned: (namespace) => ownerOf(namespace) !== undefined,
      }),
    firstWorkspace: () => workspaces[0],
  };
}

/** Whether last good entries stand in for what a broken object says. */
function isHeld({ source, outcome }: Item, lastGood: LastGood, ownerOf: Lookups['ownerOf']): boolean {
  if (outcome !== undefined) return outcome.entries.length > 0;
  const { kind, object } = source;
  const { name, namespace } = object.metadata;
  const workspace = kind === 'Workspace' ? name : ownerOf(namespace ?? '');
  return workspace !== undefined && lastGood.of(kind, workspace, name).length > 0;
}

interface Claim {
  readonly metadata: ObjectMeta;
  readonly namespace: string;
}

/** What Workspaces want, oldest first; one that is broken still has what it had. */
function claimsOf(items: Items, lastGood: LastGood): readonly Claim[] {
  const claims: Claim[] = [];
  items.get('Workspace')?.forEach((item) => {
    const { resource, object } = item.source;
    if (resource?.kind === 'Workspace') {
      claims.push({ metadata: resource.metadata, namespace: resource.spec.namespace });
      return;
    }
    const namespace = namespaceOf(object);
    if (namespace === undefined || !isHeld(item, lastGood, () => undefined)) return;
    claims.push({
      metadata: { name: object.metadata.name, creationTimestamp: object.metadata.creationTimestamp },
      namespace,
    });
  });
  return claims.sort(byAge);
}

interface OwnerRules {
  readonly organisationNamespace: string;
  readonly consents: Lookups['consents'];
}

/** Workspaces by namespace: the oldest that the namespace agrees to. */
function ownersOf(
  claims: readonly Claim[],
  { organisationNamespace, consents }: OwnerRules,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { metadata, namespace } of claims) {
    if (namespace === organisationNamespace || owners.has(namespace)) continue;
    if (consents(namespace, metadata.name)) owners.set(namespace, metadata.name);
  }
  return owners;
}
