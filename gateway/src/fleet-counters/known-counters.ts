import { type Buckets, type BudgetLimit, periodAt } from '../budgets/index.ts';
import { type CounterName, type Demand, WINDOW_MS } from '../limits/index.ts';
import {
  compileBudget,
  compileSchedule,
  type OwnerLimits,
  type PolicyRecord,
  type SnapshotView,
} from '../snapshot/index.ts';

/** The counters that pods of one workspace may use. */
export interface KnownCounters {
  /** A demand of one unit with the limit of the Snapshot; undefined: it has no such limit for the workspace. */
  rate(counter: Omit<CounterName, 'slot'>, nowMs: number): Demand | undefined;
  /** Undefined: none of the workspace. */
  budget(id: string, nowMs: number): BudgetLimit | undefined;
}

/**
 * Those of the workspace, of its accounts and grants, and of its own policies: what its sidecars know. None of the organisation: a pod is
 * believed what it says, and other workspaces would pay for a lie.
 */
export function knownCountersOf(snapshot: SnapshotView, workspace: string, buckets: Buckets): KnownCounters {
  const owners = ownersOf(snapshot, workspace);
  const rates = new Map<string, Demand>();
  const budgets = new Map<string, BudgetLimit>();
  for (const { requests, tokens, budgets: all } of owners) {
    for (const demand of [...requests, ...tokens]) {
      if (demand.slot !== workspace) continue;
      const key = keyOf(demand);
      const known = rates.get(key);
      if (known === undefined || demand.limit < known.limit) rates.set(key, demand);
    }
    for (const budget of all) if (budget.slot === workspace) budgets.set(budget.id, budget);
  }
  const own = snapshot.policies(workspace).filter((policy) => policy.workspace === workspace);
  const policies = new Map(own.map((policy) => [policy.id, policy]));
  return {
    rate: (counter, nowMs) => rates.get(keyOf(counter)) ?? rateOfPolicy(policies, counter, { buckets, nowMs }),
    budget: (id, nowMs) => budgets.get(id) ?? budgetOfPolicy(policies, id, { buckets, nowMs }),
  };
}

function ownersOf(snapshot: SnapshotView, workspace: string): readonly OwnerLimits[] {
  const own = snapshot.workspace(workspace);
  return [
    ...(own === undefined ? [] : [own.limits]),
    ...snapshot.providers(workspace).flatMap((account) => [account.limits, account.accessLimits(workspace)]),
  ];
}

const keyOf = ({ subject, unit, window }: Omit<CounterName, 'slot'>): string => `${unit} ${window} ${subject}`;

interface Place {
  /** Bounds the groups of each policy, those that pods make up included. */
  readonly buckets: Buckets;
  readonly nowMs: number;
}

/** Between a policy and its group, and between the parts of the name of a budget. */
const SEPARATOR = '|';

/** No id has the separator. */
const policyOf = (policies: ReadonlyMap<string, PolicyRecord>, counter: string): PolicyRecord | undefined =>
  policies.get(counter.slice(0, Math.max(counter.indexOf(SEPARATOR), 0)));

function rateOfPolicy(
  policies: ReadonlyMap<string, PolicyRecord>,
  { subject, unit, window }: Omit<CounterName, 'slot'>,
  { buckets, nowMs }: Place,
): Demand | undefined {
  const policy = policyOf(policies, subject);
  const { rate, workspace } = policy ?? {};
  if (policy === undefined || rate === undefined || workspace == null) return undefined;
  if (rate.type !== unit || rate.unit !== window) return undefined;
  const named = subject.slice(policy.id.length + SEPARATOR.length);
  const bucket = buckets.of(policy.id, named, nowMs - (nowMs % WINDOW_MS[window]));
  return { subject: policy.id + SEPARATOR + bucket, slot: workspace, unit, window, limit: rate.value, cost: 1 };
}

function budgetOfPolicy(policies: ReadonlyMap<string, PolicyRecord>, id: string, { buckets, nowMs }: Place) {
  const policy = policyOf(policies, id);
  if (policy?.usage === undefined) return undefined;
  const { usage, workspace } = policy;
  const prefix = `${policy.id}${SEPARATOR}${usage.type}${SEPARATOR}`;
  if (!id.startsWith(prefix)) return undefined;
  const named = id.slice(prefix.length);
  const bucket = buckets.of(policy.id, named, periodAt(compileSchedule(usage), nowMs).startMs);
  return compileBudget({ id: policy.id, workspace, bucket }, usage);
}
