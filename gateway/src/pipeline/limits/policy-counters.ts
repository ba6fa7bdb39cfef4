/** The counters of policies: one for each group of values, made when a request of the group comes first. */
import { type Buckets, type BudgetLimit, type Period, periodAt, type Schedule } from '../../budgets/index.ts';
import { type Demand, WINDOW_MS } from '../../limits/index.ts';
import { compileBudget, compileSchedule, type PolicyRecord } from '../../snapshot/index.ts';
import { BUCKET } from './owner.ts';

type Rate = NonNullable<PolicyRecord['rate']>;
type Usage = NonNullable<PolicyRecord['usage']>;

/** Counters of one policy that are kept ready; beyond it they are made anew. */
const MAX_READY = 10_000;

interface Ready {
  readonly demands: Map<string, Demand>;
  readonly budgets: Map<string, BudgetLimit>;
  /** Resets of single groups. */
  readonly resets: ReadonlyMap<string, string>;
  /** That of the budgets. */
  schedule: Schedule | undefined;
  period: Period | undefined;
}

// A memo of a pure function: policies of a Snapshot serve many requests.
const memo = new WeakMap<PolicyRecord, Ready>();

function readyOf(policy: PolicyRecord): Ready {
  let ready = memo.get(policy);
  if (ready === undefined) {
    const resets = new Map(policy.usage?.groupResets?.map(({ group, at }) => [group, at]));
    ready = { demands: new Map(), budgets: new Map(), resets, schedule: undefined, period: undefined };
    memo.set(policy, ready);
  }
  return ready;
}

function keep<V>(ready: Map<string, V>, bucket: string, value: V): V {
  if (ready.size >= MAX_READY) ready.clear();
  ready.set(bucket, value);
  return value;
}

/** A request of the group, or so many tokens of it. */
export function rateDemand(
  policy: PolicyRecord,
  rate: Rate,
  {
    bucket,
    tokens,
    buckets,
    nowMs,
  }: { readonly bucket: string; readonly tokens: number; readonly buckets: Buckets; readonly nowMs: number },
): Demand {
  const { id, workspace } = policy;
  const { type: unit, unit: window, value: limit } = rate;
  const own = buckets.of(id, bucket, nowMs - (nowMs % WINDOW_MS[window]));
  const { demands } = readyOf(policy);
  const cost = unit === 'requests' ? 1 : tokens;
  const known = demands.get(own);
  if (known?.cost === cost) return known;
  const counter = { subject: `${id}${BUCKET}${own}`, slot: workspace ?? '', unit, window, limit, cost };
  return keep(demands, own, unit === 'requests' ? counter : { ...counter, estimated: true });
}

/** The budget of the group. */
export function usageBudget(
  policy: PolicyRecord,
  usage: Usage,
  { bucket, buckets, nowMs }: { readonly bucket: string; readonly buckets: Buckets; readonly nowMs: number },
): BudgetLimit {
  const { id, workspace } = policy;
  const ready = readyOf(policy);
  const own = buckets.of(id, bucket, periodOf(ready, usage, nowMs).startMs);
  const known = ready.budgets.get(own);
  if (known !== undefined) return known;
  return keep(ready.budgets, own, compileBudget({ id, workspace, bucket: own }, usage, ready.resets.get(own)));
}

function periodOf(ready: Ready, usage: Usage, nowMs: number): Period {
  if (ready.period === undefined || !contains(ready.period, nowMs)) {
    ready.schedule ??= compileSchedule(usage);
    ready.period = periodAt(ready.schedule, nowMs);
  }
  return ready.period;
}

const contains = ({ startMs, endMs }: Period, nowMs: number): boolean =>
  nowMs >= startMs && nowMs < (endMs ?? Number.POSITIVE_INFINITY);
