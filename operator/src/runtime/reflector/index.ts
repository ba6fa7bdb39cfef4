export { type Cache, type CacheOptions, type CacheWatchOptions, createCache } from './cache.ts';
export type { FollowerHealth, ReadFailure } from './follower.ts';
export { createNamedWatches, type NamedWatches, type NamedWatchesOptions } from './named-watches.ts';
export type { FeedTiming } from './timing.ts';
