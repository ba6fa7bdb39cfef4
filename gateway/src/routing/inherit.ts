/** What a target inherits from its parent; docs/reference/config.md#what-targets-take-from-their-parent. */
import {
  type CacheSettings,
  type CircuitBreakerSettings,
  DEFAULT_MINIMUM_REQUESTS,
  DEFAULT_RETRY_STATUS_CODES,
  MAX_RETRIES,
  MIN_COOLDOWN_MS,
  parseDropPath,
  type RoutingNode,
} from '@gatehouse/crds/config';
import type { BreakerPlan, CachePlan, LeafSettings, RetryPlan } from './plan.ts';
import { NO_SHAPE, type ParamShape } from './shape-params.ts';

export const NO_RETRY: RetryPlan = { maxRetries: 0, statusCodes: new Set(), useRetryAfter: false };

/** Settings of a root before its own fields: nothing is set, answers are strict. */
export const ROOT_SETTINGS: LeafSettings = {
  shape: NO_SHAPE,
  retry: NO_RETRY,
  cache: undefined,
  requestTimeoutMs: 0,
  customHost: undefined,
  forwardHeaders: [],
  strict: true,
  unsupportedParams: 'drop',
  promptId: undefined,
  hooks: undefined,
};

/** The settings of a node under a parent with the given settings. `hooks`: its own, or those of the parent. */
export function inherit(parent: LeafSettings, node: RoutingNode, hooks: LeafSettings['hooks']): LeafSettings {
  return {
    shape: inheritShape(parent.shape, node),
    retry: node.retry === undefined ? parent.retry : toRetryPlan(node.retry),
    cache: node.cache === undefined ? parent.cache : toCachePlan(node.cache),
    requestTimeoutMs: node.requestTimeout ?? parent.requestTimeoutMs,
    customHost: node.customHost ?? parent.customHost,
    forwardHeaders: node.forwardHeaders?.map((name) => name.toLowerCase()) ?? parent.forwardHeaders,
    strict: node.strictOpenAiCompliance ?? parent.strict,
    unsupportedParams: node.unsupportedParams ?? parent.unsupportedParams,
    promptId: node.promptId ?? parent.promptId,
    hooks,
  };
}

function toCachePlan({ mode, maxAge, embeddingModel, similarityPercent }: CacheSettings): CachePlan {
  const threshold = (similarityPercent ?? DEFAULT_SIMILARITY_PERCENT) / 100;
  const isSemantic = mode === 'semantic' && embeddingModel !== undefined;
  return { maxAgeSeconds: maxAge, semantic: isSemantic ? { model: embeddingModel, threshold } : undefined };
}

const DEFAULT_SIMILARITY_PERCENT = 95;

/** Parameters merge key by key and the child wins; a child's own drops replace the parent's. */
function inheritShape(parent: ParamShape, node: RoutingNode): ParamShape {
  const { overrideParams, defaultParams, dropParams } = node;
  if (overrideParams === undefined && defaultParams === undefined && dropParams === undefined) return parent;
  return {
    defaults: { ...parent.defaults, ...defaultParams },
    overrides: { ...parent.overrides, ...overrideParams },
    drops: dropParams?.map(parseDropPath).flatMap((path) => (path.ok ? [path.value] : [])) ?? parent.drops,
  };
}

function toRetryPlan(retry: NonNullable<RoutingNode['retry']>): RetryPlan {
  return {
    maxRetries: Math.min(retry.attempts, MAX_RETRIES),
    statusCodes: new Set(retry.onStatusCodes ?? DEFAULT_RETRY_STATUS_CODES),
    useRetryAfter: retry.useRetryAfterHeader ?? false,
  };
}

/** A breaker is active when it has a cool-down and at least one threshold. */
export function toBreakerPlan(settings: CircuitBreakerSettings): BreakerPlan | undefined {
  const { cooldownInterval, failureThreshold, failureThresholdPercentage, minimumRequests, failureStatusCodes } =
    settings;
  if (cooldownInterval === undefined) return undefined;
  if (failureThreshold === undefined && failureThresholdPercentage === undefined) return undefined;
  return {
    failureThreshold,
    failurePercentage: failureThresholdPercentage,
    minimumRequests: minimumRequests ?? DEFAULT_MINIMUM_REQUESTS,
    cooldownMs: Math.max(cooldownInterval, MIN_COOLDOWN_MS),
    failureStatusCodes: failureStatusCodes === undefined ? undefined : new Set(failureStatusCodes),
  };
}
