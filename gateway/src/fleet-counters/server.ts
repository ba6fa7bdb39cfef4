/** The fleet's side: counts for the pods of sidecars, each in its own workspace. */
import type { Buckets, BudgetLimit, BudgetStore, Budgets, SyncReply, SyncRequest } from '../budgets/index.ts';
import { periodAt } from '../budgets/index.ts';
import { AppError } from '../errors/index.ts';
import type { Demand, Denial, Limiter, Reservation } from '../limits/index.ts';
import type { SnapshotView } from '../snapshot/index.ts';
import { type KnownCounters, knownCountersOf } from './known-counters.ts';
import { type Pod, type PodPorts, podOfToken } from './pod-of-token.ts';
import { createPods, type Pods } from './pods.ts';
import {
  type CountersReply,
  type CountersRequest,
  countersRequest,
  type WireAddition,
  type WireAsk,
  type WireAskReply,
  type WireDemand,
  type WireSync,
  type WireSyncReply,
} from './protocol.ts';

export interface CountersServerPorts extends PodPorts {
  readonly limiter: Pick<Limiter, 'ask' | 'reserve'>;
  readonly budgetStore: Pick<BudgetStore, 'sync'>;
  readonly budgets: Pick<Budgets, 'follow'>;
  readonly buckets: Buckets;
  /** Unix time in ms. */
  now(): number;
}

export interface CountersServer {
  /** `bytes`: of the call, where they are announced. Rejects with AppError SNAPSHOT_MISSING, KEY_INVALID, KEY_EXPIRED, WORKSPACE_FORBIDDEN or SIDECAR_BUSY. */
  identify(token: string | undefined, bytes: number | undefined): Promise<Pod>;
  /** Rejects with AppError PARAMETER_INVALID for a body that is not what sidecars send. */
  answer(pod: Pod, body: unknown): Promise<CountersReply>;
}

export function createCountersServer(ports: CountersServerPorts): CountersServer {
  const pods = createPods();
  const countersFor = createCounterMemo(ports.buckets);
  return {
    identify: async (token, bytes) => {
      const pod = await podOfToken(token, ports);
      pods.admit(pod.id, pod.workspace, bytes, ports.now());
      return pod;
    },
    answer: async (pod, body) => {
      const { asks, additions, budgets } = parse(body);
      const counting = { ports, counters: countersFor(pod), nowMs: ports.now() };
      add(
        additions.filter(({ id }) => id === undefined || pods.isNew(pod.id, id)),
        counting,
      );
      const [replies, synced] = await Promise.all([
        Promise.all(asks.map((ask) => take(ask, counting))),
        syncAll(budgets, { ...counting, pod, pods }),
      ]);
      return { asks: replies, budgets: synced };
    },
  };
}

function parse(body: unknown): CountersRequest {
  const { data, error } = countersRequest.safeParse(body);
  if (data !== undefined) return data;
  const path = error.issues[0]?.path.join('.') ?? '';
  throw new AppError('PARAMETER_INVALID', {
    param: path,
    detail: 'Bad request: not what a sidecar of this version sends',
  });
}

/** Made once for each workspace with sidecars in a Snapshot. */
function createCounterMemo(buckets: Buckets): (pod: Pod) => KnownCounters {
  const bySnapshot = new WeakMap<SnapshotView, Map<string, KnownCounters>>();
  return ({ snapshot, workspace }) => {
    const known = bySnapshot.get(snapshot) ?? new Map<string, KnownCounters>();
    bySnapshot.set(snapshot, known);
    const counters = known.get(workspace) ?? knownCountersOf(snapshot, workspace, buckets);
    known.set(workspace, counters);
    return counters;
  };
}

interface Counting {
  readonly ports: Pick<CountersServerPorts, 'limiter' | 'budgetStore' | 'budgets'>;
  readonly counters: KnownCounters;
  readonly nowMs: number;
}

/** All demands that the Snapshot knows, or none. */
async function take({ demands }: WireAsk, { ports: { limiter }, counters, nowMs }: Counting): Promise<WireAskReply> {
  const positions: number[] = [];
  const asked = demands.flatMap((demand, at): readonly Demand[] => {
    const known = counters.rate(demand, nowMs);
    if (known === undefined) return [];
    const both = toDemands(demand, known);
    for (const _ of both) positions.push(at);
    return both;
  });
  if (asked.length === 0) return { status: 'granted', windows: demands.map(() => null) };
  try {
    const result = await limiter.reserve(asked, nowMs);
    return result.allowed ? granted(demands, result, positions) : denied(asked, result, positions);
  } catch {
    return { status: 'failed' };
  }
}

