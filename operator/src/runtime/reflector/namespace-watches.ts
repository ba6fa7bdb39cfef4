import type { KindRef, KubeClient, KubeObject } from '../client/index.ts';
import type { Log } from '../log.ts';
import { createStore, type Store, type StoreWriter } from '../store/index.ts';
import { aborted, type Clock } from '../time/index.ts';
import { createReflector } from './reflector.ts';
import type { FeedTiming } from './timing.ts';

export interface NamespaceWatchesOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly kind: KindRef<T>;
  readonly log: Log;
  /** Drops unused parts before the object is kept. Must keep the metadata. */
  readonly transform?: ((object: T) => T) | undefined;
  readonly timing?: FeedTiming | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

/** The objects of one Kind in a changing set of namespaces. */
export interface NamespaceWatches<T extends KubeObject> {
  readonly store: Store<T, 'namespace'>;
  /** Starts to watch a namespace, or stops and drops its objects without events. */
  set(namespace: string, isWanted: boolean): void;
  /** Whether everything in the namespace has been read. */
  isKnown(namespace: string): boolean;
  /** Called when a namespace has become known. */
  subscribe(listener: (namespace: string) => void): Disposable;
  /** Watches what is wanted until the signal ends; never rejects. */
  run(signal: AbortSignal): Promise<void>;
}

interface Watched {
  readonly stop: AbortController;
  readonly start: (signal: AbortSignal) => Promise<void>;
  known: boolean;
}

/** One reflector per wanted namespace. */
export function createNamespaceWatches<T extends KubeObject>(options: NamespaceWatchesOptions<T>): NamespaceWatches<T> {
  const { transform } = options;
  const store = createStore<T, 'namespace'>({
    indexes: { namespace: ({ metadata }) => [metadata.namespace ?? ''] },
    ...(transform === undefined ? {} : { transform }),
  });
  const watched = new Map<string, Watched>();
  const running = new Set<Promise<void>>();
  const listeners = new Set<(namespace: string) => void>();
  let life: AbortSignal | undefined;

  const start = ({ stop, start: run }: Watched): void => {
    if (life === undefined) return;
    const work = run(stop.signal).finally(() => running.delete(work));
    running.add(work);
  };
  const open = (namespace: string): void => {
    const stop = new AbortController();
    // An answer may arrive after the namespace was closed.
    const put: StoreWriter<T>['put'] = (object, how) => (stop.signal.aborted ? undefined : store.put(object, how));
    const reflector = createReflector({ ...options, selection: { namespace }, store: { ...store, put } });
    const entry: Watched = { stop, start: (signal) => reflector.run(signal), known: false };
    watched.set(namespace, entry);
    const onSynced = (): void => {
      if (stop.signal.aborted) return;
      entry.known = true;
      for (const listener of listeners) listener(namespace);
    };
    reflector.synced.then(onSynced, () => {}); // it never rejects
    start(entry);
  };
  const close = (namespace: string): void => {
    watched.get(namespace)?.stop.abort();
    watched.delete(namespace);
    for (const key of [...store.indexed('namespace', namespace)]) store.evict(key);
  };
  return {
    store,
    set: (namespace, isWanted) => {
      if (isWanted === watched.has(namespace)) return;
      if (isWanted) open(namespace);
      else close(namespace);
    },
    isKnown: (namespace) => watched.get(namespace)?.known ?? false,
    subscribe: (listener) => {
      listeners.add(listener);
      return { [Symbol.dispose]: () => listeners.delete(listener) };
    },
    run: async (signal) => {
      life = signal;
      for (const entry of watched.values()) start(entry);
      await aborted(signal);
      for (const { stop } of watched.values()) stop.abort();
      await Promise.all(running);
    },
  };
}
