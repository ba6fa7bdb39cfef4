/** The circuit breaker as decisions over counts; docs/behaviour/routing.md#circuit-breakers. */
import type { BreakerPlan, Leaf, PlanNode, RoutingPlan } from './plan.ts';

/** Counts of one target since its first failure. */
export interface BreakerCounts {
  readonly failures: number;
  readonly successes: number;
  /** Unix time in ms of the first failure of the window. */
  readonly firstFailureMs: number;
}

export type BreakerState = 'closed' | 'open' | 'elapsed';

/** `elapsed`: the cool-down is over and the counts are dropped; there is no half-open state. */
export function breakerState(plan: BreakerPlan, counts: BreakerCounts, nowMs: number): BreakerState {
  if (nowMs - counts.firstFailureMs > plan.cooldownMs) return 'elapsed';
  if (plan.failureThreshold !== undefined && counts.failures >= plan.failureThreshold) return 'open';
  const total = counts.failures + counts.successes;
  if (plan.failurePercentage === undefined || total < plan.minimumRequests) return 'closed';
  return (100 * counts.failures) / total >= plan.failurePercentage ? 'open' : 'closed';
}

/** Classifies a status; undefined: neither success nor failure. */
export function classifyForBreaker(plan: BreakerPlan, status: number): 'success' | 'failure' | undefined {
  if (status >= 200 && status <= 299) return 'success';
  const failed = plan.failureStatusCodes === undefined ? status >= 500 : plan.failureStatusCodes.has(status);
  return failed ? 'failure' : undefined;
}

/** A branch is open when all its children are. */
export function isOpen(node: PlanNode, open: ReadonlySet<string>): boolean {
  return node.kind === 'leaf' ? open.has(node.path) : node.children.every((child) => isOpen(child, open));
}

/** The leaves of a plan that have a breaker. */
export function* breakerLeaves(plan: RoutingPlan): Generator<Leaf & { readonly breaker: BreakerPlan }> {
  const pending: PlanNode[] = [plan.root];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    if (node.kind === 'branch') pending.push(...node.children);
    else if (node.breaker !== undefined) yield { ...node, breaker: node.breaker };
  }
}