/** Room for more than what is taken is a demand of its own. Nothing is returned, so that nothing is held as an estimate. */
function toDemands({ room, take: units }: WireDemand, { estimated: _, ...known }: Demand): readonly Demand[] {
  const taken = units === 0 ? [] : [{ ...known, cost: units }];
  return units === room ? taken : [{ ...known, cost: room, takes: false }, ...taken];
}

function granted(demands: readonly WireDemand[], { windows }: Reservation, positions: readonly number[]): WireAskReply {
  return { status: 'granted', windows: demands.map((_, at) => windows[positions.lastIndexOf(at)] ?? null) };
}

/** A limiter in another process returns a copy of the demand. */
function denied(
  asked: readonly Demand[],
  { demand, remaining, retryAfterMs }: Denial,
  positions: readonly number[],
): WireAskReply {
  const { subject, unit, window, cost } = demand;
  const same = (each: Demand): boolean =>
    each.subject === subject && each.unit === unit && each.window === window && each.cost === cost;
  return { status: 'denied', at: positions[asked.findIndex(same)] ?? 0, remaining, retryAfterMs };
}

/** A limit without end has room for everything: the counter is the same, whatever the limit. Not waited for. */
function add(additions: readonly WireAddition[], { ports: { limiter }, counters, nowMs }: Counting): void {
  for (const { units, id: _id, ...counter } of additions) {
    const known = counters.rate(counter, nowMs);
    if (known === undefined) continue;
    const { estimated: _, ...demand } = known;
    void ignoringErrors(() => limiter.reserve([{ ...demand, cost: units, limit: Number.MAX_SAFE_INTEGER }], nowMs));
  }
}

/** A limiter that is away has told so itself. */
async function ignoringErrors(work: () => unknown): Promise<void> {
  try {
    await work();
  } catch {
    // as above
  }
}

interface Syncing extends Counting {
  readonly pod: Pod;
  readonly pods: Pods;
}

async function syncAll(budgets: readonly WireSync[], syncing: Syncing): Promise<readonly WireSyncReply[]> {
  const replies: WireSyncReply[] = budgets.map(() => ({ status: 'unknown' }));
  const requests: SyncRequest[] = [];
  const limits: BudgetLimit[] = [];
  const positions: number[] = [];
  const seen = new Set<string>();
  budgets.forEach((wire, at) => {
    const budget = syncing.counters.budget(wire.id, syncing.nowMs);
    if (budget === undefined) return;
    const request = toSyncRequest(wire, budget, syncing);
    if (request === 'refused' || seen.has(request.id)) {
      replies[at] = { status: 'failed', isApplied: false };
    } else {
      seen.add(request.id);
      requests.push(request);
      limits.push(budget);
      positions.push(at);
    }
  });
  if (requests.length === 0) return replies;
  const synced = await syncing.ports.budgetStore.sync(requests);
  positions.forEach((at, i) => {
    const reply = synced[i];
    replies[at] = toWire(reply);
    const budget = limits[i];
    if (budget !== undefined && reply?.status === 'done') {
      syncing.ports.budgets.follow(budget, reply.total, syncing.nowMs);
    }
  });
  return replies;
}

function toSyncRequest(
  { id: _, holder: name, periodStartMs, ...wire }: WireSync,
  { id, slot, limit, schedule }: BudgetLimit,
  { pod, pods }: Pick<Syncing, 'pod' | 'pods'>,
): SyncRequest | 'refused' {
  const holder = pods.holder(pod.id, name);
  if (holder === undefined) return 'refused';
  // A period that the schedule does not have would begin the counter anew.
  const period = periodAt(schedule, Math.max(periodStartMs, 0));
  return { ...wire, id, slot, limit, period, holder, seed: undefined };
}

function toWire(reply: SyncReply | undefined): WireSyncReply {
  if (reply === undefined) return { status: 'failed', isApplied: true };
  return reply.status === 'failed' ? { status: 'failed', isApplied: reply.isApplied ?? true } : reply;
}
