import type { RedisConnection } from '../../store/index.ts';
import type { Change, Demand, Denial, Limiter, Reservation } from '../limiter.ts';
import { createLimitCalls, type Grant, type Granted, type LimitCalls, type Refused } from './calls.ts';
import { bySlot, tagOf } from './counters.ts';
import { createHolds } from './holds.ts';
import { createSettler, type Settler } from './settler.ts';
import { takenBy, usedBy } from './taken.ts';

export interface RedisLimiterOptions {
  readonly connection: RedisConnection;
  /** Longest wait for Redis in ms; default: that of the connection. */
  readonly timeoutMs?: number;
  /** Time after which the estimates of a process that has ended are returned, in ms. */
  readonly leaseMs?: number;
  /** How long an estimate is held without `settle`, in ms; longer than any request should take. */
  readonly holdMs?: number;
  /** Unsettled estimates whose lease is renewed; of more than these the oldest are returned when their lease ends. */
  readonly maxHeld?: number;
  /** `callers`: windows follow the time that calls name, for tests. Default: the clock of Redis. */
  readonly clock?: 'redis' | 'callers';
  /** Called for each failure that nobody waits for. */
  onError?(error: unknown): void;
}

export interface RedisLimiter extends Limiter {
  /** Rejects with StoreUnavailable. */
  ask(demands: readonly Demand[], nowMs: number): Promise<{ readonly allowed: true } | Denial>;
  /** Rejects with StoreUnavailable; what Redis has granted nevertheless is returned. */
  reserve(demands: readonly Demand[], nowMs: number): Promise<RedisReservation | Denial>;
  /** Whether there is a connection: now, and after each change. */
  watch(listener: (isConnected: boolean) => void): () => void;
  /** Adds units of counters of one owner that were counted elsewhere, once for each id. Rejects with StoreUnavailable. */
  add(slot: string, id: string, changes: readonly Change[], nowMs: number): Promise<void>;
}

export interface RedisReservation extends Reservation {
  readonly windows: readonly Grant[];
}

const LEASE_MS = 30_000;
const HOLD_MS = 3_600_000;
const MAX_HELD = 100_000;

/** Counters in Redis, for all gateways that use it: one call per reservation, in a cluster one per owner of counters. */
export function createRedisLimiter(options: RedisLimiterOptions): RedisLimiter {
  const { connection, timeoutMs, leaseMs = LEASE_MS, clock = 'redis', onError = () => undefined } = options;
  const calls = createLimitCalls({ connection, timeoutMs, leaseMs, clock });
  const settler = createSettler({ calls, isCluster: connection.isCluster, onError });
  const holds = createHolds({
    holdMs: options.holdMs ?? HOLD_MS,
    maxHeld: options.maxHeld ?? MAX_HELD,
    leaseMs,
    renew: (keys, nowMs) => calls.renew(keys, nowMs).catch(onError),
    settle: settler.settle,
    onTurn: () => void settler.resume(), // never rejects
  });
  const stopListening = connection.onHealth((health) => {
    if (health === 'ready') void settler.resume(); // never rejects
  });
  const take = createTaker({ calls, settler, isCluster: connection.isCluster });

  return {
    ask: async (demands, nowMs) => {
      if (demands.length === 0) return { allowed: true };
      const result = await take(demands, { takes: false, nowMs });
      return result.allowed ? { allowed: true } : toDenial(demands, result);
    },
    reserve: async (demands, nowMs) => {
      if (demands.length === 0) return NOTHING_RESERVED;
      const result = await take(demands, { takes: true, nowMs });
      if (!result.allowed) return toDenial(demands, result);
      const { grants } = result;
      const taken = takenBy(demands, grants);
      const end = holds.open(taken, nowMs);
      return {
        allowed: true,
        windows: grants,
        settle: (actualCosts, atMs) => end((i) => usedBy(demands, taken[i]?.demands ?? [], actualCosts), atMs),
        release: () => end(() => 0, nowMs),
      };
    },
    add: (slot, id, changes, nowMs) => calls.add(`${tagOf(slot)}:added:${id}`, changes, nowMs),
    watch: (listener) => {
      listener(connection.health() === 'ready');
      return connection.onHealth((health) => listener(health === 'ready'));
    },
    close: async () => {
      stopListening();
      holds.close();
    },
  };
}

const NOTHING_RESERVED: RedisReservation = {
  allowed: true,
  windows: [],
  settle: () => undefined,
  release: () => undefined,
};

interface TakeOptions {
  readonly takes: boolean;
  readonly nowMs: number;
}

/** Takes the demands of all owners or none: what some have granted is returned when another one has not. */
function createTaker({
  calls,
  settler,
  isCluster,
}: {
  readonly calls: LimitCalls;
  readonly settler: Settler;
  readonly isCluster: boolean;
}): (demands: readonly Demand[], options: TakeOptions) => Promise<Granted | Refused> {
  /** Never rejects. */
  const giveBack = async (
    demands: readonly Demand[],
    result: Granted | Refused,
    { takes, nowMs }: TakeOptions,
  ): Promise<void> => {
    if (!takes || !result.allowed) return;
    const unused = takenBy(demands, result.grants).map((taken) => ({ ...taken, used: 0 }));
    if (unused.length > 0) await settler.settle(unused, nowMs);
  };
  const takeGroup = (demands: readonly Demand[], options: TakeOptions): Promise<Granted | Refused> =>
    calls.reserve(demands, { ...options, onLate: (result) => void giveBack(demands, result, options) });

  return async (demands, options) => {
    const groups = bySlot(demands, isCluster);
    if (groups.length === 1) return takeGroup(demands, options);
    const parts = groups.map((group) => group.flatMap((i) => demands[i] ?? []));
    const results = await Promise.allSettled(parts.map((part) => takeGroup(part, options)));
    const failed = results.find(({ status }) => status === 'rejected');
    const refused = firstRefused(groups, results);
    if (failed === undefined && refused === undefined) return { allowed: true, grants: inOrder(groups, results) };
    const returned = results.map((result, i) =>
      result.status === 'fulfilled' ? giveBack(parts[i] ?? [], result.value, options) : undefined,
    );
    if (failed?.status === 'rejected') throw failed.reason;
    await Promise.all(returned); // who is refused has consumed nothing by then
    return refused as Refused; // one of both is there
  };
}

type Results = readonly PromiseSettledResult<Granted | Refused>[];
type Groups = readonly (readonly number[])[];

/** That of the first demand, with its place among all. */
function firstRefused(groups: Groups, results: Results): Refused | undefined {
  let first: Refused | undefined;
  results.forEach((result, i) => {
    if (result.status !== 'fulfilled' || result.value.allowed) return;
    const index = groups[i]?.[result.value.index] ?? 0;
    if (first === undefined || index < first.index) first = { ...result.value, index };
  });
  return first;
}

function inOrder(groups: Groups, results: Results): readonly Grant[] {
  const grants: Grant[] = [];
  results.forEach((result, i) => {
    if (result.status !== 'fulfilled' || !result.value.allowed) return;
    result.value.grants.forEach((grant, j) => {
      grants[groups[i]?.[j] ?? 0] = grant;
    });
  });
  return grants;
}

function toDenial(demands: readonly Demand[], { index, remaining, retryAfterMs }: Refused): Denial {
  return { allowed: false, demand: demands[index] as Demand, remaining, retryAfterMs }; // the script counts the demands
}
