import type { KindName } from '@gatehouse/crds/kinds';
import type { ServedNamespaces } from '../refs/index.ts';
import {
  type Clock,
  createNamespaceWatches,
  type KubeClient,
  type KubeObject,
  keyOf,
  type Log,
  nameOf,
  namespaceOf,
  type ObjectKey,
  type Store,
  systemClock,
  untilAborted,
} from '../runtime/index.ts';
import type { ServiceReading } from '../translate/index.ts';
import { isSameReading, podAddresses, readService } from './endpoints.ts';
import { ENDPOINT_SLICES, PODS, SERVICE_LABEL, SERVICES, slimPod, slimService, slimSlice } from './kinds.ts';
import { NAMING_KINDS, type Naming, servicesNamedBy } from './wanted.ts';

export interface ServiceReadingsOptions {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly kinds: ReadonlyMap<KindName, Pick<Store<Naming>, 'subscribe' | 'objects' | 'get'>>;
  /** The namespaces whose resources may be served. */
  readonly served: ServedNamespaces;
  /** Its Services are not read: resources of the organisation may name any. */
  readonly organisationNamespace: string;
  readonly clusterDomain: string;
  readonly log: Log;
  readonly clock?: Clock;
}

/** Readings by `namespace/name`, with the interface of a store. */
export interface ServiceReadings {
  readonly objects: ReadonlyMap<ObjectKey, ServiceReading>;
  get(key: ObjectKey): ServiceReading | undefined;
  subscribe(listener: (change: { readonly key: ObjectKey }) => void): Disposable;
  /** Watches until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
  /** Resolves when everything that is named now has been read; rejects with the reason of the signal. */
  settled(signal: AbortSignal): Promise<void>;
}

/** Namespaces that are watched; far above any real installation. */
const MAX_NAMESPACES = 500;
/** Shortest interval between changes of the readings of a namespace, for pods that come and go all the time, in ms. */
const PACE_MS = 1_000;

/** Watches Services, EndpointSlices and pods in those namespaces of workspaces whose resources name Services there. */
export function createServiceReadings(options: ServiceReadingsOptions): ServiceReadings {
  const { client, log, clock = systemClock } = options;
  const services = createNamespaceWatches({ client, log, clock, kind: SERVICES, transform: slimService });
  const slices = createNamespaceWatches({ client, log, clock, kind: ENDPOINT_SLICES, transform: slimSlice });
  const pods = createNamespaceWatches({ client, log, clock, kind: PODS, transform: slimPod });
  const all = [services, slices, pods] as const;
  const readings = new Map<ObjectKey, ServiceReading>();
  const listeners = new Set<(change: { readonly key: ObjectKey }) => void>();
  let progress = Promise.withResolvers<void>();
  const tell = (key: ObjectKey): void => {
    for (const listener of listeners) listener({ key });
  };
  const isKnown = (namespace: string): boolean => all.every((watches) => watches.isKnown(namespace));

  const wanted = followWanted(options, (namespace, names) => {
    for (const watches of all) watches.set(namespace, names.size > 0);
    for (const key of [...readings.keys()]) {
      if (namespaceOf(key) !== namespace || names.has(nameOf(key).name)) continue;
      readings.delete(key);
      tell(key);
    }
    refresh(namespace);
  });

  const refresh = (namespace: string): void => {
    if (!isKnown(namespace)) return;
    const addresses = podAddresses(within(pods.store, namespace));
    const bySlices = Map.groupBy(within(slices.store, namespace), ({ metadata }) => metadata.labels?.[SERVICE_LABEL]);
    for (const name of wanted.in(namespace)) {
      const key = keyOf({ namespace, name });
      const reading = readService(services.store.get(key), bySlices.get(name) ?? [], addresses);
      if (isSameReading(readings.get(key), reading)) continue;
      readings.set(key, reading);
      tell(key);
    }
  };
  const paced = createPace(refresh, clock);
  for (const { store, subscribe } of all) {
    store.subscribe(({ key }) => paced(namespaceOf(key)));
    subscribe((namespace) => {
      refresh(namespace);
      progress.resolve();
      progress = Promise.withResolvers();
    });
  }
  wanted.start();
  return {
    objects: readings,
    get: (key) => readings.get(key),
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    run: async (signal) => {
      await Promise.all(all.map((watches) => watches.run(signal)));
    },
    settled: async (signal) => {
      while (![...wanted.namespaces()].every(isKnown)) await untilAborted(progress.promise, signal);
    },
  };
}

