/** Keeps the webhook configurations at the API server up to date while this process leads. */

import type { Certificates } from '../certificates/index.ts';
import {
  ApiError,
  type Clock,
  createApplier,
  createBackoff,
  createNamedWatches,
  type KindRef,
  type KubeClient,
  keyOf,
  type Log,
  sleep,
  systemClock,
} from '../runtime/index.ts';
import {
  type ConfigurationOptions,
  INJECTION,
  injectionConfiguration,
  MUTATING_CONFIGURATIONS,
  VALIDATING,
  VALIDATING_CONFIGURATIONS,
  validatingConfiguration,
  type WebhookConfiguration,
} from './configurations.ts';

export interface RegistrationOptions extends Omit<ConfigurationOptions, 'trust'> {
  readonly client: Pick<KubeClient, 'get' | 'watch' | 'apply'>;
  readonly certificates: Pick<Certificates, 'current' | 'subscribe'>;
  /** `namespace/name` of the Certificate when cert-manager fills in the trusted authorities. */
  readonly certManagerCertificate?: string | undefined;
  readonly log: Log;
  readonly clock?: Clock;
  readonly random?: () => number;
}

const RETRY = { minMs: 500, maxMs: 30_000 };

/**
 * Applies both webhook configurations once the webhooks answer, again when the authorities change, and after changes by others.
 * Runs until the signal ends; never rejects.
 */
export async function keepRegistered(options: RegistrationOptions, signal: AbortSignal): Promise<void> {
  const { client, certificates, log, clock = systemClock, random = Math.random } = options;
  const watch = (kind: KindRef<WebhookConfiguration>, name: string) => {
    const watches = createNamedWatches({ client, kind, log, clock, random });
    watches.want({ id: 'registration' }, new Set([name]));
    return watches;
  };
  const validating = watch(VALIDATING_CONFIGURATIONS, VALIDATING);
  const mutating = watch(MUTATING_CONFIGURATIONS, INJECTION);
  const applier = createApplier({
    client,
    fieldManager: 'gatehouse-operator',
    digestAnnotation: 'gatehouse.dev/applied',
    kinds: [VALIDATING_CONFIGURATIONS, MUTATING_CONFIGURATIONS],
    live: (kind, key) => (kind.kind === VALIDATING_CONFIGURATIONS.kind ? validating : mutating).store.get(key),
  });
  const backoff = createBackoff(RETRY, random);
  let changed = Promise.withResolvers<void>();
  const onChange = (): void => changed.resolve();

  const apply = async (): Promise<void> => {
    const given = { ...options, trust: trustOf(options) };
    for (const object of [validatingConfiguration(given), injectionConfiguration(given)]) {
      const outcome = await applier.apply(object, { signal });
      if (outcome === 'applied') log.info({ webhooks: keyOf(object.metadata) }, 'Applied a webhook configuration');
    }
    backoff.reset();
  };
  using _changes = certificates.subscribe(onChange);
  using _validating = validating.store.subscribe(onChange);
  using _mutating = mutating.store.subscribe(onChange);
  signal.addEventListener('abort', onChange, { once: true });
  const watching = Promise.all([validating.run(signal), mutating.run(signal)]);
  await Promise.all([validating.settled(signal), mutating.settled(signal)]).catch(() => {}); // the signal has ended
  while (!signal.aborted) {
    changed = Promise.withResolvers();
    try {
      await apply();
      await changed.promise;
    } catch (error) {
      if (signal.aborted) break;
      log.warn(
        { reason: error instanceof ApiError ? error.reason : 'Other' },
        'Could not apply a webhook configuration',
      );
      await sleep(backoff.next(), { signal, clock }).catch(() => {}); // the signal has ended
    }
  }
  await watching;
}

const trustOf = ({ certManagerCertificate, certificates }: RegistrationOptions): ConfigurationOptions['trust'] =>
  certManagerCertificate === undefined ? { caPem: certificates.current.caPem } : { certManagerCertificate };
