/** Which targets of a plan are tried, in which order; docs/behaviour/routing.md#strategies. */
import type { FallbackRule } from '@gatehouse/crds/errors';
import { AppError } from '../errors/index.ts';
import { isOpen } from './breaker.ts';
import type { Branch, Leaf, PlanNode, StickyPlan } from './plan.ts';
import type { QueryFacts } from './query.ts';

/** Result of an attempt, as far as strategies need it. */
export interface RouteOutcome {
  readonly status: number;
  readonly fallback: FallbackRule;
}

export interface RouteContext<O extends RouteOutcome> {
  facts(): QueryFacts;
  /** Uniform in [0, 1). */
  random(): number;
  /** Tries one target. Never rejects. */
  attempt(leaf: Leaf): Promise<O>;
  /** Whether the request can be sent again; false once a streamed body is gone or the budget of calls is used up. */
  repeatable(): boolean;
  /** Releases the resources of an outcome that is not used. */
  abandon(outcome: O): void;
  /** Where one target keeps what is asked for: what an outcome says about that. Undefined: any target may answer. */
  readonly tells?: ((outcome: O) => Telling) | undefined;
  /** Leaves that a circuit breaker keeps open, by path. */
  readonly open: ReadonlySet<string>;
  /** The stored choice of a session, or the given draw, which is then stored. */
  stick(plan: StickyPlan, branch: string, draw: (stored: number | undefined) => number): Promise<number>;
}

/** Of a target that was asked for what it may keep, the least telling first: it keeps no such thing, it has none, it did not say, it has it. */
const TELLINGS = ['unable', 'absent', 'unknown', 'found'] as const;
export type Telling = (typeof TELLINGS)[number];

/** Walks the tree and returns the final outcome. Throws AppError when no condition matches. */
export function walkPlan<O extends RouteOutcome>(node: PlanNode, context: RouteContext<O>): Promise<O> {
  if (node.kind === 'leaf') return context.attempt(node);
  const { tells } = context;
  if (tells !== undefined && (node.mode === 'loadbalance' || node.mode === 'fallback')) {
    return walkLookup(node, context, tells);
  }
  switch (node.mode) {
    case 'single':
      return walkPlan(childAt(node, 0), context);
    case 'loadbalance':
      return walkBalanced(node, context);
    case 'fallback':
      return walkFallback(node, context);
    case 'conditional':
      return walkConditional(node, context);
  }
}

type Mode<M extends Branch['mode']> = Extract<Branch, { mode: M }>;

async function walkBalanced<O extends RouteOutcome>(node: Mode<'loadbalance'>, context: RouteContext<O>): Promise<O> {
  const healthy = healthyIndexes(node, context.open, (i) => (node.weights[i] ?? 0) > 0);
  const draw = () => pickWeighted(node.weights, healthy, context.random());
  if (node.sticky === undefined) return walkPlan(childAt(node, draw()), context);
  const usable = (stored: number | undefined): stored is number => stored !== undefined && healthy.includes(stored);
  const index = await context.stick(node.sticky, node.path, (stored) => (usable(stored) ? stored : draw()));
  return walkPlan(childAt(node, index), context);
}

async function walkFallback<O extends RouteOutcome>(node: Mode<'fallback'>, context: RouteContext<O>): Promise<O> {
  const [first = 0, ...rest] = healthyIndexes(node, context.open);
  let outcome = await walkPlan(childAt(node, first), context);
  for (const index of rest) {
    if (!movesOn(outcome, node.onStatusCodes) || !context.repeatable()) return outcome;
    context.abandon(outcome);
    outcome = await walkPlan(childAt(node, index), context);
  }
  return outcome;
}

/** Every target is asked until one has it; weights, codes and circuit breakers say nothing about where it is. The outcome that tells most is that of all. */
async function walkLookup<O extends RouteOutcome>(
  node: Mode<'loadbalance' | 'fallback'>,
  context: RouteContext<O>,
  tells: (outcome: O) => Telling,
): Promise<O> {
  const weights = node.mode === 'loadbalance' ? node.weights : [];
  const [first = 0, ...rest] = [...node.children.keys()].filter((i) => (weights[i] ?? 1) > 0);
  const rank = (outcome: O): number => TELLINGS.indexOf(tells(outcome));
  let best = await walkPlan(childAt(node, first), context);
  for (const index of rest) {
    if (tells(best) === 'found' || best.fallback === 'stop' || !context.repeatable()) return best;
    const next = await walkPlan(childAt(node, index), context);
    const isBetter = next.fallback === 'stop' || rank(next) > rank(best);
    context.abandon(isBetter ? best : next);
    if (isBetter) best = next;
  }
  return best;
}

/** Without codes any status but 2xx moves on; a configuration error moves on only when its status is listed. */
function movesOn({ status, fallback }: RouteOutcome, codes: ReadonlySet<number> | undefined): boolean {
  if (fallback === 'stop') return false;
  if (codes !== undefined) return codes.has(status);
  return fallback === 'status' && (status < 200 || status > 299);
}

async function walkConditional<O extends RouteOutcome>(
  node: Mode<'conditional'>,
  context: RouteContext<O>,
): Promise<O> {
  return walkPlan(await matchingChild(node, context.facts()), context);
}

async function matchingChild(node: Mode<'conditional'>, facts: QueryFacts): Promise<PlanNode> {
  const name = (await firstMatching(node, facts)) ?? node.default;
  if (name === undefined) throw unmatched(node);
  const child = node.byName.get(name);
  if (child === undefined) throw new AppError('CONDITION_TARGET_UNKNOWN', { detail: `No target is named ${name}` });
  return child;
}

async function firstMatching(node: Mode<'conditional'>, facts: QueryFacts): Promise<string | undefined> {
  for (const { matches, then } of node.conditions) {
    const held = matches(facts);
    if (held instanceof Promise ? await held : held) return then;
  }
  return undefined;
}

const unmatched = ({ path }: Branch): AppError =>
  new AppError('CONDITION_UNMATCHED', {
    param: `${path}.strategy.default`,
    detail: `No condition of ${path}.strategy matched; add ${path}.strategy.default, or send what a condition asks for`,
  });

/** Indexes whose subtree is not open; all eligible ones when every one is (the breaker is bypassed). */
function healthyIndexes(
  node: Branch,
  open: ReadonlySet<string>,
  isEligible: (index: number) => boolean = () => true,
): readonly number[] {
  const all = [...node.children.keys()].filter(isEligible);
  if (open.size === 0) return all;
  const healthy = all.filter((i) => !isOpen(childAt(node, i), open));
  return healthy.length === 0 ? all : healthy;
}

function childAt(node: Branch, index: number): PlanNode {
  const child = node.children[index];
  if (child === undefined) throw new AppError('INTERNAL', { cause: `no child ${index} at ${node.path}` });
  return child;
}

/** Picks one of the candidate indexes in proportion to its weight, never one of weight 0. `at` is uniform in [0, 1). */
export function pickWeighted(weights: readonly number[], candidates: readonly number[], at: number): number {
  const total = candidates.reduce((sum, i) => sum + (weights[i] ?? 0), 0);
  let left = at * total;
  let last = candidates[0] ?? 0;
  for (const i of candidates) {
    const weight = weights[i] ?? 0;
    if (weight <= 0) continue;
    last = i;
    left -= weight;
    if (left < 0) return i;
  }
  return last;
}
