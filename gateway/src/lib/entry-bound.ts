/**
 * Options of an LRU cache of at most so many entries that takes memory as they come. Its own `max` makes room for all of
 * them at once: 7 MB for 200,000.
 */
export const atMostEntries = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 }) as const;
