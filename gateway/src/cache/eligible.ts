/** The facts that decide, before any look-up, whether an answer may come from the cache. */
export interface CacheCandidate {
  readonly method: string;
  /** The client's path, e.g. `/v1/chat/completions`. */
  readonly path: string;
  readonly contentType: string | undefined;
  /** A messages or responses request that is translated to chat for the provider. */
  readonly adapted: boolean;
}

/** Binary answers and operations with side effects, wherever a provider has them: below `/v1/proxy`, `/v1/messages` and others. */
const NEVER_CACHED =
  /\/(?:audio|batches|batchPredictionJobs|files|fine_tuning|images\/(?:edits|variations)|uploads)(?:[/:]|$)/;

/** Whether a request of a target with a cache is looked up at all; docs/behaviour/caching.md#when-the-cache-is-used. */
export function isCacheEligible({ method, path, contentType, adapted }: CacheCandidate): boolean {
  if (method !== 'POST' || adapted) return false;
  if (contentType?.toLowerCase().startsWith('multipart/')) return false; // every request has a new boundary
  return !NEVER_CACHED.test(path);
}
