import {
  hasReason,
  isExpired,
  type KindRef,
  type KubeClient,
  type KubeObject,
  keyOf,
  type ObjectKey,
  type ObjectName,
  type Selection,
} from '../client/index.ts';
import type { StoreWriter } from '../store/index.ts';
import type { InitialRead } from './feed.ts';

interface InitialListOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'list'>;
  readonly kind: KindRef<T>;
  readonly selection: Selection;
  readonly store: StoreWriter<T>;
  readonly pageSize: number;
  /** For as long as objects are small; default: the same. */
  readonly maxPageSize: number;
  readonly onRead: () => void;
}

/** A page is as long as objects of the size of the last page make it: each call costs as much as some hundred objects. */
const PAGE_CHARACTERS = 4 * 1024 * 1024;

/** Lists page by page. Listeners of the store get the differences only; what the list lacks is removed at its end. */
export function initialList<T extends KubeObject>(options: InitialListOptions<T>): InitialRead {
  const { client, kind, selection, store, onRead } = options;
  let initial = true;
  let limit: number | undefined = options.pageSize;
  let { maxPageSize } = options;

  const readPage = async (continueToken: string | undefined, onItem: (item: T) => void, signal: AbortSignal) => {
    let [items, characters] = [0, 0];
    const count = (item: T, length: number): void => {
      items += 1;
      characters += length;
      onItem(item);
    };
    try {
      const page = await client.list(kind, { ...selection, limit, continueToken, onItem: count, signal });
      page.items.forEach(onItem);
      const wanted = Math.floor((PAGE_CHARACTERS * items) / Math.max(characters, 1));
      if (limit !== undefined) limit = Math.max(options.pageSize, Math.min(maxPageSize, wanted));
      return page;
    } catch (error) {
      // The list took longer than the server keeps its state: only one answer with everything is consistent.
      if (isExpired(error)) limit = undefined;
      else {
        limit = options.pageSize;
        maxPageSize = options.pageSize; // larger objects may have followed the small ones
      }
      throw error;
    }
  };

  return {
    when: 'before the watch',
    take: async (signal) => {
      const seen = new Set<ObjectKey>();
      let continueToken: string | undefined;
      let version: string;
      const take = (item: T): void => {
        seen.add(keyOf(item.metadata));
        store.put(item, { initial });
      };
      do {
        const page = await readPage(continueToken, take, signal);
        onRead();
        ({ continueToken, resourceVersion: version } = page);
      } while (continueToken !== undefined);
      for (const key of [...store.keys(selection.namespace)]) if (!seen.has(key)) store.remove(key);
      limit = options.pageSize;
      ({ maxPageSize } = options);
      initial = false;
      return version;
    },
  };
}

interface InitialGetOptions<T extends KubeObject> {
  readonly client: Pick<KubeClient, 'get'>;
  readonly kind: KindRef<T>;
  readonly name: ObjectName;
  readonly store: StoreWriter<T>;
  readonly onRead: () => void;
}

/**
 * Gets one object once its watch is open. A watch without a resourceVersion shows an existing object and nothing for a missing
 * one: only a get can tell. Whichever comes last, the store ends up with the current state.
 */
export function initialGet<T extends KubeObject>(options: InitialGetOptions<T>): InitialRead {
  const { client, kind, name, store, onRead } = options;
  return {
    when: 'after its start',
    take: async (signal) => {
      const object = await client.get(kind, name, { signal }).catch((error: unknown) => {
        if (hasReason(error, 'NotFound')) return undefined;
        throw error;
      });
      if (object === undefined) store.remove(keyOf(name));
      else store.put(object, { initial: false });
      onRead();
      return undefined;
    },
  };
}
