/**
 * The lookups of rules, answered from the parsed objects. Results are compared by identity: an unchanged answer is the same
 * object.
 */

import type { KindConfig } from '@gatehouse/crds/config';
import { GROUP } from '@gatehouse/crds/kinds';
import { nodeUsesPodIdentity, PROVIDER_CATALOGUE } from '@gatehouse/crds/providers';
import { isOrganisationOnly } from '@gatehouse/crds/snapshot';
import { accountsCommand, DEFAULT_ACCOUNT, secretsCommand } from '../rbac.ts';
import type { PublishedEntries } from './incremental/index.ts';
import { DEFAULT_ORGANISATION, type ObjectStates, resourceOf, resourcesOf } from './incremental/index.ts';
import { createMemberLookups } from './member-lookups.ts';
import {
  claimWinner,
  createIntegrationGrants,
  createSidecarLookup,
  externalIdFor,
  type KeyClaims,
  permitsSecret,
  previousEntries,
  toHostList,
} from './rules/shared/index.ts';
import type { Lookups, NamespaceOwners } from './types/index.ts';
import { objectKey, type World, type WorldSettings } from './types/index.ts';

export interface LookupInput extends Pick<Lookups, 'hashOf' | 'credentialOf'> {
  readonly world: World;
  readonly states: ObjectStates;
  readonly owners: NamespaceOwners;
  readonly keyClaims: KeyClaims;
  readonly published: PublishedEntries;
  /** Lists returned before: an equal list is the same list. */
  readonly grantLists: Map<string, readonly string[]>;
}

export function createLookups(input: LookupInput): Lookups {
  const { world, states, owners, keyClaims, published, grantLists, hashOf, credentialOf } = input;
  const { organisationNamespace } = world.settings;
  const { ownerOf, consents, workspaces } = owners;
  // Grants count only in the namespace of the organisation.
  const accesses = resourcesOf(states, 'IntegrationAccess').filter(
    ({ metadata }) => metadata.namespace === organisationNamespace,
  );
  const find: Lookups['find'] = (kind, namespace, name) =>
    resourceOf(states, kind, objectKey(namespace === '' ? undefined : namespace, name));
  const grants = createIntegrationGrants(accesses, { workspaces, known: grantLists });
  return {
    ownerOf,
    consents,
    find,
    exists: (kind, namespace, name) => {
      const state = states.get(kind)?.get(objectKey(namespace === '' ? undefined : namespace, name));
      if (state === undefined) return false;
      return state.parsed.resource !== undefined || previousEntries(state, published, ownerOf).length > 0;
    },
    isBroken: (kind, namespace, name) => {
      const state = states.get(kind)?.get(objectKey(namespace === '' ? undefined : namespace, name));
      return state !== undefined && state.parsed.resource === undefined;
    },
    isOrganisationOnly: (config) => {
      const state = states.get('GatewayConfig')?.get(objectKey(organisationNamespace, config));
      const resource = resourceOf(states, 'GatewayConfig', objectKey(organisationNamespace, config));
      if (resource !== undefined) return hasCredentials(resource.spec.config);
      const served = state === undefined ? [] : previousEntries(state, published, ownerOf);
      return served.some((entry) => entry.kind === 'config' && isOrganisationOnly(entry));
    },
    hashOf,
    credentialOf,
    ...grants,
    ...createServiceLookups(states, grants),
    isSecretGranted: (kind, namespace, from, secret) =>
      permitsSecret(world.referenceGrants?.get(from) ?? [], { group: GROUP, kind, namespace, secret }),
    pricingFor: createPricingLookup(states),
    secret: (namespace, name) => world.secrets.get(objectKey(namespace, name)),
    readingOf: (namespace, name) =>
      world.secretReadings === undefined ? 'known' : world.secretReadings.get(objectKey(namespace, name)),
    grantCommand: (namespace) => secretsCommand(world.settings.operatorAccount ?? DEFAULT_ACCOUNT, namespace),
    isContested: (sha256) => keyClaims.contested.has(sha256),
    claimWinner: (sha256) =>
      claimWinner(keyClaims, sha256, {
        metadataOf: (key) => states.get('ApiKey')?.get(key)?.parsed.object.metadata,
        isOwned: (namespace) => ownerOf(namespace) !== undefined,
      }),
    claimedHash: (apiKey) => keyClaims.hashes.get(apiKey),
    managedSecret: (namespace, name) => world.managedSecrets?.get(objectKey(namespace, name)),
    serviceOf: (namespace, name) => world.services?.get(objectKey(namespace, name)),
    accountOf: (namespace, name) =>
      world.serviceAccounts === undefined ? null : world.serviceAccounts.get(objectKey(namespace, name)),
    accountsCommand: (namespace) => accountsCommand(world.settings.operatorAccount ?? DEFAULT_ACCOUNT, namespace),
    workspaceNaming: createWorkloadLookup(states, owners),
    passesToFleet: createSidecarLookup(input),
    ...createHostLookups(states, world.settings),
    firstWorkspace: () => workspaces[0],
    ...createOrganisationLookups(states),
    ...createMemberLookups(states, organisationNamespace),
  };
}

/** Whether a config has credentials, or uses the identity of the gateway's pods. */
const hasCredentials = ({ provider, settings, secretRef, targets = [] }: KindConfig): boolean =>
  secretRef !== undefined ||
  nodeUsesPodIdentity({ provider, settings, hasCredential: false }) ||
  targets.some(hasCredentials);

