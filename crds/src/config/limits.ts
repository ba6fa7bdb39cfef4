/** Numbers of the routing config, each with unit and source. */

/** Targets at the root; spec/gateway-api.md Limits. Overridable: MAX_ROOT_CONFIG_TARGETS. */
export const MAX_ROOT_TARGETS = 100;
/** Targets at the root when its mode is conditional; spec/gateway-api.md Limits. MAX_CONDITIONAL_ROOT_CONFIG_TARGETS. */
export const MAX_CONDITIONAL_ROOT_TARGETS = 1000;
/** Descendants of each root target; behaviour-config-routing 2.4. MAX_NESTED_CONFIG_TARGETS. */
export const MAX_NESTED_TARGETS = 50;
/** Longest list of targets below the first level in a CRD: leaves room for a raised MAX_NESTED_CONFIG_TARGETS. */
export const MAX_NESTED_LIST = 100;
/** Levels of nested strategies: bounds the recursion of every walk over a config. */
export const MAX_CONFIG_DEPTH = 10;

/** Retries of one target; more is clamped (gateway-behaviour, defect 10). */
export const MAX_RETRY_ATTEMPTS = 5;
/** Statuses retried when none are listed; behaviour-config-routing 5.1. */
export const DEFAULT_RETRY_STATUS_CODES: readonly number[] = [429, 500, 502, 503, 504, 529];
/** First back-off in ms, doubled per retry; behaviour-config-routing 5.1. */
export const RETRY_BACKOFF_BASE_MS = 1_000;
/** Longest single or summed honoured retry-after in ms; behaviour-config-routing 5.1. */
export const MAX_RETRY_AFTER_MS = 60_000;

/** Cache lifetime in seconds: default 7 days, accepted range 60 s to 90 days; behaviour-cache 6.4. */
export const DEFAULT_CACHE_TTL_SECONDS = 604_800;
export const MIN_CACHE_TTL_SECONDS = 60;
export const MAX_CACHE_TTL_SECONDS = 7_776_000;

/** Lifetime of a sticky choice in seconds; gateway-behaviour, decisions. */
export const DEFAULT_STICKY_TTL_SECONDS = 300;

/** Circuit breaker: lowest cool-down in ms and default minimum of requests; behaviour-config-routing 5.6. */
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
