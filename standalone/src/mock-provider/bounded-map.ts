export interface BoundedMap<K, V> {
  get(key: K): V | undefined;
  /** `bytes` is what the value counts against the byte bound; a value that alone exceeds it is not kept. */
  set(key: K, value: V, bytes: number): void;
  delete(key: K): boolean;
  values(): readonly V[];
}

/** A map that drops its oldest entries when it has too many entries or too many bytes. */
export function createBoundedMap<K, V>(bounds: { maxEntries: number; maxBytes: number }): BoundedMap<K, V> {
  const entries = new Map<K, { readonly value: V; readonly bytes: number }>();
  let totalBytes = 0;

  function remove(key: K): boolean {
    totalBytes -= entries.get(key)?.bytes ?? 0;
    return entries.delete(key);
  }

  return {
    get: (key) => entries.get(key)?.value,
    set(key, value, bytes) {
      remove(key);
      if (bytes > bounds.maxBytes) return;
      entries.set(key, { value, bytes });
      totalBytes += bytes;
      for (const oldest of entries.keys()) {
        if (entries.size <= bounds.maxEntries && totalBytes <= bounds.maxBytes) break;
        remove(oldest);
      }
    },
    delete: remove,
    values: () => Array.from(entries.values(), (entry) => entry.value),
  };
}
