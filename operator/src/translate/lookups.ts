/**
 * The questions a translator may ask about the rest of the world. Arguments are texts and answers are compared by
 * identity: that is how a translation knows whether what it once read still holds.
 */
import type { ApiKey, IntegrationAccess, KindName, ResourceOf, Workspace } from '@gatehouse/crds/kinds';
import { createGrantBook, type GrantBook } from './grants.ts';
import { byAge, createHolders, type SecretHasher } from './holders.ts';
import type { Source, Sources } from './sources.ts';
import { CONSENT_LABEL, objectKey, type SecretData, type World } from './world.ts';

export interface Lookups {
  /** Whose namespace it is: a workspace by name, null for the organisation, undefined for nobody. */
  ownerOf(namespace: string): string | null | undefined;
  /** Whether the namespace agrees to be used by the Workspace. */
  consents(namespace: string, workspace: string): boolean;
  /** The resource that counts under a name, also if its latest edit is not valid. */
  find<K extends KindName>(kind: K, namespace: string, name: string): ResourceOf<K> | undefined;
  secret(namespace: string, name: string): SecretData | undefined;
  /** Id of the credential entry of an Integration: null if it has none, undefined if it cannot be used. */
  credentialOf(integrationKey: string): string | null | undefined;
  /** Whether an IntegrationAccess covers the workspace; a grant of its own goes before one for all. */
  isGranted(integration: string, workspace: string): boolean;
  /** All workspaces an Integration is granted to, sorted; `*` alone for every one. */
  grantsOf(integration: string): readonly string[];
  /** Key of the IntegrationAccess that counts for the workspace (`*`: for those without one of their own). */
  accessOf(integration: string, workspace: string): string | undefined;
  /** Key of the oldest ApiKey with the hash. */
  holderOf(sha256: string): string | undefined;
  /** SHA-256 of the text of a Secret entry. */
  hashOf(namespace: string, secret: string, entry: string): string | undefined;
  /** The first workspace by name. */
  firstWorkspace(): string | undefined;
  organisationNamespace(): string;
  mintsKeys(): boolean;
}

export interface LookupInput {
  readonly world: World;
  readonly sources: Sources;
  readonly hasher: SecretHasher;
  /** Lists given before: an equal answer is the same list. */
  readonly grantLists: Map<string, readonly string[]>;
  credentialOf(integrationKey: string): string | null | undefined;
}

export function createLookups({ world, sources, hasher, grantLists, credentialOf }: LookupInput): Lookups {
  const { organisationNamespace, consent, mintsKeys } = world.settings;
  const secret = (namespace: string, name: string): SecretData | undefined =>
    world.secrets.get(objectKey(namespace, name));
  const consents = (namespace: string, workspace: string): boolean =>
    consent === 'implied' || world.namespaces.get(namespace)?.get(CONSENT_LABEL) === workspace;
  const hashOf = (namespace: string, name: string, entry: string): string | undefined =>
    hasher(secret(namespace, name), entry);

  const owners = ownersOf(sourcesOf(sources, 'Workspace'), { organisationNamespace, consents });
  const workspaces = [...owners.values()].sort();
  const ownerOf = (namespace: string): string | null | undefined =>
    namespace === organisationNamespace ? null : owners.get(namespace);
  const book: GrantBook = createGrantBook(accesses(sources, organisationNamespace), { workspaces, known: grantLists });
  const holders = createHolders(() => heldHashes(sourcesOf(sources, 'ApiKey'), { ownerOf, hashOf }));

  return {
    ownerOf,
    consents,
    secret,
    hashOf,
    credentialOf,
    ...book,
    find: (kind, namespace, name) =>
      sourcesOf(sources, kind).get(objectKey(namespace === '' ? undefined : namespace, name))?.resource,
    holderOf: holders,
    firstWorkspace: () => workspaces[0],
    organisationNamespace: () => organisationNamespace,
    mintsKeys: () => mintsKeys,
  };
}

function sourcesOf<K extends KindName>(sources: Sources, kind: K): ReadonlyMap<string, Source<K>> {
  // Each Kind's map holds sources of that Kind; the type of the outer map cannot say so.
  return (sources.get(kind) ?? new Map()) as ReadonlyMap<string, Source<K>>;
}

interface OwnerRules {
  readonly organisationNamespace: string;
  readonly consents: Lookups['consents'];
}

/** Workspaces by namespace: the oldest that the namespace agrees to. */
function ownersOf(
  workspaces: ReadonlyMap<string, Source<'Workspace'>>,
  { organisationNamespace, consents }: OwnerRules,
): ReadonlyMap<string, string> {
  const owners = new Map<string, string>();
  for (const { metadata, spec } of present<Workspace>(workspaces)) {
    const { namespace } = spec;
    if (namespace === organisationNamespace || owners.has(namespace)) continue;
    if (consents(namespace, metadata.name)) owners.set(namespace, metadata.name);
  }
  return owners;
}

/** Grants count only where the organisation itself made them. */
function accesses(sources: Sources, organisationNamespace: string): readonly IntegrationAccess[] {
  return present<IntegrationAccess>(sourcesOf(sources, 'IntegrationAccess')).filter(
    ({ metadata }) => metadata.namespace === organisationNamespace,
  );
}

/** The resources that count, oldest first. */
function present<R extends ResourceOf<KindName>>(sources: ReadonlyMap<string, Source>): readonly R[] {
  const resources = [...sources.values()].flatMap(({ resource }) => (resource === undefined ? [] : [resource as R]));
  return resources.sort(byAge);
}

/** Hashes of all keys that may be used at all; a key outside every workspace cannot take another's place. */
function* heldHashes(
  keys: ReadonlyMap<string, Source<'ApiKey'>>,
  { ownerOf, hashOf }: Pick<Lookups, 'ownerOf' | 'hashOf'>,
): Generator<readonly [hash: string, key: string, resource: ApiKey]> {
  for (const [key, { resource }] of keys) {
    if (resource === undefined) continue;
    const namespace = resource.metadata.namespace ?? '';
    if (ownerOf(namespace) === undefined) continue;
    const { sha256, secretRef } = resource.spec;
    const hash = secretRef === undefined ? sha256 : hashOf(namespace, secretRef.name, secretRef.key);
    if (hash !== undefined) yield [hash, key, resource];
  }
}
