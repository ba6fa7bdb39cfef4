import type { Cache } from '../reflector/index.ts';
import type { Check } from './health.ts';

/** Ready once every store has been complete; stays ready during an outage of the API server. */
export function cacheCheck(cache: Pick<Cache, 'health'>): Check {
  return () => {
    const [first, ...others] = cache.health().filter(({ synced }) => !synced);
    if (first === undefined) return undefined;
    const place = first.namespace === undefined ? first.resource : `${first.resource} in ${first.namespace}`;
    const why = first.failure === undefined ? 'not read yet' : `${first.failure.reason} (${first.failure.status})`;
    return others.length === 0 ? `${place}: ${why}` : `${place}: ${why}, and ${others.length} more`;
  };
}
