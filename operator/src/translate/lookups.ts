/**
 * The questions a translator may ask about the rest of the world. Arguments are texts and answers are compared by
 * identity: that is how a translation knows whether what it once read still holds.
 */
import type { KindConfig } from '@gatehouse/crds/config';
import { GROUP, type KindName, type ResourceOf } from '@gatehouse/crds/kinds';
import { nodeUsesPodIdentity } from '@gatehouse/crds/providers';
import { isOrganisationOnly } from '@gatehouse/crds/snapshot';
import { DEFAULT_ACCOUNT, secretsCommand } from '../rbac.ts';
import { createGrantBook } from './grants.ts';
import { type Holdings, holderOf } from './holders.ts';
import { IMPLIED_ORGANISATION, type Items, resourceOf, resourcesOf } from './items.ts';
import type { LastGood } from './last-good.ts';
import { externalIdFor } from './lending.ts';
import { type Owners, servedSoFar } from './owners.ts';
import { hostList } from './reach.ts';
import { permitsSecret } from './reference-grants.ts';
import {
  objectKey,
  type SecretData,
  type SecretReading,
  type ServiceReading,
  type World,
  type WorldSettings,
} from './world.ts';

export interface Lookups {
  ownerOf: Owners['ownerOf'];
  /** Whether the namespace agrees to be used by the Workspace. */
  consents: Owners['consents'];
  /** The resource that counts under a name, also if its latest edit is not valid. */
  find<K extends KindName>(kind: K, namespace: string, name: string): ResourceOf<K> | undefined;
  /** Whether there is one: unlike `find`, the same answer whatever it says. */
  exists(kind: KindName, namespace: string, name: string): boolean;
  /** Whether there is an object of which nothing counts: it says nothing valid and has not since the program started. */
  isBroken(kind: KindName, namespace: string, name: string): boolean;
  /** Whether a config of the organisation has credentials of its own; see `isOrganisationOnly` of the contract. */
  isWithheld(config: string): boolean;
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
  holderOf(sha256: string): string | undefined;
  /** The hash that is served for an ApiKey, or would be if it were its holder. */
  heldHash(apiKey: string): string | undefined;
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
  isIdentityLent(workspace: string, cloud: string): boolean;
  /** The external id of roles that accounts of the workspace take with that identity. */
  externalIdOf(workspace: string): string;
}

export interface LookupInput extends Pick<Lookups, 'hashOf' | 'credentialOf'> {
  readonly world: World;
  readonly items: Items;
  readonly owners: Owners;
  readonly holdings: Holdings;
  readonly lastGood: LastGood;
  /** Lists given before: an equal answer is the same list. */
  readonly grantLists: Map<string, readonly string[]>;
}

export function createLookups(input: LookupInput): Lookups {
  const { world, items, owners, holdings, lastGood, grantLists, hashOf, credentialOf } = input;
  const { organisationNamespace } = world.settings;
  const { ownerOf, consents, workspaces } = owners;
  // Grants count only where the organisation itself made them.
  const accesses = resourcesOf(items, 'IntegrationAccess').filter(
    ({ metadata }) => metadata.namespace === organisationNamespace,
  );
  const find: Lookups['find'] = (kind, namespace, name) =>
    resourceOf(items, kind, objectKey(namespace === '' ? undefined : namespace, name));
  const organisation = () => resourceOf(items, 'Organisation', ORGANISATION_NAME);
  return {
    ownerOf,
    consents,
    find,
    exists: (kind, namespace, name) => {
      const item = items.get(kind)?.get(objectKey(namespace === '' ? undefined : namespace, name));
      if (item === undefined) return false;
      return item.source.resource !== undefined || servedSoFar(item, lastGood, ownerOf).length > 0;
    },
    isBroken: (kind, namespace, name) => {
      const item = items.get(kind)?.get(objectKey(namespace === '' ? undefined : namespace, name));
      return item !== undefined && item.source.resource === undefined;
    },
    isWithheld: (config) => {
      const item = items.get('GatewayConfig')?.get(objectKey(organisationNamespace, config));
      const resource = resourceOf(items, 'GatewayConfig', objectKey(organisationNamespace, config));
      if (resource !== undefined) return hasCredentials(resource.spec.config);
      const served = item === undefined ? [] : servedSoFar(item, lastGood, ownerOf);
      return served.some((entry) => entry.kind === 'config' && isOrganisationOnly(entry));
    },
    hashOf,
    credentialOf,
    ...createGrantBook(accesses, { workspaces, known: grantLists }),
    isSecretGranted: (kind, namespace, from, secret) =>
      permitsSecret(world.referenceGrants?.get(from) ?? [], { group: GROUP, kind, namespace, secret }),
    secret: (namespace, name) => world.secrets.get(objectKey(namespace, name)),
    readingOf: (namespace, name) =>
      world.secretReadings === undefined ? 'known' : world.secretReadings.get(objectKey(namespace, name)),
    grantCommand: (namespace) => secretsCommand(world.settings.operatorAccount ?? DEFAULT_ACCOUNT, namespace),
    isContested: (sha256) => holdings.contested.has(sha256),
    holderOf: (sha256) =>
      holderOf(holdings, sha256, {
        metadataOf: (key) => items.get('ApiKey')?.get(key)?.source.object.metadata,
        isOwned: (namespace) => ownerOf(namespace) !== undefined,
      }),
    heldHash: (apiKey) => holdings.hashes.get(apiKey),
    serviceOf: (namespace, name) => world.services?.get(objectKey(namespace, name)),
    ...createHostBook(items, world.settings),
    firstWorkspace: () => workspaces[0],
    isIdentityLent: (workspace, cloud) =>
      organisation()?.spec.cloudIdentityGrants?.some(
        (grant) => grant.workspace === workspace && grant.clouds.some((granted) => granted === cloud),
      ) ?? false,
    // In files objects have no UID: their names stand in for it, and one person owns them all.
    externalIdOf: (workspace) =>
      externalIdFor(
        organisation()?.metadata.uid ?? 'default',
        resourceOf(items, 'Workspace', workspace)?.metadata.uid ?? workspace,
      ),
  };
}

/** Whether a config brings credentials, or the identity of the gateway's pods. */
const hasCredentials = ({ provider, settings, secretRef, targets = [] }: KindConfig): boolean =>
  secretRef !== undefined ||
  nodeUsesPodIdentity({ provider, settings, hasCredential: false }) ||
  targets.some(hasCredentials);

const ORGANISATION_NAME = 'default';

function createHostBook(items: Items, { organisationNamespace, fleetNamespaces = [] }: WorldSettings) {
  let trusted: string | undefined;
  return {
    openedHosts: (workspace: string): string => {
      const organisation = resourceOf(items, 'Organisation', IMPLIED_ORGANISATION.metadata.name);
      const opened = organisation?.spec.tenantHosts ?? [];
      const isFor = (names: readonly string[] | undefined): boolean => names === undefined || names.includes(workspace);
      return hostList(opened.filter(({ workspaces }) => isFor(workspaces)).map(({ host }) => host));
    },
    trustedHosts: (): string => {
      trusted ??= hostList(
        resourcesOf(items, 'GatewayFleet')
          .filter(({ metadata: { namespace } }) =>
            [organisationNamespace, ...fleetNamespaces].includes(namespace ?? ''),
          )
          .flatMap(({ spec }) => spec.trustedHosts ?? []),
      );
      return trusted;
    },
  };
}
