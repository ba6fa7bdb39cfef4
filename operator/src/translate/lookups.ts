/**
 * The questions a translator may ask about the rest of the world. Arguments are texts and answers are compared by
 * identity: that is how a translation knows whether what it once read still holds.
 */

import type { KindConfig } from '@gatehouse/crds/config';
import { GROUP } from '@gatehouse/crds/kinds';
import { nodeUsesPodIdentity } from '@gatehouse/crds/providers';
import { isOrganisationOnly } from '@gatehouse/crds/snapshot';
import { DEFAULT_ACCOUNT, secretsCommand } from '../rbac.ts';
import type { LastGood } from './incremental/index.ts';
import { IMPLIED_ORGANISATION, type Items, resourceOf, resourcesOf } from './incremental/index.ts';
import {
  createGrantBook,
  externalIdFor,
  type Holdings,
  holderOf,
  hostList,
  permitsSecret,
  servedSoFar,
} from './rules/shared/index.ts';
import type { Lookups, Owners } from './types/index.ts';
import { objectKey, type World, type WorldSettings } from './types/index.ts';

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
