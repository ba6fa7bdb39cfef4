import { LayeredMap } from '../translate/index.ts';

/** The content of a store as an immutable map; each read costs what has changed since the last one. */
export interface LiveLayer<V> {
  /** Keys for which `isDue` is false stay as they were until a later read. */
  take(isDue?: (key: string) => boolean): LayeredMap<V>;
  /** Marks a key that the store did not report, e.g. since it was evicted. */
  touch(key: string): void;
}

/** A store, or anything that reports changes like one. */
interface Source<T> {
  readonly objects: Pick<ReadonlyMap<string, T>, 'keys'>;
  get(key: string): T | undefined;
  subscribe(listener: (change: { readonly key: string }) => void): unknown;
}

interface LiveLayerOptions<T, V> {
  /**
   * The value of an object; undefined leaves it out. `before` is the previous value, to be returned where nothing has changed.
   */
  readonly toValue: (object: T, before: V | undefined) => V | undefined;
  readonly onChange: () => void;
}

/** Follows a store from now on. */
export function followStore<T, V>(store: Source<T>, { toValue, onChange }: LiveLayerOptions<T, V>): LiveLayer<V> {
  let layer = new LayeredMap<V>();
  const touched = new Set<string>(store.objects.keys());
  const valueNow = (key: string): V | undefined => {
    const object = store.get(key);
    return object === undefined ? undefined : toValue(object, layer.get(key));
  };
  store.subscribe(({ key }) => {
    // Each status that the operator writes comes back as a change: it must not cost a translation.
    if (!touched.has(key) && valueNow(key) === layer.get(key)) return;
    touched.add(key);
    onChange();
  });
  return {
    touch: (key) => {
      touched.add(key);
    },
    take: (isDue = () => true) => {
      const changes = new Map<string, V | undefined>();
      for (const key of [...touched]) {
        const value = valueNow(key);
        const isChanged = value !== layer.get(key);
        if (isChanged && value !== undefined && !isDue(key)) continue;
        touched.delete(key);
        if (isChanged) changes.set(key, value);
      }
      layer = layer.with(changes);
      if (touched.size > 0) onChange();
      return layer;
    },
  };
}
