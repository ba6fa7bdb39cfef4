import { ApiError, type KindRef, type KubeClient, type KubeObject, keyOf, type Selection } from '../client/index.ts';
import type { StoreWriter } from '../store/index.ts';
import type { ConcurrencyLimit } from './concurrency-limit.ts';
import type { FeedTiming } from './timing.ts';

/** Reads the state that a watch continues from. */
export interface InitialRead {
  /** A list gives the resourceVersion to watch from; a get finds out what a watch without one does not show. */
  readonly when: 'before the watch' | 'after its start';
  take(signal: AbortSignal): Promise<string | undefined>;
}

export interface FeedOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'watch'>;
  readonly kind: KindRef<T>;
  readonly selection: Selection;
  readonly store: StoreWriter<T>;
  readonly initialRead: InitialRead;
  readonly timing: FeedTiming;
  readonly random: () => number;
  readonly gate: ConcurrencyLimit;
  /** A valid event or object was read. */
  readonly onRead: () => void;
  /** The store has the state of the cluster. */
  readonly onInitialRead: () => void;
}

/** Fills a store, one watch after the other. */
export interface Feed {
  /** Runs one watch to its end; `complete` is false when it ended too early. Throws its error. */
  next(signal: AbortSignal): Promise<{ readonly complete: boolean }>;
  /** Makes the next watch start from a new initial read. */
  restart(): void;
}

/** Watches that end sooner than this are restarted with a back-off. */
const MIN_WATCH_MS = 1_000;
/** The fraction of its requested duration after which the end of a watch is regular. */
const ON_TIME = 0.9;

export function createFeed<T extends KubeObject>(options: FeedOptions<T>): Feed {
  const { client, kind, selection, store, initialRead, timing, onRead } = options;
  let version: string | undefined;

  const take = async (signal: AbortSignal): Promise<void> => {
    version = await initialRead.take(signal);
    options.onInitialRead();
  };
  const open = async (timeoutSeconds: number, signal: AbortSignal) => {
    const silenceMs = timeoutSeconds * 2_000;
    const given = { ...selection, resourceVersion: version, timeoutSeconds, silenceMs, signal };
    const stream = await client.watch(kind, given);
    if (version !== undefined) return stream;
    try {
      await take(signal);
      return stream;
    } catch (error) {
      stream[Symbol.dispose]();
      throw error;
    }
  };

  return {
    restart: () => {
      version = undefined;
    },
    next: async (signal) => {
      if (version === undefined && initialRead.when === 'before the watch') await take(signal);
      const startedMs = performance.now();
      const timeoutSeconds = between(timing.watchSeconds, options.random());
      using stream = await options.gate(signal, () => open(timeoutSeconds, signal));
      let reads = 0;
      for await (const event of stream) {
        if (event.type === 'BOOKMARK') version = event.resourceVersion;
        else {
          if (event.type === 'DELETED') store.remove(keyOf(event.object.metadata));
          else store.put(event.object, { initial: false });
          version = event.object.metadata.resourceVersion;
        }
        reads += 1;
        onRead();
      }
      const lastedMs = performance.now() - startedMs;
      return { complete: lastedMs > (reads > 0 ? MIN_WATCH_MS : timeoutSeconds * 1_000 * ON_TIME) };
    },
  };
}

/** Whether a failed watch can continue where it was: no event is lost. */
export function canResume(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.reason === 'Unreachable' || error.status === 429) return true;
  return error.status >= 500 && error.reason !== 'Timeout'; // a resourceVersion from the future gives 504 Timeout
}

const between = ({ min, max }: { min: number; max: number }, random: number): number =>
  Math.round(min + random * (max - min));
