/** What one target asks of limits and budgets. */
import { type BudgetLimit, type Charge, periodAt } from '../../budgets/index.ts';
import { estimateCost, estimateTokens } from '../../cost/index.ts';
import { type Demand, WINDOW_MS } from '../../limits/index.ts';
import {
  compileBudget,
  type ManagedProvider,
  NO_LIMITS,
  type OwnerLimits,
  type PolicyFacts,
  type PolicyRecord,
} from '../../snapshot/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import { bytesOf, type Caller, type Exchange } from '../exchange.ts';
import type { Resolution } from '../resolve/index.ts';
import { isPolling, type LimitLog, type LimitPorts } from './entry.ts';
import { BUCKET } from './owner.ts';

/** What limits need to know of a target. */
export interface LimitedTarget {
  readonly input: {
    readonly exchange: Exchange;
    readonly caller: Caller;
    readonly resolution: Resolution;
    readonly log: LimitLog;
  };
  readonly resolved: { readonly managed: ManagedProvider | undefined };
  readonly provider: { readonly id: string };
  readonly params: JsonObject;
  readonly call: { readonly model: string };
}

/** In the order in which refusals are told. */
export interface Asked {
  readonly demands: readonly Demand[];
  readonly charges: readonly Charge[];
}

interface Limited {
  readonly owners: readonly OwnerLimits[];
  readonly policies: readonly PolicyRecord[];
}

/** The limits of grant and account, then those of key and workspace, and the policies; undefined: there are none. */
function limitsOf({ input, resolved: { managed } }: Pick<LimitedTarget, 'input' | 'resolved'>): Limited | undefined {
  const { caller, exchange } = input;
  const { key, workspace } = caller;
  const policies = exchange.snapshot.policies(workspace.name);
  const access = managed === undefined ? NO_LIMITS : managed.accessLimits(workspace.name);
  const account = managed === undefined ? NO_LIMITS : managed.limits;
  const isUnlimited = key.limits === NO_LIMITS && workspace.limits === NO_LIMITS && policies.length === 0;
  if (isUnlimited && access === NO_LIMITS && account === NO_LIMITS) return undefined;
  return { owners: [access, account, key.limits, workspace.limits], policies };
}

/** Whether limits need to know what an answer of the target used. */
export function countsUsage(target: Pick<LimitedTarget, 'input' | 'resolved'>): boolean {
  const limited = limitsOf(target);
  if (limited === undefined) return false;
  return (
    limited.policies.some(countsTokens) ||
    limited.owners.some(({ tokens, budgets }) => tokens.length + budgets.length > 0)
  );
}

const countsTokens = ({ rate, usage }: PolicyRecord): boolean =>
  rate?.type === 'tokens' || (usage !== undefined && usage.type !== 'requests');

/** What the target asks for; undefined: nothing limits it. */
export function askedOf(target: LimitedTarget, ports: LimitPorts, nowMs: number): Asked | undefined {
  const limited = limitsOf(target);
  if (limited === undefined) return undefined;
  const [access, account, key, workspace] = limited.owners;
  const isFree = isPolling(target.input.exchange.request);
  const draft = new Draft(target, ports, nowMs);
  if (!isFree) draft.addTokens(key).addTokens(workspace);
  draft.addRates(access).addRates(account);
  if (isFree) return draft;
  draft.addBudgets(access).addBudgets(account).addBudgets(key).addBudgets(workspace);
  if (limited.policies.length > 0) draft.addPolicies(limited.policies);
  return draft;
}

/** Estimates are made where a limit needs them. */
class Draft implements Asked {
  readonly demands: Demand[] = [];
  readonly charges: Charge[] = [];
  readonly #target: LimitedTarget;
  readonly #ports: LimitPorts;
  readonly #nowMs: number;
  readonly #tokens: number;
  #estimate: { readonly cost: number; readonly tokens: number } | undefined;

