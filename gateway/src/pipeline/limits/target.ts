/** The target phase: what one target takes of limits, after the cache and before the first call; docs/behaviour/limits.md. */
import type { Demand, Denial, Reservation } from '../../limits/index.ts';
import {
  type ManagedProvider,
  NO_LIMITS,
  type OwnerLimits,
  type PolicyFacts,
  type PolicyRecord,
} from '../../snapshot/index.ts';
import type { JsonObject } from '../../wire/contract.ts';
import type { Caller, Exchange } from '../exchange.ts';
import type { Resolution } from '../resolve/index.ts';
import { rateError } from './denial.ts';
import { isPolling, type LimitLog, type LimitPorts } from './entry.ts';
import { BUCKET } from './owner.ts';
import { TargetHold } from './settlement.ts';
import { LimitTrail } from './trail.ts';

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

/** Whether limits need to know what an answer of the target used. */
export function countsUsage(target: Pick<LimitedTarget, 'input' | 'resolved'>): boolean {
  const { caller, exchange } = target.input;
  const { access, account } = accountLimits(target);
  const owners = [caller.key.limits, caller.workspace.limits, access, account];
  return owners.some(({ tokens }) => tokens.length > 0) || exchange.snapshot.policies(caller.workspace.name).length > 0;
}

/**
 * Takes room in all limits of the target or in none. Undefined: nothing limits it. Throws the AppError of the first limit that
 * has no room, from which a fallback may move on.
 */
export function holdTarget(
  ports: LimitPorts,
  target: LimitedTarget,
): TargetHold | undefined | Promise<TargetHold | undefined> {
  const demands = demandsOf(target);
  if (demands.length === 0) return undefined;
  const nowMs = ports.now();
  const result = ports.limiter.reserve(demands, nowMs);
  if (!(result instanceof Promise)) return hold(ports, target, { demands, result });
  return result.then((settled) => hold(ports, target, { demands, result: settled }));
}

interface Asked {
  readonly demands: readonly Demand[];
  readonly result: Reservation | Denial;
}

function hold(ports: LimitPorts, { input, provider }: LimitedTarget, { demands, result }: Asked): TargetHold {
  input.log.limits ??= new LimitTrail();
  if (!result.allowed) {
    input.log.limits.denied(result);
    throw rateError(result, 'target', provider.id);
  }
  input.log.limits.granted(demands, result.windows);
  return new TargetHold(ports, { demands, reservation: result });
}

/** In the order in which refusals are told. */
function demandsOf(target: LimitedTarget): readonly Demand[] {
  const { caller, exchange } = target.input;
  const policies = exchange.snapshot.policies(caller.workspace.name);
  const { key, workspace } = caller;
  const { access, account } = accountLimits(target);
  if (key.limits === NO_LIMITS && workspace.limits === NO_LIMITS && access === NO_LIMITS && account === NO_LIMITS) {
    if (policies.length === 0) return NOTHING;
  }
  const tokens = tokensAsked(target.params);
  const isFree = isPolling(exchange.request);
  const demands: Demand[] = [];
  if (!isFree) addTokens(demands, key.limits, tokens);
  if (!isFree) addTokens(demands, workspace.limits, tokens);
  for (const limits of [access, account]) {
    demands.push(...limits.requests);
    addTokens(demands, limits, tokens);
  }
  if (!isFree && policies.length > 0) addPolicies(demands, policies, { target, tokens });
  return demands;
}

const NOTHING: readonly Demand[] = [];

/** Of the account of the target, and of the grant by which the workspace uses it. */
function accountLimits({ resolved: { managed }, input }: Pick<LimitedTarget, 'resolved' | 'input'>) {
  if (managed === undefined) return { access: NO_LIMITS, account: NO_LIMITS };
  return { access: managed.accessLimits(input.caller.workspace.name), account: managed.limits };
}

function addTokens(demands: Demand[], limits: OwnerLimits, cost: number): void {
  for (const demand of limits.tokens) demands.push(cost === 1 ? demand : { ...demand, cost });
}

interface Selection {
  readonly target: LimitedTarget;
  readonly tokens: number;
}

function addPolicies(demands: Demand[], policies: readonly PolicyRecord[], { target, tokens }: Selection): void {
  const facts = policyFacts(target);
  for (const { id, workspace, rate, bucketOf } of policies) {
    if (rate === undefined) continue;
    const bucket = bucketOf(facts);
    if (bucket === undefined) continue;
    const counter = { subject: `${id}${BUCKET}${bucket}`, slot: workspace ?? '', window: rate.unit, limit: rate.value };
    if (rate.type === 'requests') demands.push({ ...counter, unit: 'requests', cost: 1 });
    else demands.push({ ...counter, unit: 'tokens', cost: tokens, estimated: true });
  }
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
