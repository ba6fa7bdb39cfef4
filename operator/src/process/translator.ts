/** The world as the stores have it, translated whenever it changes; on every replica. */
import { DEFAULT_TARGET_CAPS } from '@gatehouse/crds/config';
import type { OperatorOptions } from '../config/index.ts';
import { isOfOrganisation } from '../kinds/gateway-fleet/index.ts';
import { createTranslations, readPublished, type Translations } from '../program/index.ts';
import { servedNamespaces, wantSecrets } from '../refs/index.ts';
import { createBackoff, type KubeClient, type Log, nameOf, namespaceOf, sleep, systemClock } from '../runtime/index.ts';
import { createServiceBook, type ServiceBook } from '../services/index.ts';
import { createLastGood, type LastGood } from '../translate/index.ts';
import { createLiveWorld } from '../world/index.ts';
import { type Stores, storeOf } from './stores.ts';

export interface TranslatorOptions {
  readonly options: OperatorOptions;
  readonly client: KubeClient;
  readonly stores: Stores;
  readonly log: Log;
  readonly onTranslated: (seconds: number) => void;
  readonly onFailure: () => void;
}

export interface Translator {
  readonly translations: Translations;
  readonly services: ServiceBook;
  /** Makes the first translation; to be called when the stores are complete. Rejects with the reason of the signal. */
  start(signal: AbortSignal): Promise<void>;
}

const RETRY = { minMs: 500, maxMs: 30_000 };

export function createTranslator({
  options,
  client,
  stores,
  log,
  onTranslated,
  onFailure,
}: TranslatorOptions): Translator {
  const { organisationNamespace, fleetNamespaces, namespaces, allowedHosts, clusterDomain } = options;
  const served = servedNamespaces({
    organisationNamespace,
    workspaces: storeOf(stores, 'Workspace'),
    namespaces: stores.namespaces,
  });
  const services = createServiceBook({
    client,
    kinds: stores.kinds,
    served,
    organisationNamespace,
    clusterDomain,
    log,
  });
  const world = createLiveWorld({
    stores: { ...stores, services },
    settings: {
      organisationNamespace,
      fleetNamespaces: [...fleetNamespaces],
      consent: 'label',
      mintsKeys: true,
      operatorAccount: options.account,
      caps: DEFAULT_TARGET_CAPS,
      allowedHosts,
      clusterDomain,
    },
    namespaces,
    onChange: () => translations.trigger(),
    bytesOf: stores.contents.bytesOf,
  });
  const translations = createTranslations({ takeWorld: world.take, onTranslated, onFailure, log });
  translations.subscribe(({ translation }) => {
    if (stores.contents.settle(translation, world.touch)) translations.trigger();
  });
  wantSecrets({
    kinds: stores.kinds,
    grants: stores.grants,
    watches: stores.secrets,
    namespaces,
    served,
  });
  return {
    translations,
    services,
    start: async (signal) => translations.start(await readLastGood({ client, stores, log, signal, options })),
  };
}

interface Reading extends Pick<TranslatorOptions, 'options' | 'client' | 'stores' | 'log'> {
  readonly signal: AbortSignal;
}

/**
 * Without what was published before, an object that is broken now would lose what is served for it: worth waiting for. What stands
 * in the namespaces of workspaces is theirs to write, and so tells nothing.
 */
async function readLastGood({ options, client, stores, log, signal }: Reading): Promise<LastGood> {
  const backoff = createBackoff(RETRY, Math.random);
  const fleets = [...stores.fleets.fleets.objects.keys()]
    .map((key) => ({ namespace: namespaceOf(key), name: nameOf(key).name }))
    .filter(({ namespace }) => isOfOrganisation(namespace, options));
  for (;;) {
    try {
      return createLastGood(await readPublished(fleets, { client, log, signal }), options.allowedHosts);
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ err: error }, 'Could not read what was published before');
      await sleep(backoff.next(), { signal, clock: systemClock });
    }
  }
}