  constructor(target: LimitedTarget, ports: LimitPorts, nowMs: number) {
    this.#target = target;
    this.#ports = ports;
    this.#nowMs = nowMs;
    this.#tokens = tokensAsked(target.params);
  }

  addTokens({ tokens }: OwnerLimits = NO_LIMITS): this {
    for (const demand of tokens) this.demands.push(this.#tokens === 1 ? demand : { ...demand, cost: this.#tokens });
    return this;
  }

  addRates(limits: OwnerLimits = NO_LIMITS): this {
    this.demands.push(...limits.requests);
    return this.addTokens(limits);
  }

  addBudgets({ budgets }: OwnerLimits = NO_LIMITS): this {
    for (const budget of budgets) this.#charge(budget);
    return this;
  }

  addPolicies(policies: readonly PolicyRecord[]): void {
    const facts = policyFacts(this.#target);
    for (const policy of policies) {
      const bucket = policy.bucketOf(facts);
      if (bucket === undefined) continue;
      if (policy.rate !== undefined) this.#addRatePolicy(policy, policy.rate, bucket);
      if (policy.usage !== undefined) this.#addUsagePolicy(policy, policy.usage, bucket);
    }
  }

  #addRatePolicy({ id, workspace }: PolicyRecord, rate: NonNullable<PolicyRecord['rate']>, bucket: string): void {
    const { type: unit, unit: window, value: limit } = rate;
    const own = this.#ports.buckets.of(id, bucket, this.#nowMs - (this.#nowMs % WINDOW_MS[window]));
    const counter = { subject: `${id}${BUCKET}${own}`, slot: workspace ?? '', unit, window, limit };
    this.demands.push(
      unit === 'requests' ? { ...counter, cost: 1 } : { ...counter, cost: this.#tokens, estimated: true },
    );
  }

  #addUsagePolicy({ id, workspace }: PolicyRecord, usage: NonNullable<PolicyRecord['usage']>, bucket: string): void {
    const shared = compileBudget({ id, workspace, bucket }, usage);
    const own = this.#ports.buckets.of(id, bucket, periodAt(shared.schedule, this.#nowMs).startMs);
    this.#charge(own === bucket ? shared : compileBudget({ id, workspace, bucket: own }, usage));
  }

  #charge(budget: BudgetLimit): void {
    const { type } = budget;
    if (type === 'requests') {
      this.charges.push({ budget, estimate: 1 });
      return;
    }
    this.#estimate ??= estimateOf(this.#target);
    this.charges.push({ budget, estimate: this.#estimate[type] });
  }
}

/** What the call uses if it writes as much as it may. */
function estimateOf({ input, provider, call, params, resolved }: LimitedTarget) {
  const tokens = estimateTokens(params, bytesOf(input.resolution.body) ?? 0);
  const account = { provider: provider.id, prices: resolved.managed?.prices };
  const price = input.exchange.snapshot.prices.priceOf(account, { asked: call.model });
  return { cost: estimateCost(price, tokens), tokens: tokens.input + tokens.output };
}

/** Policies see the model that the target is asked for, not the one that answers. */
function policyFacts({ input, resolved, provider, call }: LimitedTarget): PolicyFacts {
  const { caller, resolution, exchange } = input;
  const { slug, owner } = resolution.plan;
  return {
    apiKey: caller.key,
    workspace: caller.workspace.name,
    metadata: resolution.metadata,
    account: resolved.managed,
    provider: provider.id,
    config: slug === undefined ? undefined : { slug, workspace: owner === 'organisation' ? '' : caller.workspace.name },
    model: call.model,
    endpointType: exchange.operation.id,
  };
}

/** Output tokens that the call allows; 1 where it does not say. The answer settles what they really were. */
function tokensAsked(params: JsonObject): number {
  for (const name of ['max_tokens', 'max_completion_tokens', 'max_output_tokens']) {
    const asked = params[name];
    if (typeof asked === 'number' && asked >= 1) return Math.min(Math.ceil(asked), Number.MAX_SAFE_INTEGER);
  }
  return 1;
}
