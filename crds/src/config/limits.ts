/** Limits and defaults of routing configs, with units: docs/behaviour/routing.md, docs/behaviour/retries.md. */

/** Targets at the root. Overridden by MAX_ROOT_CONFIG_TARGETS. */
export const MAX_ROOT_TARGETS = 100;
/** Targets at the root when its mode is conditional. Overridden by MAX_CONDITIONAL_ROOT_CONFIG_TARGETS. */
export const MAX_CONDITIONAL_ROOT_TARGETS = 1000;
/** Descendants of each root target. Overridden by MAX_NESTED_CONFIG_TARGETS. */
export const MAX_NESTED_TARGETS = 50;
/** Longest list of targets below the first level in a CRD: leaves room for a raised MAX_NESTED_CONFIG_TARGETS. */
export const MAX_NESTED_LIST = 100;
/** Levels of nested strategies: bounds the recursion of every walk over a config. */
export const MAX_CONFIG_DEPTH = 10;

/** Retries of one target; a larger number counts as this one. */
export const MAX_RETRIES = 5;
/** Statuses retried when none are listed. */
export const DEFAULT_RETRY_STATUS_CODES: readonly number[] = [429, 500, 502, 503, 504, 529];
/** First back-off in ms, doubled per retry. */
export const RETRY_BACKOFF_BASE_MS = 1_000;
/** Longest wait that a provider's retry-after may cause, for one retry and in sum, in ms. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Cache lifetime in seconds: default 7 days, accepted range 60 s to 90 days. */
export const DEFAULT_CACHE_TTL_SECONDS = 604_800;
export const MIN_CACHE_TTL_SECONDS = 60;
export const MAX_CACHE_TTL_SECONDS = 7_776_000;

/** Lifetime of a sticky choice in seconds. */
export const DEFAULT_STICKY_TTL_SECONDS = 300;

/** Circuit breaker: lowest cool-down in ms, and least requests before a percentage counts. */
export const MIN_COOLDOWN_MS = 30_000;
export const DEFAULT_MINIMUM_REQUESTS = 5;

/** Longest accepted upstream timeout in ms: 24 h, below the largest timer Node can set. */
export const MAX_TIMEOUT_MS = 86_400_000;

/** Caps that a deployment may change by environment; the constants above are their defaults. */
export interface TargetCaps {
  readonly rootTargets: number;
  readonly conditionalRootTargets: number;
  readonly nestedTargets: number;
}

export const DEFAULT_TARGET_CAPS: TargetCaps = {
  rootTargets: MAX_ROOT_TARGETS,
  conditionalRootTargets: MAX_CONDITIONAL_ROOT_TARGETS,
  nestedTargets: MAX_NESTED_TARGETS,
};
