import type { KindRef, KubeClient, KubeObject, Selection } from '../client/index.ts';
import type { Log } from '../log.ts';
import type { StoreWriter } from '../store/index.ts';
import type { Clock } from '../time/index.ts';
import { createFollower, type Follower } from './follower.ts';
import { initialList } from './initial-reads.ts';
import type { FeedTiming } from './timing.ts';

export interface ReflectorOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'list' | 'watch'>;
  readonly kind: KindRef<T>;
  readonly selection: Selection;
  readonly store: StoreWriter<T>;
  readonly log: Log;
  /** A Kind that the server does not know has no objects, until it appears. */
  readonly optional?: boolean | undefined;
  /** Objects per page of a list; less for a Kind of large objects. Default 500. */
  readonly pageSize?: number | undefined;
  /** Objects per page as long as they are small. Default: as many. */
  readonly maxPageSize?: number | undefined;
  readonly timing?: FeedTiming | undefined;
  readonly clock?: Clock | undefined;
  readonly random?: (() => number) | undefined;
}

const PAGE_SIZE = 500;

/** Lists and watches one Kind in one namespace, or in all. */
export function createReflector<T extends KubeObject>(options: ReflectorOptions<T>): Follower {
  const { client, kind, selection, store, pageSize = PAGE_SIZE, maxPageSize = pageSize, optional = false } = options;
  const clear = (): void => {
    for (const key of [...store.keys(selection.namespace)]) store.remove(key);
  };
  return createFollower({
    ...options,
    onAbsent: optional ? clear : undefined,
    toInitialRead: (onRead) => initialList({ client, kind, selection, store, pageSize, maxPageSize, onRead }),
  });
}
