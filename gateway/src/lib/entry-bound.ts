/**
 * Options of an LRU cache that is bounded by entries and allocates as it fills. The option `max` allocates for all entries
 * at once: 7 MB for 200,000.
 */
export const atMostEntries = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 }) as const;
