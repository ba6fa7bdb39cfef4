/** What one target asks of limits and budgets. */
import type { BudgetLimit, Charge } from '../../budgets/index.ts';
import { estimateCost, estimateTokens } from '../../cost/index.ts';
import type { Demand } from '../../limits/index.ts';
import {
  type ManagedProvider,
  NO_LIMITS,
  type OwnerLimits,
  type PolicyFacts,
  type PolicyRecord,
} from '../../snapshot/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { bytesOf, type Caller, type Exchange, ownFormModelOf } from '../exchange.ts';
import { servedAs } from '../operations/index.ts';
import type { PromptUse, Resolution } from '../resolve/index.ts';
import { isFree, type LimitLog, type LimitPorts } from './entry.ts';
import { type Owners, planOf } from './plan.ts';
import { rateDemand, usageBudget } from './policy-counters.ts';

/** What limits need to know of a target. */
export interface LimitedTarget {
  readonly input: {
    readonly exchange: Exchange;
    readonly caller: Caller;
    readonly resolution: Resolution;
    readonly log: LimitLog;
  };
  /** Absent: the call has no target of a config. */
  readonly leaf?: { readonly path: string };
  /** Absent: the call is made of none. */
  readonly prompt?: PromptUse | undefined;
  readonly resolved: { readonly managed: ManagedProvider | undefined };
  readonly provider: { readonly id: string };
  readonly params: JsonObject;
  readonly call: { readonly model: string };
}

/** In the order in which refusals are told. */
export interface Asked {
  readonly demands: readonly Demand[];
  readonly charges: readonly Charge[];
  /** Charged with what rows of a batch have used, and not asked for: their provider has done the work. Undefined: the answer has no rows. */
  readonly late: readonly BudgetLimit[] | undefined;
}

interface Limited extends Owners {
  readonly policies: readonly PolicyRecord[];
}

/** Undefined: there are none. */
function limitsOf({ input, resolved: { managed } }: Pick<LimitedTarget, 'input' | 'resolved'>): Limited | undefined {
  const { caller, exchange } = input;
  const { key, workspace } = caller;
  const policies = exchange.snapshot.policies(workspace.name);
  const access = managed === undefined ? NO_LIMITS : managed.accessLimits(workspace.name);
  const account = managed === undefined ? NO_LIMITS : managed.limits;
  const isUnlimited = key.limits === NO_LIMITS && workspace.limits === NO_LIMITS && policies.length === 0;
  if (isUnlimited && access === NO_LIMITS && account === NO_LIMITS) return undefined;
  return { access, account, key, workspace: workspace.limits, policies };
}

/** Whether limits need to know what an answer of the target used. */
export function countsUsage(target: Pick<LimitedTarget, 'input' | 'resolved'>): boolean {
  const limited = limitsOf(target);
  if (limited === undefined) return false;
  const { access, account, key, workspace, policies } = limited;
  return policies.some(countsTokens) || [access, account, key.limits, workspace].some(hasTokens);
}

const countsTokens = ({ rate, usage }: PolicyRecord): boolean =>
  rate?.type === 'tokens' || (usage !== undefined && usage.type !== 'requests');

const hasTokens = ({ tokens, budgets }: OwnerLimits): boolean =>
  tokens.length > 0 || budgets.some(({ type }) => type !== 'requests');

/** The operation of sessions that pass the gateway. */
const SESSION = 'realtime';

/**
 * The first policy of tokens or costs that would hold for the session which the call opens, taken for that call or for a session
 * here. `isAnyModel`: the session may run other models of the provider.
 */
export function sessionPolicyOf(target: LimitedTarget, isAnyModel: boolean): PolicyRecord | undefined {
  const policies = limitsOf(target)?.policies.filter(countsTokens) ?? [];
  if (policies.length === 0) return undefined;
  const facts = policyFacts(target);
  const kinds = [facts, { ...facts, endpointType: SESSION }];
  return policies.find((policy) =>
    kinds.some((each) => (isAnyModel ? policy.mayApply(each) : policy.bucketOf(each) !== undefined)),
  );
}

