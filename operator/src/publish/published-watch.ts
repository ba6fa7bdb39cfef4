/**
 * Watches the published objects of a fleet by their label: metadata alone, so that no value of a Secret is kept. Reports when
 * one is changed or deleted. A watch without a list, since the operator may not list Secrets.
 */
import {
  type Clock,
  createFollower,
  createStore,
  type Follower,
  type KindRef,
  type KubeClient,
  type KubeObject,
  keyOf,
  type Log,
  type ObjectMeta,
  type Store,
} from '../runtime/index.ts';
import { CONFIG_MAPS, FLEET_LABEL, type FleetIdentity, SECRETS, shardKind } from './objects.ts';

export interface PublishedWatchOptions {
  readonly client: Pick<KubeClient, 'watch'>;
  readonly fleet: FleetIdentity;
  readonly log: Log;
  readonly clock: Clock;
  /** An object was changed or deleted, or may have been while the watch was not open. */
  readonly onChange: () => void;
}

export interface WatchedObject {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly isLeaving: boolean;
}

type ObjectSide = { readonly secret: boolean };

export interface PublishedWatch {
  /** False while the watches are not open, or have just been opened and have not shown all objects yet. */
  readonly isLive: boolean;
  /** Undefined: there is no such object with the label of the fleet. */
  find(sort: ObjectSide, name: string): WatchedObject | undefined;
  names(sort: ObjectSide): Iterable<string>;
  /** Watches until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

/** A watch without a resourceVersion shows existing objects first: after this long it has, in ms. */
export const SHOWN_MS = 1_000;

export function createPublishedWatch(options: PublishedWatchOptions): PublishedWatch {
  const { fleet, clock, onChange } = options;
  const { namespace } = fleet;
  const sides = { configMaps: watchSide(CONFIG_MAPS, options), secrets: watchSide(SECRETS, options) };
  const of = (sort: ObjectSide): Side => (shardKind(sort) === SECRETS ? sides.secrets : sides.configMaps);
  const both = Object.values(sides);
  return {
    get isLive() {
      return both.every(({ follower, openedMs }) => {
        const { failure } = follower.health();
        const opened = openedMs();
        return failure === undefined && opened !== undefined && clock.monotonicMs() - opened >= SHOWN_MS;
      });
    },
    find: (sort, name) => {
      const { uid, resourceVersion, deletionTimestamp } =
        of(sort).store.get(keyOf({ namespace, name }))?.metadata ?? {};
      if (uid === undefined || resourceVersion === undefined) return undefined;
      return { uid, resourceVersion, isLeaving: typeof deletionTimestamp === 'string' };
    },
    names: (sort) => [...of(sort).store.objects.values()].map(({ metadata }) => metadata.name),
    run: async (signal) => {
      const subscriptions = both.map(({ store }) => store.subscribe(onChange));
      await Promise.all(both.map(({ follower }) => follower.run(signal)));
      for (const resource of [...subscriptions, ...both]) resource[Symbol.dispose]();
    },
  };
}

interface Side extends Disposable {
  readonly store: Store<KubeObject>;
  readonly follower: Follower;
  /** When the current watch was opened. */
  readonly openedMs: () => number | undefined;
}

function watchSide(kind: KindRef, { client, fleet, log, clock, onChange }: PublishedWatchOptions): Side {
  const { namespace, name } = fleet;
  const store = createStore<KubeObject>({ transform: bare });
  let openedMs: number | undefined;
  let shown: Disposable | undefined;
  const follower = createFollower<KubeObject>({
    client: { watch: (of, options) => client.watch(of, { ...options, metadataOnly: true }) },
    kind,
    selection: { namespace, labelSelector: `${FLEET_LABEL}=${name}` },
    store,
    log,
    clock,
    toInitialRead: (onRead) => ({
      when: 'after its start',
      take: async () => {
        for (const key of [...store.keys(namespace)]) store.evict(key);
        openedMs = clock.monotonicMs();
        onRead();
        shown?.[Symbol.dispose]();
        shown = clock.schedule(SHOWN_MS, onChange); // for whatever was changed while no watch was open
        return undefined;
      },
    }),
  });
  return { store, follower, openedMs: () => openedMs, [Symbol.dispose]: () => shown?.[Symbol.dispose]() };
}

const bare = ({ apiVersion, kind, metadata }: KubeObject): KubeObject => {
  const { name, namespace, uid, resourceVersion, deletionTimestamp }: ObjectMeta = metadata;
  return { apiVersion, kind, metadata: { name, namespace, uid, resourceVersion, deletionTimestamp } };
};
