import { randomBytes } from 'node:crypto';
import type { RedisConnection } from '../../store/index.ts';
import { createListMemo } from '../demand-list.ts';
import type { Change, Demand, Denial, Limiter, Reservation } from '../limiter.ts';
import type { Grant } from './batch.ts';
import { Batches } from './batches.ts';
import { createLimitCalls } from './calls.ts';
import { tagOf } from './counters.ts';
import { createHolds } from './holds.ts';
import { firstDenial, type Part, reserveParts, splitByOwner } from './parts.ts';
import { RedisReservation } from './reservation.ts';

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
  reserve(demands: readonly Demand[], nowMs: number): Promise<Reservation | Denial>;
  /** Whether there is a connection: now, and after each change. */
  watch(listener: (isConnected: boolean) => void): () => void;
  /** Adds units of counters of one owner that were counted elsewhere, once for each id. Rejects with StoreUnavailable. */
  add(slot: string, id: string, changes: readonly Change[], nowMs: number): Promise<void>;
}

const LEASE_MS = 30_000;
const HOLD_MS = 3_600_000;
const MAX_HELD = 100_000;

/**
 * Counters in Redis, for all gateways that use it. What a turn of the event loop reserves and settles travels in one call, in a
 * cluster in one per owner of counters.
 */
export function createRedisLimiter(options: RedisLimiterOptions): RedisLimiter {
  const { connection, timeoutMs, leaseMs = LEASE_MS, clock = 'redis', onError = () => undefined } = options;
  const { holdMs = HOLD_MS, maxHeld = MAX_HELD } = options;
  const processId = randomBytes(9).toString('base64url'); // names the leases of this process
  const calls = createLimitCalls({ connection, timeoutMs, leaseMs, clock, processId });
  const batches = new Batches({ connection, timeoutMs, processId, leaseMs, clock, onError });
  const holds = createHolds({
    maxHeld,
    leaseMs,
    renew: (keys, nowMs) => calls.renew(keys, nowMs).catch(onError),
    onTurn: () => batches.resume(),
  });
  const stopListening = connection.onHealth((health) => {
    if (health === 'ready') batches.resume();
  });
  const partsOf = createListMemo((demands) => splitByOwner(demands, connection.isCluster));
  const ends = { batches, holds };
  const toReservation = (grant: Grant, nowMs: number): RedisReservation => {
    const reservation = new RedisReservation(grant, ends, { nowMs, holdMs });
    if (grant.lot.list.hasEstimates) holds.add(reservation);
    return reservation;
  };
  const reservePart = async ({ list }: Part, nowMs: number): Promise<RedisReservation | Denial> => {
    const result = await batches.reserve(list, true, nowMs);
    return result.allowed ? toReservation(result, nowMs) : result;
  };

  return {
    ask: async (demands, nowMs) => {
      const parts = partsOf(demands);
      const results = await Promise.all(parts.map(({ list }) => batches.reserve(list, false, nowMs)));
      return firstDenial(parts, results) ?? { allowed: true };
    },
    reserve: (demands, nowMs) => {
      const parts = partsOf(demands);
      const [only] = parts;
      if (only === undefined) return Promise.resolve(NOTHING_RESERVED);
      return parts.length === 1 ? reservePart(only, nowMs) : reserveParts(parts, (part) => reservePart(part, nowMs));
    },
    add: (slot, id, changes, nowMs) => calls.add(`${tagOf(slot)}:added:${id}`, changes, nowMs),
    watch: (listener) => {
      listener(connection.health() === 'ready');
      return connection.onHealth((health) => listener(health === 'ready'));
    },
    close: async () => {
      stopListening();
      holds.close();
      await batches.finish(); // the connection is closed next
    },
  };
}

const NOTHING_RESERVED: Reservation = {
  allowed: true,
  windows: [],
  settle: () => undefined,
  release: () => undefined,
};
