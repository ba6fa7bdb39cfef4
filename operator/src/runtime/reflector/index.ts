export { createAccessProbe, type NamesByAccess } from './access-probe.ts';
export { type Cache, type CacheOptions, type CacheWatchOptions, createCache } from './cache.ts';
export type { Claimant } from './fair-quota.ts';
export { createFollower, type Follower, type FollowerHealth, type ReadFailure } from './follower.ts';
export { createNamedWatches, MAX_WATCHED_NAMES, type NamedWatches, type NamedWatchesOptions } from './named-watches.ts';
export { createNamespaceWatches, type NamespaceWatches, type NamespaceWatchesOptions } from './namespace-watches.ts';
export type { FeedTiming } from './timing.ts';
