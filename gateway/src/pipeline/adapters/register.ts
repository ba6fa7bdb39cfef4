import type { Adapter } from './adapter.ts';

/** Every adapter; of several for one operation the first whose endpoint a provider offers is used. */
export const ADAPTERS: readonly Adapter[] = [];
