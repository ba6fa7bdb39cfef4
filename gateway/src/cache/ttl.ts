import { DEFAULT_CACHE_TTL_SECONDS, MAX_CACHE_TTL_SECONDS, MIN_CACHE_TTL_SECONDS } from '@gatehouse/crds/config';

const MAX_AGE = /(?:^|[,\s])max-age\s*=\s*"?(\d{1,15})/i;

/**
 * The lifetime of an answer in seconds: the target's `max_age`, else the request's `Cache-Control: max-age`. What is
 * outside 60 s to 90 days is replaced by 7 days, not clamped.
 */
export function cacheTtlSeconds(configMaxAge: number | undefined, cacheControl: string | undefined): number {
  const header = MAX_AGE.exec(cacheControl ?? '')?.[1];
  const asked = configMaxAge ?? (header === undefined ? DEFAULT_CACHE_TTL_SECONDS : Number(header));
  const valid = Number.isInteger(asked) && asked >= MIN_CACHE_TTL_SECONDS && asked <= MAX_CACHE_TTL_SECONDS;
  return valid ? asked : DEFAULT_CACHE_TTL_SECONDS;
}