/** What the target asks for; undefined: nothing limits it. */
export function askedOf(target: LimitedTarget, { buckets }: LimitPorts, nowMs: number): Asked | undefined {
  const limited = limitsOf(target);
  if (limited === undefined) return undefined;
  const isFreeOfCharge = isFree(target.input.exchange.request);
  const plan = planOf(limited, isFreeOfCharge);
  const tokens = tokensAsked(target.params);
  const demands: Demand[] = [];
  const budgets: BudgetLimit[] = [];
  if (!isFreeOfCharge && limited.policies.length > 0) {
    const facts = policyFacts(target);
    for (const policy of limited.policies) {
      const bucket = policy.bucketOf(facts);
      if (bucket === undefined) continue;
      const { rate, usage } = policy;
      if (rate !== undefined) demands.push(rateDemand(policy, rate, { bucket, tokens, buckets, nowMs }));
      if (usage !== undefined) budgets.push(usageBudget(policy, usage, { bucket, buckets, nowMs }));
    }
  }
  const late = lateBudgets(limited, target, { buckets, nowMs });
  return { demands: plan.demands(tokens, demands), charges: chargesOf(target, plan.budgets, budgets), late };
}

/** Those of tokens and cost: the call itself is none that is counted. */
function lateBudgets(
  limited: Limited,
  target: LimitedTarget,
  { buckets, nowMs }: Pick<LimitPorts, 'buckets'> & { readonly nowMs: number },
): readonly BudgetLimit[] | undefined {
  if (target.input.exchange.operation.reportsRows === undefined) return undefined;
  const facts = limited.policies.length === 0 ? undefined : policyFacts(target);
  const ofPolicies = limited.policies.flatMap((policy) => {
    const bucket = facts && policy.bucketOf(facts);
    return bucket === undefined || policy.usage === undefined
      ? []
      : [usageBudget(policy, policy.usage, { bucket, buckets, nowMs })];
  });
  return [...planOf(limited, false).budgets, ...ofPolicies].filter(({ type }) => type !== 'requests');
}

/** Estimates are made where a budget needs them. */
function chargesOf(
  target: LimitedTarget,
  owned: readonly BudgetLimit[],
  ofPolicies: readonly BudgetLimit[],
): readonly Charge[] {
  const charges: Charge[] = [];
  let estimate: ReturnType<typeof estimateOf> | undefined;
  const charge = (budget: BudgetLimit): void => {
    const { type } = budget;
    if (type !== 'requests') estimate ??= estimateOf(target);
    charges.push({ budget, estimate: type === 'requests' ? 1 : (estimate?.[type] ?? 0) });
  };
  for (const budget of owned) charge(budget);
  for (const budget of ofPolicies) charge(budget);
  return charges;
}

/** What the call uses if it writes as much as it may. */
function estimateOf({ input, provider, call, params, resolved }: LimitedTarget) {
  const tokens = estimateTokens(params, bytesOf(input.resolution.body) ?? 0);
  const account = { provider: provider.id, prices: resolved.managed?.prices };
  const asked = call.model || ownFormModelOf(input.resolution);
  const price = input.exchange.snapshot.prices.priceOf(account, { asked });
  return { cost: estimateCost(price, tokens), tokens: tokens.input + tokens.output };
}

/** Policies see the model that the target is asked for, not the one that answers. */
function policyFacts({ input, prompt, resolved, provider, call }: LimitedTarget): PolicyFacts {
  const { caller, resolution, exchange } = input;
  const { slug, owner } = resolution.plan;
  return {
    apiKey: caller.key,
    workspace: caller.workspace.name,
    metadata: resolution.metadata,
    account: resolved.managed,
    provider: provider.id,
    config: slug === undefined ? undefined : { slug, workspace: owner === 'organisation' ? '' : caller.workspace.name },
    prompt,
    model: call.model || ownFormModelOf(resolution),
    endpointType: servedAs(exchange.operation),
  };
}

/** The largest output that the call allows, in tokens; 1 where it does not say. The answer settles what they really were. */
function tokensAsked(params: JsonObject): number {
  let most = 1;
  for (const name of ['max_tokens', 'max_completion_tokens', 'max_output_tokens']) {
    const asked = params[name];
    if (typeof asked === 'number') most = Math.max(most, Math.min(Math.ceil(asked), Number.MAX_SAFE_INTEGER));
  }
  return most;
}
