/** Translates the world of the stores whenever it changes; on every replica. */
import type { OperatorOptions } from '../config/index.ts';
import { isOfOrganisation } from '../kinds/gateway-fleet/index.ts';
import { type FleetName, readPublished } from '../publish/fleets/index.ts';
import { servedNamespaces, wantSecrets, wantServiceAccounts } from '../refs/index.ts';
import {
  createBackoff,
  type KubeClient,
  keyOf,
  type Log,
  nameOf,
  namespaceOf,
  sleep,
  systemClock,
} from '../runtime/index.ts';
import { createSecretManagers, type SecretFetcher, type SecretManagersOptions } from '../secret-managers/index.ts';
import { createServiceReadings, type ServiceReadings } from '../services/index.ts';
import { indexPublished, staysWithin } from '../translate/index.ts';
import { createLiveWorld, createTranslations, type PublishedBefore, type Translations } from '../world/index.ts';
import { type ClusterIssuerWatch, watchClusterIssuer } from './cluster-issuer.ts';
import { type Stores, storeOf } from './stores.ts';

export interface TranslatorOptions {
  readonly options: OperatorOptions;
  readonly client: KubeClient;
  readonly stores: Stores;
  readonly log: Log;
  readonly onTranslated: (seconds: number) => void;
  readonly onFailure: () => void;
  readonly onFetched: SecretManagersOptions['onFetched'];
  /** The environment of the process. */
  readonly variables: SecretManagersOptions['variables'];
}

export interface Translator {
  readonly translations: Translations;
  readonly services: ServiceReadings;
  readonly managers: SecretFetcher;
  readonly clusterIssuer: ClusterIssuerWatch;
  /** Makes the first translation; call it when the stores are complete. Rejects with the reason of the signal. */
  start(signal: AbortSignal): Promise<void>;
}

const RETRY = { minMs: 500, maxMs: 30_000 };
/** How often fleets whose content may not be read yet are tried again, in ms. */
const UNREAD_MS = 2_000;

export function createTranslator({
  options,
  client,
  stores,
  log,
  onTranslated,
  onFailure,
  onFetched,
  variables,
}: TranslatorOptions): Translator {
  const { organisationNamespace, fleetNamespaces, namespaces, allowedHosts, clusterDomain, caps } = options;
  const served = servedNamespaces({
    organisationNamespace,
    workspaces: storeOf(stores, 'Workspace'),
    namespaces: stores.namespaces,
  });
  const services = createServiceReadings({
    client,
    kinds: stores.kinds,
    served,
    organisationNamespace,
    clusterDomain,
    log,
  });
  const clusterIssuer = watchClusterIssuer({ client, log, onChange: () => translations.trigger() });
  const managers = createSecretManagers({
    variables,
    vaultTokenFile: options.vaultTokenFile,
    ownNamespaces: [organisationNamespace, ...fleetNamespaces],
    log,
    onFetched,
  });
  const world = createLiveWorld({
    clusterIssuer: () => clusterIssuer.current,
    stores: { ...stores, services, managedSecrets: managers },
    settings: {
      organisationNamespace,
      fleetNamespaces: [...fleetNamespaces],
      consent: 'label',
      mintsKeys: true,
      operatorAccount: options.account,
      caps,
      allowedHosts,
      clusterDomain,
    },
    namespaces,
    onChange: () => translations.trigger(),
    bytesOf: stores.contentCache.bytesOf,
  });
  const translations = createTranslations({ takeWorld: world.take, onTranslated, onFailure, log });
  translations.subscribe(({ translation }) => {
    managers.update(translation.fetches);
    if (stores.contentCache.settle(translation, world.touch)) translations.trigger();
  });
  wantSecrets({
    kinds: stores.kinds,
    grants: stores.grants,
    watches: stores.secrets,
    namespaces,
    served,
  });
  wantServiceAccounts({ workspaces: storeOf(stores, 'Workspace'), watches: stores.accounts, namespaces });
  return {
    translations,
    services,
    managers,
    clusterIssuer,
    start: async (signal) => {
      const reading = { client, stores, log, signal, options };
      const { before, unread } = await readPublishedEntries(fleetsOf(reading), reading);
      await translations.start(before);
      if (unread.length > 0) void readUnreadFleets(unread, translations, reading);
    },
  };
}

interface Reading extends Pick<TranslatorOptions, 'options' | 'client' | 'stores' | 'log'> {
  readonly signal: AbortSignal;
}

/**
 * Only fleets of the organisation: tenants can write what is in the namespaces of workspaces, so that it proves nothing.
 */
const fleetsOf = ({ options, stores }: Reading): readonly FleetName[] =>
  [...stores.fleets.fleets.objects.keys()]
    .map((key) => ({ namespace: namespaceOf(key), name: nameOf(key).name }))
    .filter(({ namespace }) => isOfOrganisation(namespace, options));

interface Recalled {
  readonly before: PublishedBefore;
  readonly unread: readonly FleetName[];
}

/**
 * Retries until the signal ends: without the published entries, an object that is broken now would lose what is served for it.
 */
async function readPublishedEntries(
  fleets: readonly FleetName[],
  { options, client, log, signal }: Reading,
): Promise<Recalled> {
  const backoff = createBackoff(RETRY, Math.random);
  for (;;) {
    try {
      const { entries, unread } = await readPublished(fleets, { client, log, signal });
      const published = indexPublished(entries, (entry) => staysWithin(entry, options.allowedHosts));
      return { before: { published, unreadFleets: new Set(unread.map(keyOf)) }, unread };
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, 'Could not read what was published before');
      await sleep(backoff.next(), { signal, clock: systemClock });
    }
  }
}

/**
 * Reads what fleets serve as soon as the right to do so is granted; nothing is published to them before. The first content
 * published after that holds what they served, also of namespaces whose Secrets may not be read yet. Ends with the signal;
 * never rejects.
 */
async function readUnreadFleets(
  missing: readonly FleetName[],
  translations: Translations,
  reading: Reading,
): Promise<void> {
  const { log, signal, stores } = reading;
  const { objects } = stores.fleets.fleets;
  let unread = missing;
  log.warn({ fleets: unread.map(keyOf) }, 'Nothing is published to fleets whose content may not be read yet');
  try {
    while (unread.length > 0) {
      await sleep(UNREAD_MS, { signal, clock: systemClock });
      const there = unread.filter((fleet) => objects.has(keyOf(fleet)));
      const next = await readPublishedEntries(there, reading);
      if (next.unread.length === unread.length) continue;
      unread = next.unread;
      translations.recall(next.before);
    }
  } catch (error) {
    if (!signal.aborted) log.error({ err: error }, 'Could not go on reading what fleets serve');
  }
}
