export { backoffMs, isRetryable, retryAfterMs } from './backoff.ts';
export { type BreakerCounts, breakerLeaves, breakerState, classifyForBreaker } from './breaker.ts';
export { type CompileOptions, compilePlan } from './compile.ts';
export { HooksUnusable } from './hooks.ts';
export { NO_RETRY } from './inherit.ts';
export type {
  Branch,
  BreakerPlan,
  CachePlan,
  HookSource,
  Leaf,
  LeafHooks,
  LeafSettings,
  LeafSource,
  PlanNode,
  Principal,
  RetryPlan,
  RoutingPlan,
  SemanticPlan,
  StickyPlan,
} from './plan.ts';
export type { QueryFacts } from './query.ts';
export { shapeParams } from './shape-params.ts';
export { type SessionFacts, stickyKey } from './sticky.ts';
export { type RouteContext, type RouteOutcome, type Telling, walkPlan } from './walk.ts';