/** The oldest of those for a model counts. */
function createPricingLookup(states: ObjectStates): Lookups['pricingFor'] {
  let names: ReadonlyMap<string, string> | undefined;
  const keyOf = (provider: string, model: string): string => `${provider}/${model}`;
  return (provider, model) => {
    names ??= new Map(
      resourcesOf(states, 'ModelPricing')
        .toReversed()
        .map(({ metadata, spec }) => [keyOf(spec.provider, spec.model), metadata.name]),
    );
    return names.get(keyOf(provider, model));
  };
}

function createWorkloadLookup(states: ObjectStates, { ownerOf }: NamespaceOwners): Lookups['workspaceNaming'] {
  let names: ReadonlyMap<string, string> | undefined;
  return (namespace, serviceAccount) => {
    names ??= new Map(
      resourcesOf(states, 'Workspace')
        .filter(({ metadata, spec }) => ownerOf(spec.namespace) === metadata.name)
        .toReversed()
        .flatMap(({ metadata, spec: { workloadIdentities = [] } }) =>
          workloadIdentities.map((named) => [objectKey(named.namespace, named.serviceAccount), metadata.name] as const),
        ),
    );
    return names.get(objectKey(namespace, serviceAccount));
  };
}

const ORGANISATION_NAME = 'default';

function createHostLookups(states: ObjectStates, { organisationNamespace, fleetNamespaces = [] }: WorldSettings) {
  let trusted: string | undefined;
  return {
    openedHosts: (workspace: string): string => {
      const organisation = resourceOf(states, 'Organisation', DEFAULT_ORGANISATION.metadata.name);
      const opened = organisation?.spec.tenantHosts ?? [];
      const isFor = (names: readonly string[] | undefined): boolean => names === undefined || names.includes(workspace);
      return toHostList(opened.filter(({ workspaces }) => isFor(workspaces)).map(({ host }) => host));
    },
    trustedHosts: (): string => {
      trusted ??= toHostList(
        resourcesOf(states, 'GatewayFleet')
          .filter(({ metadata: { namespace } }) =>
            [organisationNamespace, ...fleetNamespaces].includes(namespace ?? ''),
          )
          .flatMap(({ spec }) => spec.trustedHosts ?? []),
      );
      return trusted;
    },
  };
}

/** Integrations that hold the credential of a guardrail service, oldest first. */
function createServiceLookups(
  states: ObjectStates,
  grants: Pick<Lookups, 'isGranted'>,
): Pick<Lookups, 'serviceIntegration' | 'hasUnreadIntegration'> {
  let services: ReadonlyMap<string, readonly string[]> | undefined;
  let unread: ReadonlySet<string> | undefined;
  const keyOf = (namespace: string, plugin: string): string => `${namespace}/${plugin}`;
  return {
    serviceIntegration: (namespace, plugin, grantedTo) => {
      services ??= namesByKey(
        resourcesOf(states, 'Integration')
          .filter(({ spec }) => !PROVIDER_CATALOGUE.has(spec.provider))
          .map(({ metadata, spec }) => [keyOf(metadata.namespace ?? '', spec.provider), metadata.name]),
      );
      const names = services.get(keyOf(namespace, plugin)) ?? [];
      return grantedTo === '' ? names[0] : names.find((name) => grants.isGranted(name, grantedTo));
    },
    hasUnreadIntegration: (namespace) => {
      unread ??= unreadNamespaces(states);
      return unread.has(namespace);
    },
  };
}

function namesByKey(pairs: readonly (readonly [key: string, name: string])[]): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  for (const [key, name] of pairs) all.set(key, [...(all.get(key) ?? []), name]);
  return all;
}

function unreadNamespaces(states: ObjectStates): ReadonlySet<string> {
  const namespaces = new Set<string>();
  states.get('Integration')?.forEach(({ parsed: { resource, object } }) => {
    if (resource === undefined) namespaces.add(object.metadata.namespace ?? '');
  });
  return namespaces;
}

function createOrganisationLookups(
  states: ObjectStates,
): Pick<Lookups, 'isExemptFromGuardrails' | 'isIdentityGranted' | 'operatorIdentityGrant' | 'externalIdOf'> {
  const organisation = () => resourceOf(states, 'Organisation', ORGANISATION_NAME);
  return {
    isExemptFromGuardrails: (workspace, phase) => {
      const spec = organisation()?.spec;
      const exempt = phase === 'input' ? spec?.inputGuardrailExemptWorkspaces : spec?.outputGuardrailExemptWorkspaces;
      return exempt?.includes(workspace) ?? false;
    },
    isIdentityGranted: (workspace, cloud) =>
      organisation()?.spec.cloudIdentityGrants?.some(
        (grant) => grant.workspace === workspace && grant.clouds.some((granted) => granted === cloud),
      ) ?? false,
    operatorIdentityGrant: (workspace, manager) =>
      organisation()?.spec.operatorIdentityGrants?.find(
        (grant) => grant.workspace === workspace && grant.manager === manager,
      ),
    // Objects in files have no UID: their names are used instead, since one person owns them all.
    externalIdOf: (workspace) =>
      externalIdFor(
        organisation()?.metadata.uid ?? 'default',
        resourceOf(states, 'Workspace', workspace)?.metadata.uid ?? workspace,
      ),
  };
}