function* within<T extends KubeObject>(store: Store<T, 'namespace'>, namespace: string): Iterable<T> {
  for (const key of store.indexed('namespace', namespace)) {
    const object = store.get(key);
    if (object !== undefined) yield object;
  }
}

/** At once the first time, then at most once per interval and namespace. */
function createPace(work: (namespace: string) => void, clock: Clock): (namespace: string) => void {
  const resting = new Map<string, { again: boolean }>();
  const run = (namespace: string): void => {
    const rest = { again: false };
    resting.set(namespace, rest);
    clock.schedule(PACE_MS, () => {
      resting.delete(namespace);
      if (rest.again) run(namespace);
    });
    work(namespace);
  };
  return (namespace) => {
    const rest = resting.get(namespace);
    if (rest === undefined) run(namespace);
    else rest.again = true;
  };
}

/** The names of Services by namespace, as resources come and go; `onChange` gets all names of a namespace. */
function followWanted(
  { kinds, served, organisationNamespace, clusterDomain, log }: ServiceReadingsOptions,
  onChange: (namespace: string, names: ReadonlySet<string>) => void,
) {
  const byObject = new Map<string, Map<string, ReadonlySet<string>>>();
  const followed = new Set<string>();
  const namesIn = (namespace: string): ReadonlySet<string> => {
    if (namespace === organisationNamespace || !served.has(namespace)) return new Set();
    return new Set([...(byObject.get(namespace)?.values() ?? [])].flatMap((names) => [...names]));
  };
  const publish = (namespace: string): void => {
    const names = namesIn(namespace);
    if (names.size > 0 && !followed.has(namespace) && followed.size >= MAX_NAMESPACES) {
      log.error({ namespace, most: MAX_NAMESPACES }, 'Services are named in too many namespaces');
      return;
    }
    if (names.size > 0) followed.add(namespace);
    else if (!followed.delete(namespace)) return;
    onChange(namespace, names);
  };
  const update = (kind: KindName, key: ObjectKey): void => {
    const object = kinds.get(kind)?.get(key);
    const namespace = namespaceOf(key);
    const names = object === undefined ? new Set<string>() : servicesNamedBy(object, clusterDomain);
    const beside = byObject.get(namespace) ?? new Map<string, ReadonlySet<string>>();
    if (names.size === 0 && !beside.has(`${kind}/${key}`)) return;
    if (names.size === 0) beside.delete(`${kind}/${key}`);
    else beside.set(`${kind}/${key}`, names);
    if (beside.size === 0) byObject.delete(namespace);
    else byObject.set(namespace, beside);
    publish(namespace);
  };
  return {
    start: (): void => {
      for (const kind of NAMING_KINDS) {
        const store = kinds.get(kind);
        for (const key of store?.objects.keys() ?? []) update(kind, key);
        store?.subscribe(({ key, object, previous }) => {
          // The content of a resource may have been left out before.
          const hasCome = object?.weight === undefined && previous?.weight !== undefined;
          if (hasCome || object?.metadata.generation !== previous?.metadata.generation) update(kind, key);
        });
      }
      served.subscribe(publish);
    },
    in: (namespace: string): Iterable<string> => (followed.has(namespace) ? namesIn(namespace) : []),
    namespaces: (): Iterable<string> => followed,
  };
}
